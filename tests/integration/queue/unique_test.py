"""Unique keys, and submits that are stored entirely or not at all."""

import json
import unittest
from concurrent.futures import ThreadPoolExecutor

from queue_case import QueueCase
from queue_client import job


class Unique(QueueCase):
    def outcomes(self, *jobs):
        return [(row.outcome, row.job_id) for row in self.queue.enqueue(*jobs)]

    def nightly(self, **given):
        return job(self.team, unique='nightly', **given)

    def test_a_key_is_held_until_its_job_ends(self):
        [id] = self.submit(self.nightly())
        self.assertEqual(self.outcomes(self.nightly()), [('unique_conflict', id)])
        self.assertEqual(self.outcomes(job(self.other_team, unique='nightly'))[0][0], 'created')
        self.queue.complete(self.cpu, [t for t in self.queue.claim(self.cpu) if t.job_id == id])
        self.assertEqual(self.outcomes(self.nightly()), [('unique_conflict', id)])  # its merge is to come
        self.run_merges()
        [(outcome, next)] = self.outcomes(self.nightly())
        self.assertEqual(outcome, 'created')
        self.assertNotEqual(next, id)
        self.queue.cancel(self.team, next)
        self.assertEqual(self.outcomes(self.nightly())[0][0], 'created')

    def test_a_refused_job_stores_nothing(self):
        [id] = self.submit(self.nightly())
        before = self.queue.one('select count(*) from job_task')
        refused = self.nightly(key='k', fingerprint=b'f', deadline=self.seconds_from_now(60), run_at=self.seconds_from_now(5))
        self.assertEqual(self.outcomes(refused, job(self.team)), [('unique_conflict', id), ('created', self.queue.one('select max(id) from job'))])
        self.assertEqual([self.queue.one(f'select count(*) from {table}') for table in ('job_task', 'scheduled', 'overdue', 'idempotency_key')],
                         [before + 1, 0, 0, 0])
        self.queue.cancel(self.team, id)
        self.assertEqual(self.outcomes(refused)[0][0], 'created')  # the same request, when the key is free

    def test_a_repeated_submit_is_not_a_conflict(self):
        spec = self.nightly(key='k', fingerprint=b'f')
        [id] = self.submit(spec)
        self.assertEqual(self.outcomes(spec), [('replayed', id)])

    def test_the_first_of_two_in_one_call_is_created(self):
        first, second, other = self.outcomes(self.nightly(), self.nightly(), job(self.team, unique='other'))
        self.assertEqual([first[0], second, other[0]], ['created', ('unique_conflict', first[1]), 'created'])

    def test_concurrent_submits_make_one_job_at_a_time(self):
        queues = [self.second_queue() for _ in range(8)]

        def submit(queue):
            outcomes = []
            while outcomes.count('created') < 5:
                [row] = queue.enqueue(self.nightly())
                outcomes.append(row.outcome)
                if row.outcome == 'created':  # frees the key for all
                    queue.cancel(self.team, row.job_id)
            return outcomes

        with ThreadPoolExecutor() as pool:
            outcomes = sum(pool.map(submit, queues), [])
        self.assertEqual(self.queue.one('select count(*) from job'), outcomes.count('created'))
        spans = self.queue.rows("select count(*) n from job where finished_at is null")
        self.assertEqual(spans[0].n, 0)

    def test_concurrent_submits_of_a_free_key_create_one_job(self):
        [old] = self.submit(self.nightly())
        self.queue.cancel(self.team, old)
        first, second = self.second_queue(), self.second_queue()
        first.connection.execute('begin')
        [made] = first.enqueue(self.nightly())
        with ThreadPoolExecutor() as pool:
            waiting = pool.submit(second.enqueue, self.nightly())
            while not self.queue.one("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"):
                pass
            first.connection.execute('commit')
            [refused] = waiting.result()
        self.assertEqual((made.outcome, refused.outcome, refused.job_id), ('created', 'unique_conflict', made.job_id))

    def test_a_redrive_needs_the_key_too(self):
        [first] = self.submit(self.nightly())
        self.queue.cancel(self.team, first)
        [second] = self.submit(self.nightly())
        self.assertEqual(self.queue.redrive(self.team, first), {first: 'not_unique'})
        self.queue.cancel(self.team, second)
        self.assertEqual(self.queue.redrive(self.team, first, second), {first: 'redriven', second: 'not_unique'})
        self.assertEqual(self.outcomes(self.nightly()), [('unique_conflict', first)])

    def test_keys_of_ended_jobs_are_deleted(self):
        first, second = self.submit(self.nightly(), job(self.team, unique='other'))
        self.queue.cancel(self.team, first)
        expire = lambda: self.queue.call('expire_keys', 'int', 100)
        keys = lambda: [row.key for row in self.queue.rows('select key from unique_key')]
        expire()
        self.assertEqual(len(keys()), 2)
        self.pass_time(3601)
        expire()
        self.assertEqual(keys(), ['other'])


class Whole(QueueCase):
    def test_all_or_nothing(self):
        [held] = self.submit(job(self.team, unique='k'))
        with self.assertRaises(Exception) as raised:
            self.queue.enqueue(job(self.team), job(self.team, unique='k'), whole=True)
        self.assertEqual(raised.exception.sqlstate, 'PLM03')
        self.assertEqual(json.loads(raised.exception.diag.message_detail), [{'ord': 2, 'outcome': 'unique_conflict', 'job_id': str(held)}])
        self.assertEqual(self.queue.one('select count(*) from job'), 1)
        self.assertEqual([row.outcome for row in self.queue.enqueue(job(self.team), job(self.team, unique='l'), whole=True)], ['created'] * 2)


if __name__ == '__main__':
    unittest.main()
