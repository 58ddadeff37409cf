"""Servers on machines whose clocks are a day off: start times, deadlines, schedules, leases and sign-in links follow
the database's clock."""

import datetime
import email.utils
import os
import unittest
from unittest import mock

from harness import PATIENCE, Server
from queue_case import QueueCase
from queue_client import job, url_for
from wrong_clock import WrongClock

APP = url_for('plimsoll_app')
MINUTE, HOUR, DAY = (datetime.timedelta(**{unit: 1}) for unit in ('minutes', 'hours', 'days'))
JOB = {'kind': 'sentiment', 'args': {'texts': ['Shares soar!']}}


class Clocks(QueueCase):
    def setUp(self):
        super().setUp()
        self.queue.now = None  # the programs live by the real clock
        self.queue.connection.execute("truncate schedule cascade; update worker set seen_at = 'infinity'")
        self.servers, self.apis = {}, {}
        for offset in ('+1d', '-1d'):
            server = Server(database__url=APP, engine__local='false')
            self.addCleanup(server.remove)
            with mock.patch.dict(os.environ, self.wrong_clock(server, offset)):
                server.start()
            # Not asked to leave: the library that turns its clock leaves its timers unreliable.
            self.addCleanup(server.kill)
            self.servers[offset], self.apis[offset] = server, server.api()

    @staticmethod
    def wrong_clock(server, offset):
        return WrongClock(server.folder / 'offset', offset).environment

    def now(self):
        return self.queue.one('select clock_timestamp()')

    def until(self, condition, what):
        """Looks again and again, as the servers do."""
        for _ in range(PATIENCE * 10):
            if condition():
                return
            self.queue.rows('select pg_sleep(0.1)')
        self.fail(what)

    def posted(self, offset, **given):
        times = {name: time.isoformat() for name, time in given.items()}
        return self.apis[offset].post('/v1/jobs', JOB | times)

    def accepted(self, offset, **given):
        reply = self.posted(offset, **given)
        self.assertEqual(reply.status, 202, reply.body)
        return self.queue.one('select max(id) from job')

    def until_duties_ran(self):
        """What came to be due just now was found: what is older would have been found as well."""
        [late] = self.submit(job(self.team, deadline=self.now() + HOUR))
        [later] = self.submit(job(self.team, run_at=self.now() + HOUR))
        self.queue.connection.execute("update job set deadline = clock_timestamp() where id = %s", (late,))
        self.queue.connection.execute("update overdue set at = clock_timestamp() where job_id = %s", (late,))
        self.queue.connection.execute("update scheduled set run_at = clock_timestamp() where job_id = %s", (later,))
        self.until(lambda: (self.queue.state(late), self.queue.state(later)) == ('failed', 'queued'), 'no duty was done')

    def test_nothing_is_early_or_late(self):
        for offset, off in (('+1d', DAY), ('-1d', -DAY)):
            with self.subTest(offset):
                shown = email.utils.parsedate_to_datetime(self.apis[offset].get('/v1/health').headers['Date'])
                self.assertLess(abs(shown - self.now() - off), HOUR, 'its clock is not wrong')
                self.check_times(offset)
                self.check_schedules(offset)

    def test_a_sign_in_link_of_the_command_line_is_good_for_half_an_hour(self):
        for offset, server in self.servers.items():
            with self.subTest(offset):
                link = server.admin('sign-in-link', '--base-url', server.base, env=self.wrong_clock(server, offset))
                ends = self.queue.one('select expires_at from sign_in_link order by id desc limit 1')
                self.assertLess(abs(ends - self.now() - HOUR / 2), 10 * MINUTE)
                server.run('login', link)

    def check_times(self, offset):
        waits = self.accepted(offset, run_at=self.now() + HOUR)
        runs = self.accepted(offset, deadline=self.now() + HOUR)
        past = self.posted(offset, deadline=self.now() - HOUR)
        self.assertEqual((past.status, 'must be in the future' in past.body.decode()), (422, True), past.body)
        started = self.accepted(offset, run_at=self.now() - HOUR)
        self.assertEqual((self.queue.state(waits), self.queue.state(started)), ('scheduled', 'queued'))

        worker = self.queue.register('beats', 'host', kinds=['sentiment:1'], node=offset)
        self.assertTrue(self.queue.heartbeat(worker).alive)
        self.until_duties_ran()
        self.assertEqual((self.queue.state(waits), self.queue.state(runs)), ('scheduled', 'queued'))
        alive = "select state, seen_at > clock_timestamp() - interval '15 s' as alive from worker where id = %s"
        [seen] = self.queue.rows(alive, worker.worker_id)
        self.assertTrue(seen.state == 'active' or not seen.alive, 'a lease ended early')
        self.queue.connection.execute("update worker set seen_at = clock_timestamp() - interval '16 s' where id = %s", (worker.worker_id,))
        self.until(lambda: self.queue.rows(alive, worker.worker_id)[0].state == 'lost', 'its lease does not end')

    def check_schedules(self, offset):
        api = self.apis[offset]
        before = self.now()
        made = api.post('/v1/schedules', {'name': offset, 'cron': '0 * * * *', 'overlap': 'allow', 'job': JOB})
        self.assertEqual(made.status, 201, made.body)
        [schedule] = self.queue.rows('select id, next_at from schedule where name = %s', offset)
        self.assertTrue(before < schedule.next_at <= self.now() + HOUR, schedule)
        self.assertEqual(datetime.datetime.fromisoformat(made.json['next_runs'][0]['at'].replace('Z', '+00:00')), schedule.next_at)
        # Due now, and answered at once as what it is: neither early, nor missed.
        due = before.replace(minute=0, second=0, microsecond=0)
        self.queue.connection.execute('update schedule set next_at = %s where id = %s', (due, schedule.id))
        self.until(lambda: self.queue.one('select count(*) from schedule_run where schedule_id = %s', schedule.id), 'it is not answered')
        runs = self.queue.rows('select due_at, outcome, missed from schedule_run where schedule_id = %s', schedule.id)
        self.assertEqual([run.due_at for run in runs], [due])
        self.assertTrue(due < self.queue.one('select next_at from schedule where id = %s', schedule.id) <= self.now() + HOUR)


