"""Holds stop claims, and jobs show why they wait."""

import datetime
import os
import unittest
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

    def test_other_teams_and_devices_continue(self):
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

    def test_a_hold_applies_to_classes_that_the_team_uses_later(self):
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

    def test_running_tasks_continue_and_are_counted(self):
        self.backlog(self.team, 4)
        tasks = self.queue.claim(self.cpu)
        self.queue.hold('team', self.team, 'drain')
        running = lambda: self.queue.rows('select running from list_holds(null)')[0].running
        self.assertEqual(running(), 4)
        self.assertEqual(self.queue.complete(self.cpu, tasks), ['accepted'] * 4)
        self.assertEqual(running(), 0)

    def test_a_team_lifts_its_own_holds_but_no_system_admins(self):
        strict, own = self.queue.hold('team', self.team), self.queue.hold('team', self.team, by_admin=False)
        self.assertFalse(self.queue.resume(strict, self.team))
        self.assertFalse(self.queue.resume(own, self.other_team))
        self.assertTrue(self.queue.resume(own, self.team))
        self.assertFalse(self.queue.resume(self.queue.hold('device_class', 'cpu', by_admin=False), self.team))

    def test_unknown_subjects_cannot_be_held(self):
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

    def test_devices_whose_memory_others_hold_are_reported(self):
        [id] = self.submit(job(self.team, memory=10))
        gibibyte = 1 << 30
        for free, reason in ((None, 'busy'), (gibibyte, 'busy'), (gibibyte - 1, 'memory')):
            self.queue.heartbeat(self.cpu, offered_memory=free)
            self.assertEqual(self.reason(id).reason, reason)
        self.assertIsNone(self.reason(id).starts_from)
        second = self.queue.register('second')
        self.assertEqual(self.reason(id).reason, 'busy')
        self.queue.heartbeat(second, offered_memory=0)
        self.assertEqual(self.reason(id).reason, 'memory')
        # A device that runs something may have the memory back when that ends.
        self.submit(job(self.other_team))
        self.assertEqual(len(self.queue.claim(second, memory=0)), 1)
        self.assertEqual(self.reason(id).reason, 'busy')

    def test_an_exhausted_quota_says_when_it_renews(self):
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
        """Four jobs of two teams on a device as fast as the estimates: each starts within the predicted times."""
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
