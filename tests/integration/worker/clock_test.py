"""A worker whose machine's clock is a day off, and jumps: leases, times and results follow the database's clock."""

import datetime
import unittest

from engine_case import EngineCase
from wrong_clock import WrongClock

DAY = datetime.timedelta(days=1)
HOUR = datetime.timedelta(hours=1)


class Clock(EngineCase):
    def seen(self):
        return self.queue.one("select seen_at from worker where node = 'engine'")

    def now(self):
        return self.queue.one('select clock_timestamp()')

    def assert_off_by(self, offset, job_id, seq):
        """The worker itself believed so: the task said what its clock showed."""
        [result] = self.queue.rows('select content, finished_at from result where job_id = %s and seq = %s', job_id, seq)
        told = datetime.datetime.fromtimestamp(int(bytes(result.content)) / 1e6, datetime.timezone.utc)
        self.assertLess(abs(told - result.finished_at - offset), HOUR)

    def run_with(self, before, after):
        clock = WrongClock(self.folder / 'offset', f'{before:+}d')
        begin = self.now()
        self.start_host(environment=clock.environment)
        first = self.submit_host(['clock'])
        self.until_state(first, 'succeeded')
        self.assert_off_by(before * DAY, first, 0)
        held = self.submit_host([f'hold {self.folder}', 'clock'], timeout=86400 / 2, deadline=begin + DAY / 2)
        self.until_held()

        clock.jump(f'{after:+}d')
        jumped = self.now()
        self.queue.rows("select pg_notify('plimsoll_worker', id::text) from worker where node = 'engine'")  # it sends a heartbeat at once
        self.until(lambda: self.seen() > jumped, 'it does not beat')
        self.assertLess(self.seen(), self.now() + HOUR)
        # Nothing of it has ended, and nothing will until it is silent for the time of a lease.
        self.assertEqual((self.queue.expire(), self.queue.end_overdue()), (0, []))
        self.queue.now = self.seen() + datetime.timedelta(seconds=14)
        self.assertEqual(self.queue.expire(), 0)
        self.queue.now = None

        self.go()
        self.until_state(held, 'succeeded')
        self.assert_off_by(after * DAY, held, 1)
        self.assertEqual(self.attempts(held), 1)
        for id in (first, held):
            job = self.job(id)
            self.assertTrue(begin <= job.started_at <= job.finished_at <= self.now(), job)
            self.assertEqual(self.event_types(id), ['started', 'finished'])

    def test_a_clock_ahead_that_falls_back(self):
        self.run_with(+1, -1)

    def test_a_clock_behind_that_leaps_ahead(self):
        self.run_with(-1, +1)


if __name__ == '__main__':
    unittest.main()
