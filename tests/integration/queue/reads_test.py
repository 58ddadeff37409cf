"""How much the queue's functions read, in blocks instead of time, which reveals functions that read more than their own
rows."""

import pathlib
import re
import statistics
import unittest

from queue_case import QueueCase
from queue_client import job

QUERIES = pathlib.Path(__file__).resolve().parents[3] / 'server/postgres/queries'
BEAT_EVERY = 100  # rounds: about what a busy worker does between two beats


class Reads(QueueCase):
    def blocks(self, sql, *values):
        [[plan]] = self.queue.rows('explain (analyze, buffers, timing off, format json) select ' + sql, *values)[0]
        return plan['Plan']['Shared Hit Blocks'] + plan['Plan']['Shared Read Blocks']

    def blocks_of_completing(self, fence, jobs):
        """Of the first task of each job, one item each."""
        return self.blocks("""complete_each(%s, %s, %s, j, array_fill(0, n), array_fill('done'::text, n), array_fill('x'::bytea, n), array_fill('x'::bytea, n),
            array_fill(1, n), array_fill(0, n), array_fill(0.01::real, n), array_fill(null::text, n), array_fill(null::real, n), %s)
            from (select %s::bigint[] j, array[%s] n) x""", *self.cpu, fence, self.queue.now, jobs, len(jobs))


class Snapshot(Reads):
    """An old snapshot keeps every dead row: what is read must not grow with them."""

    def setUp(self):
        super().setUp()
        holder = self.second_queue()
        holder.connection.execute('begin isolation level repeatable read')
        holder.rows('select count(*) from job')
        self.idle = self.queue.register('idle', kinds=['other:1'])

    def rounds(self, count):
        """Tasks from their submit to their record, one by one: each leaves a dead lease."""
        for n in range(count):
            self.submit(job(self.team, merge=False))
            self.queue.complete(self.cpu, self.queue.claim(self.cpu))
            if n % BEAT_EVERY == 0:
                self.queue.heartbeat(self.cpu)
        self.queue.heartbeat(self.cpu)

    def life(self, beat):
        """Blocks that one task's calls read, with or without a heartbeat while it runs."""
        [id] = self.submit(job(self.team, merge=False))
        counts = {'idle claim': self.blocks('claim(%s, %s, p_now => %s)', *self.idle, self.queue.now), 'claim': self.blocks('claim(%s, %s, p_now => %s)', *self.cpu, self.queue.now)}
        fence = self.queue.one('select max(fence) from lease')
        counts['reading'] = self.blocks("read_lease(%s, %s, '{}')", *self.cpu)
        counts['reading after a claim of nothing'] = self.blocks('read_lease(%s, %s, %s)', *self.cpu, [fence])
        if beat:
            counts['beat'] = self.blocks("heartbeat(%s, %s, %s, '{}', '{}', p_now => %s)", *self.cpu, [fence], self.queue.now)
        counts['complete'] = self.blocks_of_completing(fence, [id])
        [id] = self.submit(job(self.team, merge=False))
        counts['cancel'] = self.blocks('cancel_job(%s, %s)', self.team, id)
        return counts

    def medians(self):
        """Of a worker that is never seen with a lease by a beat, and of one that always is."""
        found = {}
        for beat in (False, True):
            lives = [self.life(beat) for _ in range(15)]
            found |= {(name, beat): statistics.median(life[name] for life in lives) for name in lives[0]}
        return found

    def test_the_cost_of_a_task_does_not_grow_with_dead_rows(self):
        self.rounds(300)  # by now the indexes have the height that they keep
        early = self.medians()
        self.rounds(1200)
        self.queue.connection.execute('analyze')  # the planner learns that few rows live, not how many dead ones stand between them
        late = self.medians()
        for name, blocks in early.items():
            with self.subTest(name):
                self.assertLess(late[name], 1.25 * blocks)


