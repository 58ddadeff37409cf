"""The database crashes: claims do not wait for the disk, so it forgets the last ones; what was recorded or acknowledged stays."""

import os
import pathlib
import signal
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

import psycopg

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Server  # noqa: E402
from queue_case import QueueCase  # noqa: E402
from queue_client import Queue, connect, job, url_for  # noqa: E402

TEXTS = {'model': 'vader', 'texts': ['A quiet harbour.']}
JOB = {'kind': 'sentiment', 'args': TEXTS}


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


class Claims(Crash):
    def test_a_forgotten_claim_is_as_if_it_had_never_been(self):
        [job_id] = self.submit(job(self.team, 3))
        forgotten = self.queue.claim(self.cpu, tasks=2)
        self.assertEqual(self.queue.state(job_id), 'running')
        self.crash()
        self.assertEqual(self.queue.state(job_id), 'queued')
        self.assertEqual(self.queue.heartbeat(self.cpu, [forgotten[0].fence]).stale_fences, [forgotten[0].fence])
        self.assertEqual(self.queue.complete(self.cpu, forgotten), ['stale'] * 2)

        # The worst case: another worker's lease has the same number.
        self.queue.rows("select setval('fence_seq', %s, false)", forgotten[0].fence >> 20)
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

    def test_a_job_that_gets_the_id_of_a_forgotten_one_gets_nothing_else_of_it(self):
        self.queue.connection.execute('set synchronous_commit = off')
        [forgotten] = self.submit(job(self.team))
        tasks = self.queue.claim(self.cpu)
        self.crash()
        self.assertEqual(self.queue.rows('select id from job'), [])
        # The worst case: the same worker's lease of the same task. Between them a second has passed.
        self.queue.rows("select setval('job_seq', %s, false) job, setval('fence_seq', %s, false) fence", forgotten & (1 << 40) - 1,
                        tasks[0].fence >> 20)
        self.pass_time(1.5)
        self.assertEqual(self.submit(job(self.other_team)), [forgotten])
        [again] = self.queue.claim(self.cpu)
        self.assertEqual((again.job_id, again.task, again.fence >> 20), (forgotten, 0, tasks[0].fence >> 20))
        self.assertEqual(self.queue.complete(self.cpu, tasks, content=b"another team's"), ['stale'])
        self.assertEqual(self.queue.complete(self.cpu, [again]), ['accepted'])


class Acknowledgements(Crash):
    """What a server has answered for is there after a crash, though its transactions end before the disk has them."""

    def setUp(self):
        super().setUp()
        self.queue.now = None  # the server lives by the real clock
        self.server = Server(database__url=url_for('plimsoll_app'), engine__local='false').start()
        self.addCleanup(self.server.remove)
        self.api = self.server.api()
        self.queue.rows("update worker set seen_at = 'infinity' returning id")  # they send no heartbeats

    def stays(self, *ids):
        self.crash()
        for id_ in ids:
            while (reply := self.api.get(f'/v1/jobs/{id_}')).status == 503:
                pass  # it connects again
            self.assertEqual(reply.status, 200, id_)

    def test_submits(self):
        self.stays(self.api.post('/v1/jobs', JOB).json['id'])
        key = {'headers': {'Idempotency-Key': 'once'}}
        self.stays(self.api.post('/v1/jobs', JOB, **key).json['id'])
        self.stays(*(made['job_id'] for made in self.api.post('/v1/job-bundles', {'jobs': [JOB] * 3}).json['items']))

    def test_scores_whose_job_is_kept(self):
        self.queue.connection.execute('set synchronous_commit = off')
        with ThreadPoolExecutor() as pool:
            answer = pool.submit(self.api.post, '/v1/score', {**TEXTS, 'keep': True})
            while not (lanes := self.queue.rows('select kind, kind_version, capability from lane')):
                self.assertFalse(answer.done(), 'it was not submitted')
            worker = self.queue.register('scorer', 'host', kinds=[f'{lanes[0].kind}:{lanes[0].kind_version}'],
                                         capabilities=lanes[0].capability.split(','))
            tasks = self.queue.claim(worker)
            self.assertEqual(self.queue.complete(worker, tasks, outcome='final', error='It is only a test.'), ['accepted'])
            self.stays(answer.result().json['job_id'])


if __name__ == '__main__':
    unittest.main()
