"""The worker program against a real PostgreSQL: every claimed task is recorded once, whatever dies, hangs or is
stopped."""

import datetime
import os
import re
import signal
import unittest

from engine_case import DATABASE, EngineCase
from gate import Gate
from queue_client import job, task


class Worker(EngineCase):
    def test_runs_a_job_to_its_report(self):
        inputs = [f'echo {n}' for n in range(100)]
        id = self.submit_host(inputs)
        self.start_host()
        self.until_state(id, 'succeeded')
        self.assert_each_once(id, inputs)

    def test_later_work_is_announced(self):
        self.start_host()
        self.until(lambda: self.queue.one("select count(*) from worker where node = 'engine'"), 'not registered')
        for n in range(3):
            id = self.submit_host([f'echo {n}'])
            self.until_state(id, 'succeeded')

    def test_of_two_supervisors_with_one_name_the_second_waits(self):
        epoch = lambda: self.queue.one("select max(epoch) from worker where node = 'twins' and device = 'host' and state = 'active'")
        first = self.start('supervise', node='twins')
        self.until(epoch, 'no host worker')
        before = epoch()
        second = self.start('supervise', node='twins')
        self.until(lambda: 'another supervisor on this machine' in second.text(), 'the second does not say that it waits')
        self.assertEqual(epoch(), before)
        first.signal(signal.SIGTERM)
        self.assertEqual(first.end(), 0)
        self.until(lambda: (epoch() or 0) > before, 'the second does not take over')
        second.signal(signal.SIGTERM)
        self.assertEqual(second.end(), 0)

    def test_an_opencl_device_works_too(self):
        [id] = self.submit(job(self.team, [task(items=2, data=b'echo cpu')]))
        self.start('supervise')
        self.until_state(id, 'succeeded')
        name = self.queue.one("select info -> 'capability' ->> 'driver_version' from worker where device = 'opencl:pocl:0'")
        self.assertTrue(name)

    def test_only_the_named_device_runs_the_job(self):
        self.start_host(node='first')
        self.start_host(node='second')
        for node in ('second', 'first'):
            id = self.submit_host(['echo here'], capability=f'device={node}/host')
            self.until_state(id, 'succeeded')
            ran = self.queue.rows('select node, device from result join worker w on w.id = worker_id where job_id = %s', id)
            self.assertEqual([tuple(row) for row in ran], [(node, 'host')])

    def test_it_leaves_a_schema_that_becomes_newer(self):
        held = self.submit_host([f'hold {self.folder}'])
        engine = self.start('supervise')
        self.until_held()
        self.queue.connection.execute("insert into schema_migration (version, name, sha256) values (999, 'of a newer plimsoll', sha256(''))")
        self.addCleanup(self.queue.connection.execute, 'delete from schema_migration where version = 999')
        self.until(lambda: 'version 999, but' in engine.text(), 'it does not notice')
        self.go()
        self.until(lambda: self.queue.rows("select 1 from result where job_id = %s and state = 'done'", held), 'what it had begun is lost')
        self.until(lambda: re.search('not registered.*host', engine.text()), 'the host does not register again')  # others may before it
        later = self.submit_host(['echo later'])
        self.assertEqual(self.queue.one('select state from job where id = %s', later), 'queued')
        self.queue.connection.execute('delete from schema_migration where version = 999')
        for id in (held, later):
            self.until_state(id, 'succeeded')

    def test_a_killed_worker_loses_and_duplicates_no_task(self):
        inputs = [f'echo {n}' for n in range(20)] + [f'hold {self.folder}'] + [f'echo {n}' for n in range(20, 60)]
        id = self.submit_host(inputs)
        first = self.start_host()
        self.until_held()
        first.signal(signal.SIGKILL)
        first.end()
        self.go()
        self.start_host()
        self.until_state(id, 'succeeded')
        self.assert_each_once(id, inputs)
        self.assertEqual(self.attempts(id), 1)  # no supervisor saw how it ended

    def test_a_suspended_worker_records_nothing_late(self):
        inputs = [f'hold {self.folder}'] + [f'echo {n}' for n in range(10)]
        id = self.submit_host(inputs)
        first = self.start_host(node='first')
        self.until_held()
        first.signal(signal.SIGSTOP)
        # What the worker had sent before may be on its way to the database still, and count as a sign of life.
        self.queue.now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=1)
        self.until(lambda: self.queue.expire() > 0, 'the leases of the silent worker did not end')
        self.queue.now = None
        self.go()
        self.start_host(node='second')
        self.until_state(id, 'succeeded')
        recorded = self.queue.rows('select seq, worker_id, fence from result where job_id = %s order by seq', id)
        first.signal(signal.SIGCONT)
        self.until(lambda: 'results dropped' in first.text(), 'the late results were not dropped')
        self.until(lambda: self.queue.one("select epoch = 2 and state = 'active' from worker where node = 'first'"), 'not registered again')
        self.assertEqual(self.queue.rows('select seq, worker_id, fence from result where job_id = %s order by seq', id), recorded)
        self.assert_each_once(id, inputs)

    def test_a_drain_finishes_the_running_task_and_releases_the_rest(self):
        inputs = [f'hold {self.folder}'] + [f'echo {n}' for n in range(30)]
        id = self.submit_host(inputs)
        first = self.start_host(node='first')
        self.until_held()
        first.signal(signal.SIGTERM)
        self.until(lambda: 'draining' in first.text(), 'the signal was not obeyed')
        self.go()
        self.assertEqual(first.end(), 0)
        self.assertEqual([r.seq for r in self.queue.rows('select seq from result where job_id = %s', id)], [0])
        self.assertEqual(self.queue.one('select count(*) from lease'), 0)
        self.assertEqual(self.queue.one("select state from worker where node = 'first'"), 'retired')
        self.start_host(node='second')
        self.until_state(id, 'succeeded')
        self.assert_each_once(id, inputs)
        self.assertEqual(self.attempts(id), 1)

    def test_a_second_signal_exits_immediately(self):
        id = self.submit_host([f'forever {self.folder}'])
        engine = self.start_host()
        self.until_held()
        engine.signal(signal.SIGTERM)
        self.until(lambda: 'draining' in engine.text(), 'the signal was not obeyed')
        engine.signal(signal.SIGTERM)
        engine.end()
        self.assertEqual(self.queue.one('select count(*) from lease'), 0)
        self.assertEqual(self.queue.state(id), 'running')

    def test_a_cancel_stops_the_running_task(self):
        id = self.submit_host([f'forever {self.folder}'])
        self.start_host()
        self.until_held()
        self.assertEqual(self.queue.one('select cancel_job(%s, %s)', self.team, id), 'cancelling')
        self.until_state(id, 'cancelled')
        other = self.submit_host(['echo on'])
        self.until_state(other, 'succeeded')

    def test_a_task_that_kills_its_workers_fails_alone(self):
        inputs = ['echo 0', 'crash', 'echo 2']
        id = self.submit_host(inputs)
        self.start('supervise')
        self.until_state(id, 'succeeded')
        done = self.job(id)
        self.assertEqual((done.items_ok, done.items_failed, done.tasks_quarantined), (4, 2, 1))

    def test_only_what_a_killed_worker_was_running_is_suspect(self):
        id = self.submit_host([f'hold {self.folder}', 'echo 1', 'echo 2'])
        supervisor = self.start('supervise')
        self.until_held()
        os.kill(supervisor.worker_of('host'), signal.SIGKILL)
        self.go()
        self.until_state(id, 'succeeded')
        attempts = self.queue.rows('select seq, attempt, outcome from attempt where job_id = %s', id)
        self.assertEqual([tuple(row) for row in attempts], [(0, 1, 'worker_died')])
        self.assertEqual(self.queue.rows('select seq, attempt from result where job_id = %s order by seq', id), [(0, 2), (1, 1), (2, 1)])

    def test_a_worker_that_is_stopped_for_longer_than_its_lease_costs_no_attempt(self):
        id = self.submit_host([f'hold {self.folder}'])
        engine = self.start_host()
        self.until_held()
        engine.signal(signal.SIGSTOP)
        self.queue.connection.execute("update worker set seen_at = seen_at - interval '16 s' where device = 'host'")
        self.queue.expire()
        engine.signal(signal.SIGCONT)
        self.go()
        self.until_state(id, 'succeeded')
        attempts = self.queue.rows('select attempt, outcome from attempt where job_id = %s', id)
        self.assertEqual([tuple(row) for row in attempts], [(1, 'worker_lost')])
        self.assertEqual(self.queue.one('select attempt from result where job_id = %s and seq = 0', id), 1)

    def test_a_device_whose_workers_keep_dying_is_taken_out_of_service_with_the_reason(self):
        [id] = self.submit(job(self.team, [task(items=2, data=b'crash')] * 3))
        self.start('supervise')
        reason = "select max(info -> 'capability' ->> 'reason') from worker where device = 'opencl:pocl:0' and state = 'failed'"
        self.until(lambda: self.queue.one(reason), 'the device is still in')
        self.assertRegex(self.queue.one(reason), 'Taken out of service: 4 workers in a row stopped .* killed by SIGABRT')
        other = self.submit_host(['echo on'])
        self.until_state(other, 'succeeded')

    @unittest.skipUnless(os.environ.get('PLIMSOLL_LONG_TESTS'), 'waits for real leases and for the supervisor')
    def test_a_hung_task_runs_elsewhere_and_the_device_returns(self):
        inputs = [f'hang {self.folder}']
        [id] = self.submit(job(self.team, [task(items=2, data=inputs[0].encode())]))
        self.start('supervise', node='first')
        self.until_held()
        self.start('supervise', node='second')

        def expired_and_done():
            self.queue.expire()  # no server runs here to do it
            return self.queue.state(id) == 'succeeded'

        self.until(expired_and_done, 'the task of the hung device')
        self.assert_each_once(id, inputs)
        [result] = self.queue.rows('select node, attempt, extract(epoch from finished_at) at from result join worker w on w.id = worker_id where job_id = %s', id)
        self.assertEqual((result.node, result.attempt), ('second', 2))
        self.assertLess(float(result.at) - (self.folder / 'held').stat().st_mtime, 20)
        # Its supervisor kills what hangs and starts it again.
        device = "node = 'first' and device like 'opencl:%%'"
        self.until(lambda: self.queue.one(f"select epoch = 2 and state = 'active' from worker where {device}"), 'the device is not back')
        self.queue.rows("select place_hold('node', 'second', 'pause', 'Another is tested.', true, 1)")
        [after] = self.submit(job(self.team, [task(items=2, data=b'echo again')]))
        self.until(lambda: self.queue.rows(f'select from result join worker w on w.id = worker_id where job_id = %s and {device}', after),
                   'the device runs nothing')

    def test_workers_that_are_told_to_end_are_replaced_at_once(self):
        supervisor = self.start('supervise')
        epoch = lambda: self.queue.one("select max(epoch) from worker where node = 'engine' and device = 'host' and state = 'active'") or 0
        self.until(epoch, 'no host worker')
        for _ in range(5):
            before = epoch()
            os.kill(supervisor.worker_of('host'), signal.SIGTERM)
            self.until(lambda: epoch() > before, 'no other worker')
        self.assertEqual(supervisor.text().count('worker exited as requested'), 5)
        self.assertNotIn('restarting it', supervisor.text())

    def test_workers_end_with_their_supervisor(self):
        supervisor = self.start('supervise')
        here = "select count(*) from worker where node = 'engine' and state = 'active'"
        self.until(lambda: self.queue.one(here) >= 2, 'not registered')
        supervisor.signal(signal.SIGKILL)
        self.until(lambda: self.queue.one(here) == 0, 'workers outlive their supervisor')

    def test_a_database_that_refuses_is_waited_for(self):
        id = self.submit_host([f'hold {self.folder}'])
        engine = self.start_host()
        self.until_held()
        # However long the outage lasts on this machine: the lease does not lapse meanwhile.
        self.queue.connection.execute("update worker set seen_at = seen_at + interval '1 day' where node = 'engine'")
        self.queue.connection.execute('alter role plimsoll_worker nologin')
        self.addCleanup(self.queue.connection.execute, 'alter role plimsoll_worker login')
        self.queue.connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'plimsoll_worker'")
        self.go()
        self.until(lambda: 'work waits' in engine.text(), 'the outage was not noticed')
        self.queue.connection.execute('alter role plimsoll_worker login')
        self.until_state(id, 'succeeded')
        self.assertEqual(self.attempts(id), 1)
        self.until(lambda: 'work goes on' in engine.text(), 'the end of the outage was not noticed')

    def test_a_database_that_hangs_is_waited_for(self):
        gate = Gate(DATABASE + '/.s.PGSQL.5432', str(self.folder / '.s.PGSQL.5432'))
        self.addCleanup(gate.close)
        id = self.submit_host([f'hold {self.folder}'])
        engine = self.start_host(database=self.folder)
        self.until_held()
        gate.shut()
        self.go()
        self.until(lambda: 'work waits' in engine.text(), 'the silence was not noticed')
        gate.open()
        self.until_state(id, 'succeeded')
        self.assert_each_once(id, [f'hold {self.folder}'])


if __name__ == '__main__':
    unittest.main()