class Span(Reads):
    def test_other_jobs_between_those_of_a_claim_cost_nothing(self):
        """Nor does it matter that plans were made while there was hardly a job."""
        paused = self.queue.make_team('paused')
        self.queue.rows("select set_account(%s, 'cpu', null, null, true)", paused)

        def life(between):
            [first] = self.submit(job(self.team))
            for _ in range(between // 250):
                self.submit(*(job(paused) for _ in range(250)))
            [last] = self.submit(job(self.other_team))
            claim = self.blocks('claim(%s, %s, p_now => %s)', *self.cpu, self.queue.now)
            [lease] = self.queue.rows('select fence, jobs from lease')
            self.assertEqual(set(lease.jobs), {first, last})
            return claim, self.blocks_of_completing(lease.fence, lease.jobs)

        for _ in range(3):  # the first calls read the catalogue, too
            near = life(0)
        far = life(5000)
        for name, few, many in zip(('claim', 'complete'), near, far):
            with self.subTest(name):
                self.assertLess(many, 1.5 * few)


class Lists(QueueCase):
    """A page of some of a team's jobs costs the page, however many others the team has."""

    def setUp(self):
        super().setUp()
        self.app = self.second_queue('plimsoll_app')

    def tearDown(self):
        self.queue.connection.execute('truncate job, job_standing, job_label')  # rows of history() never were in the queue
        super().tearDown()

    def history(self, count):
        """So many jobs that succeeded; every thousandth failed, was of another kind, or has other labels."""
        self.queue.rows("""
            with numbers as (select n, nextval('job_seq') id from generate_series(0, %s - 1) n)
            insert into job (id, team_id, user_id, kind, kind_version, labels, args, device_class, lane_id, priority, merge, state, created_at,
              finished_at, items_total, items_ok, tasks_total, tasks_left)
            select (day_of(%s)::bigint << 40) + id, %s, 1, case n %% 1000 when 500 then 'rare' else 'test' end, 1,
              case n %% 1000 when 250 then '{"desk": "rates"}' when 750 then '{"desk": "energy", "run": "7"}' else '{"desk": "energy"}' end::jsonb,
              '{}', 'cpu', 1, 0, true, case n %% 1000 when 0 then 'failed' else 'succeeded' end, %s, %s, 1, 1, 1, 0
            from numbers returning 1""", count, self.moment, self.team, self.moment, self.moment)
        self.queue.connection.execute("insert into job_standing select team_id, state, id from job where state = 'failed'")
        self.queue.connection.execute('vacuum analyze job, job_standing, job_label')

    def page(self, **filters):
        """The blocks that a page reads, and its jobs."""
        standing = filters.get('state') if filters.get('state') != 'succeeded' else None
        name = 'list_labelled' if 'key' in filters else 'list_standing' if standing else 'list'
        [text] = re.findall(rf'^-- name: jobs\.{name}\n((?:.+\n)+)', (QUERIES / 'jobs.sql').read_text(), flags=re.M)
        values = [None, filters.get('kind'), filters.get('state'), 6, standing or filters.get('key'), filters.get('value')]
        text = re.sub(r'\$([1-6])', lambda found: 'null' if values[int(found[1]) - 1] is None else f"'{values[int(found[1]) - 1]}'", text)
        text = re.sub(r'^--.*\n', '', text, flags=re.M).rstrip().rstrip(';')
        with self.app.connection.transaction():
            self.app.rows("select set_config('app.team_id', %s, true)", str(self.team))
            [[plan]] = self.app.rows('explain (analyze, buffers, timing off, format json) ' + text.replace('%', '%%'))[0]
            found = self.app.rows(text.replace('%', '%%'))
        return plan['Plan']['Shared Hit Blocks'] + plan['Plan']['Shared Read Blocks'], found

    def test_failed_jobs_and_those_of_a_kind_are_found_without_the_others(self):
        self.history(8000)
        for filters in ({'state': 'failed'}, {'kind': 'rare'}, {'state': 'succeeded'}, {'state': 'cancelled'}, {}):
            with self.subTest(filters):
                blocks, found = self.page(**filters)
                self.assertEqual(len(found), 0 if filters.get('state') == 'cancelled' else 6)
                self.assertTrue(all(getattr(row, name) == value for row in found for name, value in filters.items()))
                self.assertLess(blocks, 60)

    def test_jobs_with_a_label_are_found_without_the_others(self):
        self.history(8000)
        for filters, count in (({'key': 'desk', 'value': 'rates'}, 6), ({'key': 'desk', 'value': 'energy'}, 6), ({'key': 'desk'}, 6),
                               ({'key': 'run'}, 6), ({'key': 'run', 'value': '7'}, 6), ({'key': 'run', 'value': '8'}, 0),
                               ({'key': 'desk', 'value': 'rates', 'state': 'succeeded'}, 6)):
            with self.subTest(filters):
                blocks, found = self.page(**filters)
                self.assertEqual(len(found), count)
                self.assertEqual([row.id for row in found], sorted((row.id for row in found), reverse=True))
                for row in found:
                    self.assertIn(row.labels[filters['key']], [filters.get('value', row.labels[filters['key']])])
                self.assertLess(blocks, 100)

    def test_what_was_done_to_an_object_is_found_without_the_others(self):
        [text] = re.findall(r'^-- name: audit\.of_target\n((?:.+\n)+)', (QUERIES / 'audit.sql').read_text(), flags=re.M)
        values = ['null::bigint', '6', 'null', 'null', 'null', 'null', 'null', str(self.team)]
        text = re.sub(r'\$([1-8])', lambda found: values[int(found[1]) - 1], text).replace('%', '%%').rstrip().rstrip(';')
        submitted = self.submit(job(self.team)) + self.submit(job(self.team), job(self.team), job(self.other_team))
        self.queue.connection.execute("""
            insert into audit_event (team_id, user_id, action, target, data, first_job, last_job)
            select %s, 1, 'job.create', case n %% 2 when 0 then n::text end,
              case n %% 2 when 0 then '{}' else json_build_object('jobs', array[n::text, (n + 1)::text])::jsonb end, n, case n %% 2 when 1 then n + 1 end
            from generate_series(1, 20000) n""", (self.team,))
        self.queue.connection.execute('vacuum analyze audit_event')
        for target, count in ((submitted[0], 1), (submitted[1], 1), (submitted[2], 1), (submitted[3], 0), (1000, 2), ('diana', 0)):
            with self.subTest(target), self.app.connection.transaction():
                self.app.rows("select set_config('app.team_id', %s, true)", str(self.team))
                sql = text.replace('$9', f"'{target}'::text")
                self.assertEqual(len(self.app.rows(sql)), count)
                [[plan]] = self.app.rows('explain (analyze, buffers, timing off, format json) ' + sql)[0]
                self.assertLess(plan['Plan']['Shared Hit Blocks'] + plan['Plan']['Shared Read Blocks'], 200)

    def test_labels_follow_their_job(self):
        """In what a page of them shows: through a submit, a change, and the end of the job."""
        [id] = self.submit(job(self.team, labels='{"desk": "energy", "run": "7"}'))

        def found(key, value):
            return [row.id for row in self.page(key=key, value=value)[1]]

        self.assertEqual((found('desk', 'energy'), found('run', '7')), ([id], [id]))
        with self.app.connection.transaction():
            self.app.rows("select set_config('app.team_id', %s, true)", str(self.team))
            self.app.rows("""update job set labels = '{"desk": "rates"}' where id = %s returning 1""", id)
        self.assertEqual((found('desk', 'energy'), found('run', '7'), found('desk', 'rates')), ([], [], [id]))
        self.queue.rows('select cancel_job(%s, %s)', self.team, id)
        self.queue.rows('select outcome from delete_jobs(%s, array[%s::bigint])', self.team, id)
        self.assertEqual(self.queue.one('select count(*) from job_label'), 0)

    def test_labels_of_another_team_are_not_seen(self):
        self.submit(job(self.other_team, labels='{"desk": "energy"}'))
        self.assertEqual(self.page(key='desk')[1], [])


if __name__ == '__main__':
    unittest.main()