class Nightly(QueueCase):
    """The quick start's nightly report, over three days of a clock that is moved to each due time."""

    def test_each_night_reports_the_headlines_of_the_day(self):
        self.queue.now = None
        self.queue.connection.execute('truncate schedule cascade')
        server = Server(database__url=APP, engine__local='false').start()  # what runs the jobs is tested elsewhere
        self.addCleanup(server.remove)
        server.api()  # signs the command line in
        file = server.folder / 'headlines.csv'

        def write(day, *headlines):
            file.write_text('headline,time\n' + ''.join(f'{one},2026-03-{day:02}T09:00:00Z\n' for one in headlines))

        def night():
            """The clock comes to the next due time."""
            runs = self.queue.one('select count(*) from schedule_run')
            self.queue.connection.execute("update schedule set next_at = date_trunc('second', clock_timestamp())")
            for _ in range(PATIENCE * 10):
                if self.queue.one('select count(*) from schedule_run') > runs:
                    break
                self.queue.rows('select pg_sleep(0.1)')
            return self.queue.rows('select * from schedule_run order by due_at desc limit 1')[0]

        write(2, 'Shares soar after a brilliant quarter', 'A wonderful year')
        server.run('schedules', 'add', 'nightly', '--cron', '30 2 * * *', '--kind', 'sentiment', '--column', 'text=headline',
                   '--column', 'time=time', '--overlap', 'allow', '--only-new', file)
        seen = []
        for day, headlines in ((2, None), (3, ['A terrible loss']), (4, ['Profits fall', 'An awful day', 'A disaster'])):
            if headlines:
                write(day, *headlines)
                server.run('datasets', 'upload', file)
            run = night()
            self.assertEqual(run.outcome, 'submitted', run)
            [job] = self.queue.rows('select * from job where id = %s', run.job_id)
            self.assertEqual((job.name, job.items_total), ('nightly', len(headlines or '12')))
            seen.append(job.dataset_id)
        self.assertEqual(len(set(seen)), 3, 'each run says which version it had')
        run = night()  # nothing was uploaded since
        self.assertEqual((run.outcome, run.reason), ('skipped', 'The dataset has no new version.'))
        write(5, 'A good start')
        server.run('datasets', 'upload', file)
        self.queue.connection.execute('update app_user set disabled_at = clock_timestamp() where id = (select user_id from schedule)')
        run = night()
        self.assertEqual((run.outcome, run.reason), ('failed', 'Its owner is disabled: whoever saves the schedule takes it over.'))

    def test_a_refused_schedule_leaves_no_dataset(self):
        server = Server(database__url=APP, engine__local='false').start()
        self.addCleanup(server.remove)
        api = server.api()
        file = server.folder / 'headlines.csv'
        file.write_text('headline\nA good start\n')
        refused = server.run('schedules', 'add', 'wrong', file, '--cron', '30 2 * * *', '--kind', 'sentiment', '--column', 'text=nothing',
                             check=False)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn('nothing', refused.stderr)
        self.assertEqual(api.get('/v1/datasets').json['items'], [])


if __name__ == '__main__':
    unittest.main()
