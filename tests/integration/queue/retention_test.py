"""Partitions of days are created ahead, and dropped when they are old and have no unfinished jobs."""

import datetime
import unittest

from queue_case import QueueCase
from queue_client import job


class Retention(QueueCase):
    def setUp(self):
        super().setUp()
        while self.retain(0):
            pass

    def on_day(self, days_ago):
        """The queue's functions see this time from now on."""
        self.queue.now = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=days_ago)
        self.queue.rows('select ensure_partitions(0, %s)', self.queue.now)
        self.cpu, self.host = self.queue.register('cpu'), self.queue.register('host', 'host')

    def run_all(self):
        while tasks := self.queue.claim(self.cpu):
            self.queue.complete(self.cpu, tasks)
            self.run_merges()

    def retain(self, days):
        return [row.outcome for row in self.queue.rows('select * from apply_retention(%s)', days)]

    def partitions(self, table='job'):
        return self.queue.one("select count(*) from pg_inherits where inhparent = %s::regclass", table)

    def test_partitions_are_made_once_and_ahead(self):
        before = self.partitions()
        now = self.seconds_from_now(40 * 86400)
        self.assertEqual(self.queue.one('select ensure_partitions(2, %s)', now), 3 * 10)
        self.assertEqual(self.queue.one('select ensure_partitions(2, %s)', now), 0)
        self.assertEqual(self.partitions(), before + 3)
        with self.assertRaisesRegex(Exception, 'no partition') as raised:
            self.queue.now = self.seconds_from_now(400 * 86400)
            self.queue.enqueue(job(self.team))
        self.assertEqual(raised.exception.sqlstate, '23514')

    def test_an_id_names_its_day(self):
        self.on_day(5)
        [id] = self.submit(job(self.team))
        self.assertEqual(datetime.date(1970, 1, 1) + datetime.timedelta(days=id >> 40), self.queue.now.date())
        self.run_all()

    def test_no_plan_takes_another_tables_name_for_a_day(self):
        self.queue.connection.execute('set enable_nestloop = off')  # as the statistics of 400 days have it
        self.addCleanup(self.queue.connection.execute, 'reset enable_nestloop')
        self.on_day(12)
        self.assertEqual(self.retain(9), ['dropped'])

    def test_old_days_are_dropped_one_per_call_and_unfinished_jobs_keep_theirs(self):
        for days in (12, 11, 10):
            self.on_day(days)
            [id] = self.submit(job(self.team, kind='nobody runs this' if days == 11 else 'test'))
            if days == 11:
                held = id
            self.run_all()
        self.assertEqual(self.retain(9), ['dropped'])
        self.assertEqual(self.retain(9), ['unfinished', 'dropped'])
        self.assertEqual(self.retain(9), ['unfinished'])
        self.assertEqual([r.id for r in self.queue.rows('select id from job')], [held])
        self.queue.cancel(self.team, held)
        self.assertEqual((self.retain(9), self.retain(9)), (['dropped'], []))
        self.assertEqual(self.partitions('task_log'), self.partitions())

    def test_times_of_jobs_are_deleted_with_them(self):
        self.on_day(12)
        far = self.queue.now + datetime.timedelta(days=90)
        self.submit(job(self.team, deadline=far, timeout=9e6))
        self.run_all()
        self.on_day(8)
        deleted, kept = self.submit(job(self.team, deadline=far, timeout=9e6), job(self.team, deadline=far))
        self.run_all()
        self.assertEqual(self.queue.one('select count(*) from overdue'), 5)
        self.assertEqual(self.retain(9), ['dropped'])
        self.assertEqual({r.job_id for r in self.queue.rows('select job_id from overdue')}, {deleted, kept})
        self.queue.rows('select outcome from delete_jobs(%s, array[%s::bigint])', self.team, deleted)
        self.assertEqual([r.job_id for r in self.queue.rows('select job_id from overdue')], [kept])

    def test_a_drop_does_not_wait(self):
        self.on_day(20)
        self.submit(job(self.team))
        self.run_all()
        reader = self.second_queue()
        with reader.connection.transaction():
            reader.rows('select count(*) from job')
            self.assertEqual(self.retain(15), ['busy'])
        self.assertEqual(self.retain(15), ['dropped'])


if __name__ == '__main__':
    unittest.main()
