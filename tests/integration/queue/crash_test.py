"""The database crashes: claims do not wait for the disk, so it forgets the last ones; what was recorded stays."""

import os
import signal
import unittest

import psycopg

from queue_case import QueueCase
from queue_client import Queue, connect, job


class Crash(QueueCase):
    def setUp(self):
        super().setUp()
        # Else it might bring a claim to the disk in time.
        self.log_writer = self.queue.one("select pid from pg_stat_activity where backend_type = 'walwriter'")
        os.kill(self.log_writer, signal.SIGSTOP)
        self.addCleanup(self.let_log_writer_run)

    def let_log_writer_run(self):
        try:
            os.kill(self.log_writer, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def crash(self):
        """One process dies, and PostgreSQL ends the others and recovers."""
        os.kill(self.second_queue().one('select pg_backend_pid()'), signal.SIGKILL)
        with self.assertRaises(psycopg.OperationalError):
            while True:
                self.queue.one('select 1')
        self.let_log_writer_run()
        while self.queue.connection.closed:
            try:
                self.queue = Queue(connect(), self.moment)
            except psycopg.OperationalError:
                pass  # it recovers
        self.addCleanup(self.queue.connection.close)

    def test_a_forgotten_claim_is_as_if_it_had_never_been(self):
        [job_id] = self.submit(job(self.team, 3))
        forgotten = self.queue.claim(self.cpu, tasks=2)
        self.assertEqual(self.queue.state(job_id), 'running')
        self.crash()
        self.assertEqual(self.queue.state(job_id), 'queued')
        self.assertEqual(self.queue.heartbeat(self.cpu, [forgotten[0].fence]).stale_fences, [forgotten[0].fence])
        self.assertEqual(self.queue.complete(self.cpu, forgotten), ['stale'] * 2)

        # The worst case: another worker's lease has the same number.
        self.queue.rows("select setval('fence_seq', %s, false)", forgotten[0].fence)
        other = self.queue.register('another')
        again = self.queue.claim(other, tasks=2)
        self.assertEqual([(t.fence, t.task, t.attempt) for t in again], [(t.fence, t.task, 1) for t in forgotten])
        self.assertEqual(self.queue.complete(self.cpu, forgotten, content=b'late'), ['stale'] * 2)
        self.assertEqual(self.queue.complete(other, again), ['accepted'] * 2)
        self.assertEqual(self.queue.rows('select distinct content from result where job_id = %s', job_id), [(b'out',)])

        self.queue.complete(other, self.queue.claim(other))
        self.run_merges()
        self.assertEqual(self.queue.state(job_id), 'succeeded')

    def test_a_record_stays_and_its_claim_with_it(self):
        [job_id] = self.submit(job(self.team, 3))
        first, second = self.queue.claim(self.cpu, tasks=1), self.queue.claim(self.cpu, tasks=1)
        self.assertEqual(self.queue.complete(self.cpu, second), ['accepted'])
        self.crash()
        self.assertEqual(self.queue.complete(self.cpu, second), ['replayed'])
        self.assertEqual(self.queue.complete(self.cpu, first), ['accepted'])
        self.assertEqual(self.queue.one('select tasks_left from job where id = %s', job_id), 1)


if __name__ == '__main__':
    unittest.main()
