"""Several `serve` processes on one database: each duty runs once, and if its server is killed, another takes over."""

import itertools
import json
import os
import signal
import unittest
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

from harness import PATIENCE, Server
from queue_case import QueueCase
from queue_client import job, task, url_for

APP = url_for('plimsoll_app')
LONG = 'PLIMSOLL_LONG_TESTS' in os.environ
EARLIER = "clock_timestamp() - interval '1 minute'"
# What stands in a duty's way, so that it can be met in the middle.
CLASS = 'select lock_class(id) from device_class where name = $$host$$'
HOURS = 'lock table usage_hour in exclusive mode'

# For one duty: what makes it due, whether it was done, and that it was done once.
Work = namedtuple('Work', 'due done check')


class Duties(QueueCase):
    def setUp(self):
        super().setUp()
        self.change('truncate schedule cascade')
        self.change("update worker set seen_at = 'infinity'")  # they send no heartbeats
        self.servers, self.numbers = {}, itertools.count()

    def start(self, name):
        server = Server(database__url=f'{APP}&application_name={name}', engine__local='false')
        self.addCleanup(server.remove)
        self.servers[name] = server.start()

    def start_all(self, *names):
        with ThreadPoolExecutor() as pool:
            list(pool.map(self.start, names))

    def assert_no_failures(self):
        for server in self.servers.values():
            self.assertNotIn('a duty failed', ''.join(server.log))

    def until(self, condition, what):
        """Looks again and again, as the servers do; answers what the condition answered."""
        for _ in range(PATIENCE * 10):
            if found := condition():
                return found
            self.queue.rows('select pg_sleep(0.1)')
        self.fail(f'{what}\n' + '\n'.join(''.join(server.log[-20:]) for server in self.servers.values()))

    def change(self, sql, *values):
        self.queue.connection.execute(sql, values or None)

    def host_job(self, **given):
        """A job of a kind that no other test's worker takes."""
        kind = f'kind {next(self.numbers)}'
        [id] = self.submit(job(self.team, given.pop('tasks', 2), kind=kind, device_class='host', **given))
        return id, kind

    def claim_all(self, kind):
        worker = self.queue.register(f'device of {kind}', 'host', kinds=[f'{kind}:1'])
        self.change("update worker set seen_at = 'infinity' where id = %s", worker.worker_id)
        return worker, self.queue.claim(worker)

    def silent_worker(self):
        id, kind = self.host_job()
        worker, tasks = self.claim_all(kind)
        self.assertEqual(len(tasks), 2)

        def check():
            self.assertEqual(self.queue.rows('select seq, attempt, outcome from attempt where job_id = %s order by seq', id),
                             [(0, 1, 'worker_lost'), (1, 1, 'worker_lost')])
            self.assertEqual(self.queue.rows('select task, attempt, crashes from ready where job_id = %s order by task', id), [(0, 1, 0), (1, 1, 0)])
        return Work(lambda: self.change(f'update worker set seen_at = {EARLIER} where id = %s', worker.worker_id),
                    lambda: self.queue.one("select state = 'lost' from worker where id = %s", worker.worker_id), check)

    def due_job(self):
        id, _ = self.host_job(run_at=self.seconds_from_now(86400))

        def check():
            self.assertEqual(self.event_types(id), ['queued'])
            self.assertEqual(self.queue.rows('select task from ready where job_id = %s order by task', id), [(0,), (1,)])
        return Work(lambda: self.change(f'update scheduled set run_at = {EARLIER} where job_id = %s', id),
                    lambda: self.queue.state(id) == 'queued', check)

    def overdue_job(self):
        id, _ = self.host_job(deadline=self.seconds_from_now(86400))

        def due():
            self.change(f'update job set deadline = {EARLIER} where id = %s', id)
            self.change(f'update overdue set at = {EARLIER} where job_id = %s', id)

        def check():
            self.assertEqual((self.event_types(id), self.queue.state(id)), (['finished'], 'failed'))
            self.assertEqual(self.queue.one('select count(*) from overdue where job_id = %s', id), 0)
        return Work(due, lambda: self.job(id).finished_at, check)

    def spent_quota(self):
        team = self.queue.make_team(f'spent {next(self.numbers)}')
        self.queue.set_share(team, quota=5, period='hour', device_class='host')
        account = self.queue.one('select id from account where team_id = %s', team)
        state = lambda: tuple(self.queue.rows('select over_quota, version from account_state where account_id = %s', account)[0])
        _, version = state()
        return Work(lambda: self.change("""update account_state set over_quota = true, period_start = clock_timestamp() - interval '1 day'
                        where account_id = %s""", account),
                    lambda: not state()[0], lambda: self.assertEqual(state(), (False, version + 1)))

    def unfolded_use(self):
        user = 1000 + next(self.numbers)
        _, kind = self.host_job(tasks=[task(3), task(4)], user=user)
        worker, tasks = self.claim_all(kind)
        used = lambda: tuple(self.queue.rows('select sum(tasks) tasks, sum(items) items, sum(jobs) jobs from usage_hour where user_id = %s', user)[0])
        return Work(lambda: self.queue.complete(worker, tasks), lambda: used()[0], lambda: self.assertEqual(used(), (2, 7, 1)))

    def due_schedule(self):
        spec = {'kind': 'sentiment', 'args': {'texts': ['Shares soar!']}}
        id = self.queue.one("""insert into schedule (team_id, user_id, name, spec, cron, time_zone, misfire, misfire_limit, overlap, next_at)
            values (%s, 1, 's' || random(), %s, '@yearly', 'UTC', 'once', 10, 'allow', 'infinity') returning id""", self.team, json.dumps(spec))
        runs = lambda: [tuple(row) for row in self.queue.rows('select outcome from schedule_run where schedule_id = %s', id)]

        def done():
            # The other waits until the claim of the dead one has lapsed; the test does not.
            self.change("update schedule set claimed_until = null where id = %s and claimed_until > clock_timestamp() + interval '10 seconds'", id)
            return runs()

        def check():
            self.assertEqual((runs(), self.queue.one('select count(*) from job where schedule_id = %s', id)), ([('submitted',)], 1))
        return Work(lambda: self.change("update schedule set next_at = clock_timestamp() where id = %s", id), done, check)

    DUTIES = [(silent_worker, CLASS), (due_job, CLASS), (overdue_job, CLASS), (spent_quota, CLASS), (unfolded_use, HOURS), (due_schedule, CLASS)]

    def test_two_servers_do_everything_once(self):
        self.start_all('first', 'second')
        for _ in range(5 if LONG else 2):
            works = [make(self) for make, _ in self.DUTIES]
            for work in works:
                work.due()
            for work, (make, _) in zip(works, self.DUTIES):
                with self.subTest(make.__name__):
                    self.until(work.done, 'not done')
                    work.check()
        for server in self.servers.values():
            server.stop()
        self.assert_no_failures()

    def test_another_server_takes_over_from_a_killed_one(self):
        self.start_all('first', 'second')
        for number, (make, way) in enumerate(self.DUTIES):
            # The server's connection may close with it, or stay open until the server notices.
            for dies in (True, False) if LONG else (number % 2 == 0,):
                with self.subTest(make.__name__, connection_dies=dies):
                    self.kill_in_the_middle(make(self), way, dies)

    def kill_in_the_middle(self, work, way, connection_dies):
        barrier = self.second_queue()
        barrier.connection.execute('begin')
        barrier.connection.execute(way)
        work.due()
        at_it = lambda: self.queue.rows("""select application_name as server, pid from pg_stat_activity
            where application_name = any(%s) and wait_event_type = 'Lock'""", list(self.servers))
        [held] = self.until(at_it, 'nobody is at it')
        self.servers[held.server].process.send_signal(signal.SIGKILL)
        self.servers[held.server].process.wait()
        if connection_dies:
            self.assertTrue(self.queue.one('select pg_terminate_backend(%s, 600000)', held.pid))
        barrier.connection.execute('commit')
        self.until(work.done, 'not done by the other')
        work.check()
        self.start(held.server)

    def test_servers_that_start_together_create_and_drop_days_once(self):
        old = self.seconds_from_now(-40 * 86400)
        self.queue.now = old
        self.queue.rows('select ensure_partitions(0, %s)', old)
        self.cpu, self.host = self.queue.register('cpu'), self.queue.register('host', 'host')
        self.submit(job(self.team, 3, key='of an old day', fingerprint=b'f'))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        self.run_merges()
        self.queue.now = self.moment
        self.change("update worker set seen_at = 'infinity'")
        days = lambda: [row.day for row in self.queue.rows("""select substr(c.relname, 5)::int as day from pg_inherits i
            join pg_class c on c.oid = i.inhrelid where i.inhparent = 'job'::regclass order by 1""")]
        today = self.queue.one('select day_of(clock_timestamp())')
        for day in days():
            if day > today:
                for table in ('job', 'task', 'result', 'attempt', 'event', 'report', 'job_standing', 'job_label', 'usage_job', 'task_log'):
                    self.change(f'drop table {table}_{day}')
        self.start_all('first', 'second', 'third')
        self.until(lambda: min(days()) >= today and not self.queue.one('select count(*) from idempotency_key'), 'the old day is still there')
        # Midnight may pass meanwhile.
        self.assertEqual([day for day in days() if today <= day <= today + 3], list(range(today, today + 4)))
        self.assertEqual(self.queue.one('select sum(tasks) from usage_hour'), 3)
        for server in self.servers.values():
            server.stop()
        self.assert_no_failures()

    def test_sign_ins_are_deleted_thirty_days_after_their_end(self):
        user = self.queue.one("insert into app_user (name) values ('ada') returning id")
        self.change("insert into membership (team_id, user_id, role) values (%s, %s, 'owner')", self.team, user)
        for name, days_over in {'fresh': -7, 'over': 29, 'long over': 31}.items():
            values = self.team, user, name.encode().ljust(32), days_over
            end = 'clock_timestamp() - make_interval(days => %s)'
            self.change(f'insert into sign_in_link (team_id, user_id, hash, expires_at) select %s, %s, %s, {end}', *values)
            self.change(f"insert into session (team_id, user_id, hash, expires_at, csrf) select %s, %s, %s, {end}, 'c'", *values)
        left = lambda table: {bytes(row.hash).decode().strip() for row in self.queue.rows(f'select hash from {table}')}
        self.start('first')
        self.until(lambda: 'long over' not in left('session'), 'they are still there')
        for table in ('sign_in_link', 'session'):
            self.assertEqual(left(table), {'fresh', 'over'}, table)


if __name__ == '__main__':
    unittest.main()
