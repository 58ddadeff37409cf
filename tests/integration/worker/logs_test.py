"""The log of a job's tasks: what reaches it from workers, whatever they say and however they end."""

import json
import os
import signal
import unittest

import psycopg

from engine_case import EngineCase
from queue_client import connect, job, task

STARTED, LEFT_OUT, ENDED, PROCESS_ENDED = 0, 51, 1000, 1001


class Logs(EngineCase):
    def log(self, job_id, team=None, **given):
        values = dict(task=None, attempt=None, level=None, start=None, end=None, after_task=-1, after_fence=0, after_n=0, limit=1000) | given
        types = 'bigint bigint int int smallint timestamptz timestamptz int bigint int int'.split()
        return self.queue.rows(f"select * from list_log({', '.join(f'%s::{t}' for t in types)})", team or self.team, job_id, *values.values())

    def record(self, worker, fence, job_id, seq, *lines):
        self.queue.call('record_log', 'int int bigint bigint[] int[] json[]', *worker, fence, [job_id], [seq], [json.dumps(lines)])

    def test_a_worker_says_much_and_mischief(self):
        id = self.submit_host(['say calm\tand\x1b[31m\nfake line \u202e' + 'x' * 600])
        self.start_host()
        self.until_state(id, 'succeeded')
        lines = [line for line in self.log(id, task=0)]
        self.assertEqual([line.n for line in lines], [STARTED, *range(1, 51), LEFT_OUT, ENDED])
        self.assertEqual((lines[0].what, lines[0].node, lines[0].device, lines[0].device_class), ('started', 'engine', 'host', 'host'))
        self.assertEqual((lines[1].what, lines[1].level, lines[1].attempt), ('said', 2, 1))
        self.assertTrue(lines[1].text.startswith('calm and [31m fake line  xxx'), lines[1].text)
        self.assertEqual((len(lines[1].text), lines[1].text[-1]), (301, '…'))
        self.assertEqual(lines[51].text, 'Lines left out: 10.')
        self.assertEqual((lines[-1].outcome, lines[-1].items_ok, lines[-1].items_failed), ('done', 2, 0))
        self.assertEqual(len(self.log(id, task=0, level=2)), 51)
        self.assertEqual(self.log(id, team=self.other_team), [])

    def test_a_killed_worker_leaves_what_it_said_and_how_it_ended(self):
        id = self.submit_host([f'hold {self.folder}'])
        supervisor = self.start('supervise')
        self.until_held()
        # It says so while the task runs: nobody could tell afterwards.
        self.until(lambda: any(line.what == 'said' for line in self.log(id)), 'the running attempt has no line')
        self.assertEqual(self.log(id)[0].outcome, 'running')
        os.kill(supervisor.worker_of('host'), signal.SIGKILL)
        self.go()
        self.until_state(id, 'succeeded')
        told = [(line.attempt, line.n, line.what, line.level) for line in self.log(id, task=0)]
        self.assertEqual(told, [(1, STARTED, 'started', 1), (1, 1, 'said', 1), (1, ENDED, 'ended', 3), (1, PROCESS_ENDED, 'process_ended', 3),
                                (2, STARTED, 'started', 1), (2, 1, 'said', 1), (2, ENDED, 'ended', 1)])
        lost = self.log(id, task=0, attempt=1, level=3)
        self.assertEqual([line.text for line in lost], ['The worker that ran the task died.', 'killed by SIGKILL'])

    def test_only_the_holder_of_a_lease_adds_lines_and_each_once(self):
        self.queue.now = self.moment
        [id] = self.submit(job(self.team, [task(), task()], device_class='host'))
        tasks = self.queue.claim(self.host)
        fence = tasks[0].fence
        self.record(self.host, fence, id, 1, [1, 1, 0.0, 'first'], [2, 9, 1e9, 'y' * 900], [61, 1, 0, 'too many'])
        self.record(self.host, fence, id, 1, [1, 3, 0.0, 'again'])
        self.record(self.host, fence, id, 7, [1, 1, 0.0, 'no such task'])
        self.record((self.host[0], self.host[1] + 1), fence, id, 1, [3, 1, 0.0, 'another epoch'])
        self.record(self.cpu, fence, id, 1, [3, 1, 0.0, 'another worker'])
        said = [line for line in self.log(id) if line.what == 'said']
        self.assertEqual([(line.task, line.n, line.level, line.text[:5], len(line.text)) for line in said],
                         [(1, 1, 1, 'first', 5), (1, 2, 3, 'yyyyy', 500)])
        claimed = self.queue.one('select claimed_at from lease where fence = %s', fence)
        self.assertEqual(said[1].at, claimed, 'nothing is said before the claim')
        self.queue.complete(self.host, tasks)
        self.record(self.host, fence, id, 1, [3, 1, 0.0, 'after the end'])
        self.assertEqual(self.queue.one('select count(*) from task_log where job_id = %s', id), 2)
        self.run_merges()
        # In pages, as a whole.
        whole = [(line.task, line.fence, line.n) for line in self.log(id)]
        pages, after = [], (-1, 0, 0)
        while page := self.log(id, limit=2, **dict(zip(('after_task', 'after_fence', 'after_n'), after))):
            pages += [(line.task, line.fence, line.n) for line in page]
            after = pages[-1]
        self.assertEqual(pages, whole)
        self.assertEqual(len([line for line in self.log(id, start=self.seconds_from_now(3600))]), 0)
        self.assertEqual(len(self.log(id, end=self.seconds_from_now(3600))), len(whole))
        self.assertEqual(self.log(id, end=self.seconds_from_now(-3600)), [])
        with connect('plimsoll_app') as app, self.assertRaises(psycopg.errors.InsufficientPrivilege):
            app.execute('select from task_log')  # list_log alone reads it, for one team
        self.queue.one('select outcome from delete_jobs(%s, array[%s::bigint])', self.team, id)
        self.assertEqual(self.queue.one('select count(*) from task_log where job_id = %s', id), 0)


if __name__ == '__main__':
    unittest.main()
