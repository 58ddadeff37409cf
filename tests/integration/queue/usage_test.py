"""Usage by team, user, kind, model and hour equals charges, however tasks and jobs end."""

import datetime
import unittest

from queue_case import QueueCase
from queue_client import job, task


class Usage(QueueCase):
    def fold(self, limit=1000):
        while self.queue.one('select fold_usage(%s)', limit) == limit:
            pass

    def usage(self, *by, team=None):
        far = datetime.timedelta(days=1000)
        return self.queue.rows('select * from read_usage(%s, %s, %s, %s, 1000)', team, self.moment - far, self.moment + far, list(by))

    def charged(self):
        return self.queue.one('select sum(charged_seconds) from job')

    def run_all(self, **result):
        while tasks := self.queue.claim(self.cpu):
            self.queue.complete(self.cpu, tasks, **result)
            self.run_merges()

    def assert_counted(self, seconds):
        [row] = self.usage()
        self.assertAlmostEqual(row.seconds, seconds, delta=1e-9 * seconds)
        return row

    def test_sums_follow_the_requested_dimensions(self):
        self.submit(job(self.team, 3, user=1), job(self.team, 2, user=2, kind='other'), job(self.other_team, user=1))
        self.cpu = self.queue.register('cpu', kinds=('test:1', 'other:1'))
        self.host = self.queue.register('host', 'host', kinds=('test:1', 'other:1'))
        self.run_all(seconds=2.0)
        self.assertEqual(self.usage(), [])
        self.fold()
        merge = lambda tasks: 0.001 + 0.0002 * tasks  # is charged too, and is no task of anybody's input
        by = {(r.team_id, r.user_id, r.kind): (r.tasks, r.items, r.jobs, round(r.seconds, 6)) for r in self.usage('team', 'user', 'kind')}
        self.assertEqual(by, {(self.team, 1, 'test'): (3, 3, 1, round(6 + merge(3), 6)), (self.team, 2, 'other'): (2, 2, 1, round(4 + merge(2), 6)),
                              (self.other_team, 1, 'test'): (1, 1, 1, round(2 + merge(1), 6))})
        [row] = self.usage('kind', team=self.other_team)
        self.assertEqual((row.team_id, row.user_id, row.kind, row.tasks), (None, None, 'test', 1))
        self.assertEqual({r.team_name for r in self.usage('team')}, {'first', 'second'})
        self.assertEqual(self.assert_counted(self.charged()).jobs, 3)

    def test_lanes_are_distinguished_by_model(self):
        self.submit(job(self.team, 2, model='finbert 0123'), job(self.team, 3), job(self.team, 1, model='finbert 0123'))
        self.run_all(seconds=1.0)
        self.fold()
        by = {r.model: (r.tasks, r.jobs) for r in self.usage('model')}
        self.assertEqual(by, {'finbert 0123': (3, 2), '': (3, 1)})
        self.assertEqual([r.model for r in self.usage('kind')], [None])

    def test_retries_and_dead_workers_are_counted_as_they_are_charged(self):
        [id] = self.submit(job(self.team, [task(5, 1.0)] * 4))
        tasks = self.queue.claim(self.cpu)
        self.queue.complete(self.cpu, tasks[:1], 'retry', seconds=7.0, error='once more')
        self.fold()
        self.assert_counted(7.0)
        self.cpu = self.queue.register('cpu')  # it died: what it held is charged by the estimate
        self.fold()
        self.assert_counted(7.0 + 3.0)
        for _ in range(2):
            self.fold()  # the same again, and nothing new
        self.run_all(seconds=0.5)
        self.fold(limit=1)
        row = self.assert_counted(self.charged())
        self.assertEqual((row.tasks, row.items, row.jobs, self.queue.state(id)), (4, 20, 1, 'succeeded'))

    def test_a_redrive_counts_what_it_adds(self):
        [id] = self.submit(job(self.team, [task(5, 1.0)] * 2))
        tasks = self.queue.claim(self.cpu)
        self.queue.complete(self.cpu, tasks[:1], 'final', seconds=2.0, error='broken')
        self.queue.complete(self.cpu, tasks[1:], seconds=1.0)
        self.run_merges()
        self.fold()
        self.assertEqual(self.usage()[0].tasks, 1)
        self.queue.redrive(self.team, id)
        self.run_all(seconds=4.0)
        self.fold()
        row = self.assert_counted(self.charged())
        self.assertEqual((row.tasks, row.items, row.jobs), (2, 10, 1))

    def test_the_usage_of_a_cancelled_job_is_counted(self):
        [id] = self.submit(job(self.team, [task(1, 1.0)] * 2))
        tasks = self.queue.claim(self.cpu)
        self.queue.cancel(self.team, id)
        self.queue.complete(self.cpu, tasks, seconds=1.5)
        self.fold()
        row = self.assert_counted(3.0)
        self.assertEqual((row.tasks, self.queue.state(id)), (0, 'cancelled'))

    def test_usage_outlives_deleted_jobs_and_dropped_days(self):
        self.queue.now = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=20)
        self.queue.rows('select ensure_partitions(0, %s)', self.queue.now)
        self.cpu, self.host = self.queue.register('cpu'), self.queue.register('host', 'host')
        first, second = self.submit(job(self.team, 2), job(self.team, 3))
        self.run_all(seconds=1.0)
        charged = self.charged()
        # Neither has been counted yet.
        self.assertEqual(self.queue.one('select outcome from delete_jobs(%s, array[%s::bigint])', self.team, first), 'deleted')
        while self.queue.rows("select from apply_retention(10) where outcome = 'dropped'"):
            pass
        self.assertEqual(self.queue.one('select count(*) from job'), 0)
        self.assertEqual(self.assert_counted(charged).tasks, 5)
        self.fold()  # touches of jobs that are gone
        self.assert_counted(charged)

    def test_a_completion_that_commits_late_is_counted_then(self):
        self.submit(job(self.team, 2, merge=True))
        tasks = self.queue.claim(self.cpu)
        late = self.second_queue()
        with late.connection.transaction():
            late.complete(self.cpu, tasks[:1], seconds=1.0)
            self.fold()
            self.assertEqual(self.usage(), [])
        self.queue.complete(self.cpu, tasks[1:], seconds=2.0)
        self.fold()
        self.assert_counted(3.0)

    def test_hours_days_and_months_are_those_of_utc(self):
        ids = self.submit(*[job(self.team, 1) for _ in range(3)])
        self.run_all(seconds=1.0)
        self.queue.connection.execute('delete from usage_touch')
        self.queue.connection.execute("""insert into usage_touch select at::timestamptz, array[id] from unnest(%s::text[], %s::bigint[]) u(at, id)""",
                                      (['2026-03-31 23:10+00', '2026-03-31 23:59:59.9+00', '2026-04-01 00:00+00'], ids))
        self.queue.connection.execute("set time zone 'Asia/Kolkata'")
        self.fold()
        starts = lambda part: [r.start.astimezone(datetime.timezone.utc).isoformat() for r in self.usage(part)]
        self.assertEqual(starts('hour'), ['2026-03-31T23:00:00+00:00', '2026-04-01T00:00:00+00:00'])
        self.assertEqual(starts('day'), ['2026-03-31T00:00:00+00:00', '2026-04-01T00:00:00+00:00'])
        self.assertEqual(starts('month'), ['2026-03-01T00:00:00+00:00', '2026-04-01T00:00:00+00:00'])

    def test_hours_are_deleted_after_their_time(self):
        for days in (401, 399):
            self.queue.connection.execute("""insert into usage_hour values (%s, date_trunc('hour', now()) - make_interval(days => %s), 1, 'test', '', 1, 1, 1, 1)""",
                                          (self.team, days))
        self.assertEqual(self.queue.one('select forget_usage(400)'), 1)
        self.assertEqual(self.usage()[0].tasks, 1)

    def test_a_team_sees_its_own_rows_only(self):
        self.queue.connection.execute("insert into usage_hour select unnest(%s::bigint[]), now(), 1, 'test', '', 1, 1, 1, 1", ([self.team, self.other_team],))
        app = self.second_queue('plimsoll_app')
        self.assertRaisesRegex(Exception, 'permission denied', app.rows, 'select * from usage_hour')


if __name__ == '__main__':
    unittest.main()
