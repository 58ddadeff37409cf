"""Due times of schedules are handled once, whatever happens between two statements."""

import datetime
import json
import unittest
from concurrent.futures import ThreadPoolExecutor

from queue_case import QueueCase
from queue_client import job

LEASE = datetime.timedelta(seconds=30)


class Schedules(QueueCase):
    def make(self, overlap='skip', team=None, due=0):
        """A schedule whose next time is `due` seconds from the test's beginning."""
        return self.queue.one("""insert into schedule (team_id, user_id, name, spec, cron, time_zone, misfire, misfire_limit, overlap, next_at)
            values (%s, 1, 's' || random(), '{"kind": "test"}', '@hourly', 'UTC', 'once', 10, %s, %s) returning id""",
                              team or self.team, overlap, self.seconds_from_now(due))

    def claim(self, queue=None):
        return (queue or self.queue).call('claim_schedules', 'int interval', 100, LEASE)

    def answer(self, id, due=0, then=3600, way='time', verdict='submit', queue=None, version=1, key=None, kind='test', unique=None, dataset=None, args='{}'):
        """The due time `due` seconds from the beginning is answered, and the next is `then`."""
        at = lambda seconds: None if seconds is None else self.seconds_from_now(seconds)
        return (queue or self.queue).call(
            'run_schedule',
            'bigint int text timestamptz timestamptz timestamptz int text text bigint text bytea text smallint json text jsonb smallint text text '
            'smallint text real text int[] real[] bytea[] bigint float8 float8',
            id, version, way, at(due) if way == 'time' else None, None if way == 'person' else at(due), at(then) if way == 'time' else None, 0,
            verdict, None if verdict == 'submit' else 'why', 2 if way == 'person' else None, key, key and b'f', kind, 1, args, 'made', '{}', 0,
            'cpu', '', 0, '', None, unique, [1, 1], [0.01, 0.01], [b'in', b'in'], dataset, 0.01, 0)[0]

    def runs(self, id):
        return [(r.outcome, r.job_id) for r in self.queue.rows('select * from schedule_run where schedule_id = %s order by due_at', id)]

    def schedule(self, id):
        return self.queue.rows('select * from schedule where id = %s', id)[0]

    def finish(self, job_id):
        self.queue.cancel(self.team, job_id)

    def test_a_due_time_creates_one_job_that_names_it(self):
        id = self.make()
        [claimed] = self.claim()
        self.assertEqual((claimed.id, claimed.due_at, claimed.busy), (id, self.moment, False))
        answered = self.answer(id)
        self.assertEqual(answered.outcome, 'submitted')
        made = self.job(answered.job_id)
        self.assertEqual((made.schedule_id, made.due_at, made.user_id, made.team_id, made.name), (id, self.moment, 1, self.team, 'made'))
        self.assertEqual(self.schedule(id).next_at, self.seconds_from_now(3600))
        self.assertEqual(self.answer(id).outcome, 'changed')
        self.assertEqual(self.claim(), [])
        self.assertEqual(self.queue.one('select count(*) from job'), 1)
        [audited] = self.queue.rows('select action, user_id, data from audit_event where target = %s', str(answered.job_id))
        self.assertEqual((audited.action, audited.user_id, audited.data), ('job.create', 1, {'schedule': self.schedule(id).name}))

    def test_over_three_days_a_run_takes_only_what_is_new(self):
        # A job reads its dataset chunk by chunk, or was planned on the whole of it: then only its arguments name it.
        for by_chunks in (True, False):
            id = self.make()
            self.queue.connection.execute("""update schedule set spec = '{"kind": "test", "args": {"dataset": "new:headlines.csv"}}' where id = %s""", (id,))
            day, seen = 86_400, []
            for night in range(6):
                if night % 2 == 0:
                    data = self.queue.one("""insert into dataset (team_id, user_id, name, format, state, bytes_total, bytes_received, columns, records, chunks)
                        values (%s, 1, 'headlines.csv', 'csv', 'ready', 10, 10, '{headline}', 2, 1) returning id""", self.team)
                    self.queue.connection.execute("insert into dataset_chunk values (%s, 0, %s, 0, 2, 0, 10, 'gzip')", (data, self.team))
                self.queue.now = self.seconds_from_now(night * day)
                self.queue.rows('select ensure_partitions(0, %s)', self.queue.now)
                given = {'dataset': data if by_chunks else None, 'args': json.dumps({'dataset': f'data_{data}'})}
                answered = self.answer(id, night * day, (night + 1) * day, **given)
                self.assertEqual(answered.outcome, 'skipped' if night % 2 else 'submitted', night)
                if answered.job_id:
                    seen.append(data)
                    self.assertEqual(self.job(answered.job_id).dataset_id, given['dataset'])
                    self.finish(answered.job_id)
            self.assertEqual(len(set(seen)), 3)
            self.assertEqual(self.queue.rows("select distinct reason from schedule_run where outcome = 'skipped'")[0].reason, 'The dataset has no new version.')
            self.assertEqual(self.answer(id, 6 * day, way='person', **given).outcome, 'submitted', 'whoever asks gets it')

    def test_runs_of_a_disabled_owner_fail(self):
        id = self.make()
        self.queue.rows("insert into app_user (id, name, disabled_at) overriding system value values (1, 'Ada', clock_timestamp()) returning id")
        self.assertEqual(self.answer(id).outcome, 'failed')
        self.assertEqual(self.queue.one('select reason from schedule_run where schedule_id = %s', id), 'Its owner is disabled: whoever saves the schedule takes it over.')
        self.assertEqual(self.answer(id, way='person').outcome, 'submitted', 'as whoever asks')

    def test_a_claim_is_one_servers_until_its_lease_ends(self):
        id = self.make()
        self.assertEqual(len(self.claim()), 1)
        other = self.second_queue('plimsoll_app')
        self.assertEqual(self.claim(other), [])
        other.now = self.seconds_from_now(31)
        self.assertEqual([c.id for c in self.claim(other)], [id])
        # The first one, not dead but slow, answers too.
        outcomes = sorted((self.answer(id).outcome, self.answer(id, queue=other).outcome))
        self.assertEqual(outcomes, ['changed', 'submitted'])

    def test_many_servers_at_once_make_one_job_per_due_time(self):
        ids = [self.make('allow') for _ in range(10)]
        queues = [self.second_queue('plimsoll_app') for _ in range(6)]

        def serve(queue):
            return [self.answer(id, hour * 3600, hour * 3600 + 3600, queue=queue).outcome for hour in range(5) for id in ids]

        with ThreadPoolExecutor() as pool:
            outcomes = sum(pool.map(serve, queues), [])
        made = outcomes.count('submitted')
        self.assertEqual(set(outcomes), {'submitted', 'changed'})
        self.assertEqual(self.queue.one('select count(*) from job'), made)
        self.assertEqual(self.queue.rows('select schedule_id, due_at from job group by 1, 2 having count(*) > 1'), [])
        self.assertEqual(self.queue.one("select count(*) from schedule_run where outcome = 'submitted'"), made)
        self.assertTrue(all(self.schedule(id).next_at > self.moment for id in ids))

    def test_a_server_that_dies_before_its_commit_stores_nothing(self):
        id = self.make()
        dying = self.second_queue()
        dying.connection.execute('begin')
        self.assertEqual(self.answer(id, queue=dying).outcome, 'submitted')
        self.queue.one('select pg_terminate_backend(%s)', dying.connection.info.backend_pid)
        self.assertEqual(self.answer(id).outcome, 'submitted')
        self.assertEqual(self.queue.one('select count(*) from job'), 1)

    def test_overlap_skip(self):
        id = self.make('skip')
        first = self.answer(id).job_id
        self.pass_time(3600)
        [claimed] = self.claim()
        self.assertTrue(claimed.busy)
        self.assertEqual(self.answer(id, 3600, 7200, verdict='busy').outcome, 'skipped')
        self.finish(first)
        self.assertEqual(self.answer(id, 7200, 10800).outcome, 'submitted')
        self.assertEqual([outcome for outcome, _ in self.runs(id)], ['submitted', 'skipped', 'submitted'])

    def test_overlap_allow(self):
        id = self.make('allow')
        self.assertEqual([self.answer(id, h * 3600, h * 3600 + 3600).outcome for h in range(3)], ['submitted'] * 3)

    def test_overlap_cancel(self):
        id = self.make('cancel')
        first = self.answer(id).job_id
        second = self.answer(id, 3600, 7200).job_id
        self.assertEqual(self.queue.call('cancel_overlapped', '')[0].job_id, first)
        self.assertEqual(self.queue.call('cancel_overlapped', ''), [])
        self.assertEqual((self.queue.state(first), self.queue.state(second)), ('cancelled', 'queued'))

    def test_overlap_queue_waits_in_order(self):
        id = self.make('queue')
        first = self.answer(id).job_id
        for hour in range(1, 13):
            self.answer(id, hour * 3600, hour * 3600 + 3600, verdict='busy')
        self.assertEqual([outcome for outcome, _ in self.runs(id)], ['submitted'] + ['waiting'] * 10 + ['skipped'] * 2)
        self.assertEqual(self.claim(), [])  # nothing may go yet
        self.assertEqual(self.answer(id, 3600, way='waiting').outcome, 'changed')
        self.finish(first)
        [claimed] = self.claim()
        self.assertEqual((claimed.waiting_at, claimed.due_at), (self.seconds_from_now(3600), None))
        self.assertEqual(self.answer(id, 3600, way='waiting').outcome, 'submitted')
        self.assertEqual(self.answer(id, 3600, way='waiting').outcome, 'changed')
        self.assertEqual(self.answer(id, 7200, way='waiting').outcome, 'changed')  # the second runs
        self.assertEqual(self.queue.one('select count(*) from job'), 2)
        # A time that comes now stands behind those that wait.
        self.finish(self.runs(id)[1][1])
        self.assertEqual(self.answer(id, 13 * 3600, 14 * 3600).outcome, 'waiting')

    def test_a_job_that_cannot_be_submitted_is_a_failed_run(self):
        id = self.make()
        self.assertEqual(self.answer(id, verdict='failed').outcome, 'failed')
        self.assertEqual(self.answer(id, 3600, 7200, verdict='missed').outcome, 'missed')
        self.submit(job(self.team, unique='taken'))
        self.assertEqual(self.answer(id, 7200, 10800, unique='taken').outcome, 'failed')
        self.assertEqual([r.reason for r in self.queue.rows('select reason from schedule_run order by due_at')],
                         ['why', 'why', 'Another job with the same unique key has not finished.'])
        self.assertEqual(self.schedule(id).next_at, self.seconds_from_now(10800))

    def test_a_manual_run_ignores_other_runs_and_happens_once_per_key(self):
        id = self.make('skip', due=3600)
        first = self.answer(id, way='person', key='k')
        again = self.answer(id, way='person', key='k')
        self.assertEqual((first.outcome, again.outcome, again.job_id, again.due_at), ('submitted', 'replayed', first.job_id, first.due_at))
        second = self.answer(id, way='person')  # in the same microsecond
        self.assertEqual(second.outcome, 'submitted')
        self.assertGreater(second.due_at, first.due_at)
        self.assertEqual(self.job(second.job_id).user_id, 2)
        self.assertEqual(self.schedule(id).next_at, self.seconds_from_now(3600))
        self.queue.rows("update schedule set paused_at = now(), next_at = null where id = %s returning id", id)
        self.assertEqual(self.answer(id, way='person').outcome, 'submitted')

    def test_a_changed_paused_or_deleted_schedule_does_nothing(self):
        id = self.make()
        self.queue.rows('update schedule set version = 2 where id = %s returning id', id)
        self.assertEqual(self.answer(id).outcome, 'changed')
        self.queue.rows('update schedule set next_at = %s where id = %s returning id', self.seconds_from_now(1), id)
        self.assertEqual(self.answer(id, version=2).outcome, 'changed')
        self.queue.rows('update schedule set paused_at = now(), next_at = null where id = %s returning id', id)
        self.assertEqual((self.claim(), self.answer(id, version=2).outcome), ([], 'changed'))
        self.queue.rows('delete from schedule where id = %s returning id', id)
        self.assertEqual(self.answer(id, version=2).outcome, 'changed')
        self.assertEqual(self.queue.one('select count(*) from job'), 0)

    def test_a_repeated_time_is_not_handled_twice(self):
        id = self.make('allow')
        self.answer(id)
        self.queue.rows('update schedule set next_at = %s where id = %s returning id', self.moment, id)
        self.assertEqual(self.answer(id).outcome, 'changed')
        self.assertEqual(self.schedule(id).next_at, self.seconds_from_now(3600))
        self.assertEqual(self.queue.one('select count(*) from job'), 1)

    def test_history_is_bounded(self):
        id = self.make('allow')
        for n in range(230):
            self.answer(id, n * 60, n * 60 + 60, verdict='missed')
        self.assertEqual(len(self.runs(id)), 201)

    def test_a_team_sees_its_own_and_nothing_of_others(self):
        id = self.make()
        self.make(team=self.other_team)
        self.answer(id)
        app = self.second_queue('plimsoll_app')
        app.connection.execute('begin')
        app.rows("select set_config('app.team_id', %s, true)", str(self.team))
        self.assertEqual([r.id for r in app.rows('select id from schedule')], [id])
        self.assertEqual([r.schedule_id for r in app.rows('select schedule_id from schedule_run')], [id])
        [shown] = app.rows('select schedule_id, schedule_name from read_jobs(array(select id from job))')
        self.assertEqual(shown.schedule_id, id)
        app.connection.execute('rollback')
        self.assertEqual(app.rows('select id from schedule'), [])
        for forbidden in ('insert into schedule_run values (1)', 'delete from schedule_run', 'update schedule set team_id = 1'):
            with self.assertRaisesRegex(Exception, 'permission denied'):
                app.rows(forbidden)

    def test_a_job_that_has_been_deleted_does_not_count_as_running(self):
        id = self.make()
        made = self.answer(id).job_id
        self.finish(made)
        self.assertEqual(self.queue.one('select outcome from delete_jobs(%s, array[%s::bigint])', self.team, made), 'deleted')
        self.assertEqual(self.answer(id, 3600, 7200).outcome, 'submitted')


if __name__ == '__main__':
    unittest.main()
