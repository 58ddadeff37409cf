"""Quotas of device time, and limits of the jobs that a team may submit."""

import datetime
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from queue_case import QueueCase
from queue_client import job, task


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

    def test_no_claim_exceeds_the_quota_and_the_next_period_starts_at_zero(self):
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

    def test_overcharges_are_returned(self):
        self.submit_one(self.team, 30)
        self.queue.set_share(self.team, quota=10, period='week')
        tasks = self.queue.claim(self.cpu, tasks=10)
        self.assertEqual(self.queue.claim(self.cpu), [])
        self.queue.complete(self.cpu, tasks, seconds=0.5)
        self.assertEqual(len(self.queue.claim(self.cpu)), 5)

    def test_an_exhausted_quota_blocks_nobody(self):
        """All accounts that one claim looks at, and more, have nothing left."""
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

    def test_the_limit_of_queued_jobs_is_exact(self):
        self.queue.rows('select set_team_limit(%s, 5, null)', self.team)
        rows = self.queue.enqueue(*(job(self.team) for _ in range(3)), *(job(self.other_team) for _ in range(9)), *(job(self.team) for _ in range(4)))
        self.assertEqual([r.outcome for r in rows], ['created'] * 14 + ['over_quota'] * 2)
        self.assertEqual(rows[-1].refusal, {'quota': 'queued_jobs', 'used': 0, 'limit': 5})
        self.assertEqual(self.submit_one(self.team).refusal, {'quota': 'queued_jobs', 'used': 5, 'limit': 5})
        self.queue.claim(self.cpu, tasks=1)
        started = self.queue.one('select count(*) from job where team_id = %s and started_at is not null', self.team)
        outcomes = [self.submit_one(self.team).outcome for _ in range(2)]
        self.assertEqual(outcomes.count('created'), started)

    def test_the_limit_of_queued_jobs_holds_for_concurrent_submits(self):
        self.queue.rows('select set_team_limit(%s, 20, null)', self.team)
        self.assertEqual(self.outcomes_of_submits_at_once(), {'created': 20, 'over_quota': 40})

    def test_the_limit_of_jobs_per_minute_is_exact(self):
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

    def test_refused_and_repeated_submits_do_not_count(self):
        self.queue.rows('select set_team_limit(%s, 1, 2)', self.team)
        self.assertEqual([self.submit_one(self.team).outcome for _ in range(9)], ['created'] + ['over_quota'] * 8)
        self.queue.rows('select set_team_limit(%s, null, 2)', self.team)
        same = dict(key='k', fingerprint=b'x' * 32)
        self.assertEqual([self.submit_one(self.team, **same).outcome for _ in range(9)], ['created'] + ['replayed'] * 8)
        with self.assertRaises(Exception):
            self.queue.enqueue(*(job(self.team) for _ in range(2)), whole=True)
        self.assertEqual(self.submit_one(self.team).outcome, 'created')
        self.assertEqual(self.submit_one(self.team).refusal['quota'], 'jobs_per_minute')

    def test_the_limit_of_jobs_per_minute_holds_for_concurrent_submits(self):
        self.queue.rows('select set_team_limit(%s, null, 20)', self.team)
        self.assertEqual(self.outcomes_of_submits_at_once(), {'created': 20, 'over_quota': 40})


if __name__ == '__main__':
    unittest.main()
