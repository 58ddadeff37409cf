"""What keeps work from being claimed: holds and quotas; and what was used before."""

import datetime
import os
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from queue_case import QueueCase
from queue_client import job, task


class Holds(QueueCase):
    def backlog(self, team, tasks=100, seconds=0.01, **given):
        return self.submit(job(team, [task(seconds=seconds)] * tasks, **given))[0]

    def test_each_scope_stops_claims_until_it_is_lifted(self):
        self.backlog(self.team)
        for scope, subject in (('team', self.team), ('device_class', 'cpu'), ('node', 'node'), ('device', self.cpu.worker_id)):
            for mode in ('pause', 'drain'):
                with self.subTest(scope, mode=mode):
                    first, second = (self.queue.hold(scope, subject, mode) for _ in range(2))
                    self.assertEqual(self.queue.claim(self.cpu, tasks=1), [])
                    self.assertTrue(self.queue.resume(first))
                    self.assertEqual(self.queue.claim(self.cpu, tasks=1), [])  # one of two holds is enough
                    self.assertTrue(self.queue.resume(second))
                    self.assertFalse(self.queue.resume(second))
                    tasks = self.queue.claim(self.cpu, tasks=1)
                    self.assertEqual(len(tasks), 1)
                    self.queue.complete(self.cpu, tasks)

    def test_others_go_on(self):
        self.backlog(self.team)
        self.backlog(self.other_team)
        far = self.queue.register('far', node='elsewhere')
        self.queue.hold('team', self.team)
        self.assertEqual({t.job_id for t in self.queue.claim(self.cpu, tasks=10)}, {self.job_of(self.other_team)})
        self.queue.hold('node', 'node')
        self.assertEqual(self.queue.claim(self.cpu, tasks=10), [])
        self.assertEqual(len(self.queue.claim(far, tasks=10)), 10)

    def job_of(self, team):
        return self.queue.one('select id from job where team_id = %s', team)

    def test_a_team_on_hold_is_so_in_classes_that_it_comes_to_later(self):
        hold = self.queue.hold('team', self.team)
        self.backlog(self.team)
        self.assertEqual(self.queue.claim(self.cpu), [])
        self.queue.resume(hold)
        self.assertEqual(len(self.queue.claim(self.cpu, tasks=5)), 5)

    def test_a_device_stays_on_hold_when_its_process_starts_again(self):
        self.backlog(self.team)
        self.queue.hold('device', self.cpu.worker_id, 'drain')
        again = self.queue.register('cpu')
        self.assertEqual(again.worker_id, self.cpu.worker_id)
        self.assertEqual(self.queue.claim(again), [])

    def test_what_runs_goes_on_and_is_counted(self):
        self.backlog(self.team, 4)
        tasks = self.queue.claim(self.cpu)
        self.queue.hold('team', self.team, 'drain')
        running = lambda: self.queue.rows('select running from list_holds(null)')[0].running
        self.assertEqual(running(), 4)
        self.assertEqual(self.queue.complete(self.cpu, tasks), ['accepted'] * 4)
        self.assertEqual(running(), 0)

    def test_a_team_lifts_its_own_holds_and_no_administrators(self):
        strict, own = self.queue.hold('team', self.team), self.queue.hold('team', self.team, by_admin=False)
        self.assertFalse(self.queue.resume(strict, self.team))
        self.assertFalse(self.queue.resume(own, self.other_team))
        self.assertTrue(self.queue.resume(own, self.team))
        self.assertFalse(self.queue.resume(self.queue.hold('device_class', 'cpu', by_admin=False), self.team))

    def test_what_is_not_there_cannot_be_held(self):
        for scope, subject in (('team', 10 ** 9), ('device_class', 'abacus'), ('node', 'nowhere'), ('device', 10 ** 6)):
            self.assertIsNone(self.queue.hold(scope, subject))

    def test_nothing_is_claimed_once_a_pause_is_acknowledged(self):
        """Four workers claim at full speed while a team is paused and goes on again."""
        rounds = 40 if 'PLIMSOLL_LONG_TESTS' in os.environ else 8
        done = []
        # Merge tasks of jobs that end meanwhile stand in the host's lanes.
        waiting = lambda: self.queue.one("""select count(*) from ready r join lane l on l.id = r.lane_id
            join account a on a.id = l.account_id where a.class_id = 1""")

        def run(name):
            queue = self.second_queue()
            worker = queue.register(name)
            while not done:
                tasks = queue.claim(worker, tasks=4)
                if tasks:
                    queue.complete(worker, tasks)
                queue.heartbeat(worker)

        with ThreadPoolExecutor() as pool:
            workers = [pool.submit(run, name) for name in 'abcd']
            try:
                for _ in range(rounds):
                    before = self.queue.one('select last_value from fence_seq')
                    self.backlog(self.team, 200, seconds=0.001)
                    while self.queue.one('select last_value from fence_seq') <= before:
                        self.assertFalse(any(w.done() for w in workers))
                    hold = self.queue.hold('team', self.team)
                    left = waiting()
                    for _ in range(20):
                        self.assertEqual(waiting(), left)
                    self.queue.resume(hold)
            finally:
                done.append(True)
            for worker in workers:
                worker.result()


class Quotas(QueueCase):
    def submit_one(self, team, tasks=1, seconds=1.0, **given):
        return self.queue.enqueue(job(team, [task(seconds=seconds)] * tasks, **given))[0]

    def outcomes_of_submits_at_once(self):
        """Of four submitters with fifteen jobs each."""
        def run(_):
            queue = self.second_queue()
            return [queue.enqueue(job(self.team))[0].outcome for _ in range(15)]

        with ThreadPoolExecutor() as pool:
            return Counter(outcome for outcomes in pool.map(run, range(4)) for outcome in outcomes)

    def test_no_claim_goes_above_the_quota_and_the_next_period_begins_anew(self):
        self.submit_one(self.team, 30)
        self.queue.set_share(self.team, quota=10.5, period='hour')
        claimed = [len(self.queue.claim(self.cpu, tasks=4)) for _ in range(5)]
        self.assertEqual(claimed, [4, 4, 2, 0, 0])
        hour = self.moment.replace(minute=0, second=0, microsecond=0) + datetime.timedelta(hours=1)
        self.queue.now = hour - datetime.timedelta(milliseconds=1)
        self.assertEqual(self.queue.call('renew_quotas', '')[0][0], 0)
        self.pass_time((hour - self.moment).total_seconds())
        self.assertEqual(self.queue.call('renew_quotas', '')[0][0], 1)
        self.assertEqual(len(self.queue.claim(self.cpu, tasks=64)), 10)

    def test_what_was_charged_too_much_comes_back(self):
        self.submit_one(self.team, 30)
        self.queue.set_share(self.team, quota=10, period='week')
        tasks = self.queue.claim(self.cpu, tasks=10)
        self.assertEqual(self.queue.claim(self.cpu), [])
        self.queue.complete(self.cpu, tasks, seconds=0.5)
        self.assertEqual(len(self.queue.claim(self.cpu)), 5)

    def test_a_spent_quota_stands_in_nobodys_way(self):
        """The first sixteen accounts in turn, and more, have nothing left."""
        spent = [self.queue.make_team(f'spent {i}') for i in range(40)]
        for team in spent:
            self.submit_one(team, 2)
            self.queue.set_share(team, quota=0.5)
        id = self.submit_one(self.other_team).job_id
        self.assertEqual([t.job_id for t in self.queue.claim(self.cpu)], [id])

    def test_a_quota_holds_among_many_workers(self):
        self.submit_one(self.team, 400, 0.125)
        self.queue.set_share(self.team, quota=20)

        def run(name):
            queue = self.second_queue()
            worker, seconds = queue.register(name), 0
            while tasks := queue.claim(worker, tasks=7):
                seconds += sum(t.est_seconds for t in tasks)
                queue.complete(worker, tasks)
            return seconds

        with ThreadPoolExecutor() as pool:
            self.assertEqual(sum(pool.map(run, 'abcd')), 20)

    def test_a_submit_that_cannot_run_in_the_period_is_refused(self):
        self.queue.set_share(self.team, quota=10, period='day')
        self.assertEqual(self.submit_one(self.team, 8).outcome, 'created')
        self.queue.claim(self.cpu)
        row = self.submit_one(self.team, 3, key='k', fingerprint=b'x' * 32)
        self.assertEqual((row.outcome, row.job_id), ('over_quota', None))
        midnight = (self.moment + datetime.timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        self.assertEqual(datetime.datetime.fromisoformat(row.refusal.pop('renews_at')), midnight)
        self.assertEqual(row.refusal, {'quota': 'device_seconds', 'used': 8, 'limit': 10, 'needed': 3, 'device_class': 'cpu', 'period': 'day'})
        # The key is free: what was refused is no answer to repeat.
        self.assertEqual(self.submit_one(self.team, 2, key='k', fingerprint=b'y' * 32).outcome, 'created')
        later = self.seconds_from_now(3600)
        self.assertEqual(self.submit_one(self.team, 9, run_at=later).outcome, 'created')
        self.assertEqual(self.submit_one(self.team, 11, run_at=later).outcome, 'over_quota')
        self.assertEqual(self.submit_one(self.other_team, 11).outcome, 'created')

    def test_queued_jobs_are_limited_to_the_job(self):
        self.queue.rows('select set_team_limit(%s, 5, null)', self.team)
        rows = self.queue.enqueue(*(job(self.team) for _ in range(3)), *(job(self.other_team) for _ in range(9)), *(job(self.team) for _ in range(4)))
        self.assertEqual([r.outcome for r in rows], ['created'] * 14 + ['over_quota'] * 2)
        self.assertEqual(rows[-1].refusal, {'quota': 'queued_jobs', 'used': 0, 'limit': 5})
        self.assertEqual(self.submit_one(self.team).refusal, {'quota': 'queued_jobs', 'used': 5, 'limit': 5})
        self.queue.claim(self.cpu, tasks=1)
        started = self.queue.one('select count(*) from job where team_id = %s and started_at is not null', self.team)
        outcomes = [self.submit_one(self.team).outcome for _ in range(2)]
        self.assertEqual(outcomes.count('created'), started)

    def test_queued_jobs_are_limited_for_submits_at_once(self):
        self.queue.rows('select set_team_limit(%s, 20, null)', self.team)
        self.assertEqual(self.outcomes_of_submits_at_once(), {'created': 20, 'over_quota': 40})

    def test_jobs_a_minute_are_limited_to_the_job(self):
        self.queue.rows('select set_team_limit(%s, null, 60)', self.team)
        rows = self.queue.enqueue(*(job(self.team) for _ in range(58)), *(job(self.other_team) for _ in range(9)))
        self.assertEqual({r.outcome for r in rows}, {'created'})
        rows = self.queue.enqueue(*(job(self.team) for _ in range(4)))
        self.assertEqual([r.outcome for r in rows], ['created'] * 2 + ['over_quota'] * 2)
        refusal = rows[-1].refusal
        self.assertEqual(datetime.datetime.fromisoformat(refusal.pop('renews_at')), self.seconds_from_now(2))
        self.assertEqual(refusal, {'quota': 'jobs_per_minute', 'used': 58, 'limit': 60, 'needed': 4})
        # A second brings one, a minute of silence as many as the bucket holds and no more.
        self.pass_time(1)
        self.assertEqual([self.submit_one(self.team).outcome for _ in range(2)], ['created', 'over_quota'])
        self.pass_time(600)
        rows = self.queue.enqueue(*(job(self.team) for _ in range(61)))
        self.assertEqual([r.outcome for r in rows], ['created'] * 60 + ['over_quota'])

    def test_what_is_refused_or_repeated_counts_for_nothing(self):
        self.queue.rows('select set_team_limit(%s, 1, 2)', self.team)
        self.assertEqual([self.submit_one(self.team).outcome for _ in range(9)], ['created'] + ['over_quota'] * 8)
        self.queue.rows('select set_team_limit(%s, null, 2)', self.team)
        same = dict(key='k', fingerprint=b'x' * 32)
        self.assertEqual([self.submit_one(self.team, **same).outcome for _ in range(9)], ['created'] + ['replayed'] * 8)
        with self.assertRaises(Exception):
            self.queue.enqueue(*(job(self.team) for _ in range(2)), whole=True)
        self.assertEqual(self.submit_one(self.team).outcome, 'created')
        self.assertEqual(self.submit_one(self.team).refusal['quota'], 'jobs_per_minute')

    def test_jobs_a_minute_are_limited_for_submits_at_once(self):
        self.queue.rows('select set_team_limit(%s, null, 20)', self.team)
        self.assertEqual(self.outcomes_of_submits_at_once(), {'created': 20, 'over_quota': 40})


class History(QueueCase):
    """What an account used counts half after a half-life, and delays its return."""

    def use(self, team, seconds):
        self.submit(job(team, [task(seconds=seconds)]))
        tasks = self.queue.claim(self.cpu)
        self.queue.complete(self.cpu, tasks)
        self.run_merges()

    def used(self, team):
        return self.queue.call('list_shares', 'bigint', team)[0].used_seconds

    def start_of(self, team):
        return self.queue.one("""select s.vtime - c.vclock from account a join account_state s on s.account_id = a.id
            join class_state c on c.class_id = s.class_id where a.team_id = %s and a.class_id = 1""", team)

    def test_use_fades_with_the_half_life(self):
        self.queue.rows("select set_device_class('cpu', 60, null)")
        self.use(self.team, 8)
        for minutes, left in ((0, 8), (1, 4), (3, 1)):
            self.pass_time(60 * minutes)
            self.assertAlmostEqual(self.used(self.team), left, places=6)
        self.use(self.team, 1)
        self.assertAlmostEqual(self.used(self.team), 2, places=6)
        self.pass_time(1e9)
        self.assertEqual(round(self.used(self.team), 6), 0)

    def test_use_is_what_was_measured(self):
        self.submit(job(self.team, [task(seconds=8)]))
        tasks = self.queue.claim(self.cpu)
        self.assertEqual(self.used(self.team), 8)
        self.queue.complete(self.cpu, tasks, seconds=3)
        self.assertEqual(self.used(self.team), 3)

    def test_who_used_more_starts_later_by_the_difference_at_most_by_the_limit(self):
        self.queue.rows("select set_device_class('cpu', 100, 5)")
        self.use(self.team, 4)
        self.submit(job(self.other_team, 50))
        self.submit(job(self.team))
        self.assertAlmostEqual(self.start_of(self.team), 4, places=5)
        self.assertEqual({t.job_id for t in self.queue.claim(self.cpu, tasks=30)}, {self.queue.one('select id from job where team_id = %s', self.other_team)})

    def test_the_delay_fades_and_has_a_limit(self):
        self.queue.rows("select set_device_class('cpu', 100, 5)")
        self.use(self.team, 20)
        self.submit(job(self.other_team, 50))
        for seconds, delay in ((0, 5), (200, 5), (300, 2.5), (1000, 20 / 2 ** 10)):
            self.pass_time(seconds)
            [id] = self.submit(job(self.team))
            self.assertAlmostEqual(self.start_of(self.team), delay, places=5)
            self.queue.cancel(self.team, id)

    def test_use_counts_by_weight(self):
        self.queue.set_share(self.team, weight=4)
        self.use(self.team, 8)
        self.submit(job(self.other_team, 50))
        self.submit(job(self.team))
        self.assertAlmostEqual(self.start_of(self.team), 2, places=5)

    def test_who_used_less_than_the_next_in_turn_starts_at_the_clock(self):
        self.use(self.other_team, 9)
        self.use(self.team, 3)
        self.submit(job(self.other_team, 50))
        self.submit(job(self.team))
        self.assertEqual(self.start_of(self.team), 0)

    def test_with_a_limit_of_zero_history_does_not_count(self):
        self.queue.rows("select set_device_class('cpu', null, 0)")
        self.use(self.team, 9)
        self.submit(job(self.other_team, 50))
        self.submit(job(self.team))
        self.assertEqual(self.start_of(self.team), 0)

    def test_who_keeps_waiting_is_not_set_back(self):
        """History decides where an account starts, not what it gets while it waits."""
        self.use(self.team, 9)
        self.submit(job(self.team, [task(seconds=0.01)] * 500), job(self.other_team, [task(seconds=0.01)] * 500))
        served = Counter()
        for _ in range(10):
            tasks = self.queue.claim(self.cpu, tasks=32)
            served.update(t.job_id for t in tasks)
            self.queue.complete(self.cpu, tasks)
        self.assertLessEqual(max(served.values()) - min(served.values()), 3)


class Waits(QueueCase):
    def reason(self, id, team=None):
        return self.queue.wait(team or self.team, id)

    def test_a_hold_is_named_with_its_author(self):
        [id] = self.submit(job(self.team))
        self.queue.rows("insert into app_user (id, name) overriding system value values (1, 'Ada') returning id")
        for scope, subject, reason in (('team', self.team, 'paused'), ('device_class', 'cpu', 'paused'), ('node', 'node', 'draining'),
                                       ('device', self.cpu.worker_id, 'draining')):
            hold = self.queue.hold(scope, subject)
            row = self.reason(id)
            self.assertEqual((row.reason, row.starts_from), (reason, None))
            self.assertEqual({k: row.hold[k] for k in ('scope', 'mode', 'reason', 'by')},
                             {'scope': scope, 'mode': 'pause', 'reason': 'Maintenance.', 'by': 'Ada'})
            self.queue.resume(hold)
        self.assertEqual((self.reason(id).reason, self.reason(id).hold), ('busy', None))

    def test_a_spent_quota_says_when_it_renews(self):
        [id] = self.submit(job(self.team, [task(seconds=2)]))
        self.queue.set_share(self.team, quota=1, period='hour')
        self.assertEqual(self.queue.claim(self.cpu), [])
        row = self.reason(id)
        self.assertEqual((row.reason, row.until), ('quota', self.moment.replace(minute=0, second=0, microsecond=0) + datetime.timedelta(hours=1)))

    def test_the_start_is_between_having_the_devices_alone_and_sharing_them(self):
        self.submit(job(self.team, [task(seconds=2)] * 10), job(self.other_team, [task(seconds=2)] * 100))
        [id] = self.submit(job(self.team))
        row = self.reason(id)
        self.assertEqual((row.reason, row.tasks_ahead), ('own_jobs', 10))
        self.assertEqual([(t - self.moment).total_seconds() for t in (row.starts_from, row.starts_by)], [20, 40])
        self.queue.register('second')
        row = self.reason(id)
        self.assertEqual([(t - self.moment).total_seconds() for t in (row.starts_from, row.starts_by)], [10, 20])
        self.queue.set_share(self.team, cap=1)
        row = self.reason(id)
        self.assertEqual((row.starts_from - self.moment).total_seconds(), 20)

    def test_the_prediction_holds_in_a_run(self):
        """Four jobs of two teams on a device that takes what was estimated: each starts within what was said."""
        jobs = [(team, self.submit(job(team, [task(seconds=1)] * 4))[0]) for team in (self.team, self.other_team, self.team, self.other_team)]
        said = {id: self.reason(id, team) for team, id in jobs}
        now, started = 0, {}
        while tasks := self.queue.claim(self.cpu, seconds=0.5, tasks=1):
            started.setdefault(tasks[0].job_id, self.seconds_from_now(now))
            now += 1
            self.pass_time(now)
            self.queue.complete(self.cpu, tasks)
        for id, row in said.items():
            self.assertLessEqual(row.starts_from, started[id])
            self.assertLessEqual(started[id], row.starts_by + datetime.timedelta(seconds=1))  # the longest task

    def test_shares_tell_used_against_due(self):
        self.queue.set_share(self.team, weight=3, cap=2)
        self.submit(job(self.team, [task(seconds=3)]), job(self.other_team, [task(seconds=1)]))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        first, second = (r for r in self.queue.call('list_shares', 'bigint', None) if r.device_class == 'cpu')
        self.assertEqual((first.used_share, first.due_share, first.cap), (0.75, 0.75, 2))
        self.assertEqual((second.used_share, second.due_share, second.cap), (0.25, 0.25, None))


if __name__ == '__main__':
    unittest.main()
