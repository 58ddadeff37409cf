"""Notifications may be lost and servers may die: followers of a job's events still receive each once, in order."""

import shutil
import signal
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from follower import Follower

from harness import Server
from queue_case import QueueCase
from queue_client import job, server_folder, url_for
from wire import Deafness, Wire

EVENTS_A_ROUND = 3


class LostNews(QueueCase):
    def setUp(self):
        super().setUp()
        self.queue.now = None  # the server lives by the real clock
        folder = tempfile.mkdtemp(prefix='plm-')
        self.addCleanup(shutil.rmtree, folder)
        self.deafness = Deafness()
        self.addCleanup(Wire(server_folder(), folder, self.deafness).close)
        self.server = Server(database__url=url_for('plimsoll_app', folder), engine__local='false').start()
        self.addCleanup(self.server.remove)
        self.up, self.over = threading.Event(), False
        self.up.set()
        self.api = self.server.api()
        self.worker = self.queue.register('device', 'host', kinds=['sentiment:1'])
        self.queue.rows("update worker set seen_at = 'infinity' returning id")  # they send no heartbeats

    def port(self):
        self.up.wait()
        assert not self.over, 'the test has ended'
        return int(self.server.base.rpartition(':')[2])

    def let_go(self):
        """Ends the follower of a test that has failed."""
        self.over = True
        self.up.set()
        self.server.kill()

    def submit_and_follow(self, tasks):
        """A job whose tasks the test runs, and a follower of it."""
        team = self.queue.one("select id from team where name = 'main'")
        [self.id] = self.submit(job(team, tasks, kind='sentiment', device_class='host'))
        [listed] = self.api.get('/v1/jobs').json['items']
        self.follower = Follower(self.port, self.api.token, listed['id'])
        pool = ThreadPoolExecutor()
        self.addCleanup(pool.shutdown)
        self.addCleanup(self.let_go)
        self.end = pool.submit(self.follower.follow)
        self.follower.wait_for(1)

    def make_events(self):
        """Each task that is tried again is one."""
        for _ in range(EVENTS_A_ROUND):
            self.queue.complete(self.worker, self.queue.claim(self.worker, tasks=1), outcome='retry', error='busy', delay=1e6)

    def events(self):
        """The first one stands nowhere: a job is there because it was submitted."""
        return [tuple(row) for row in self.queue.rows('select n, type from job_event where job_id = %s order by n', self.id)]

    def run_to_the_end(self):
        self.queue.rows('update scheduled set run_at = clock_timestamp() returning 1')
        while self.queue.state(self.id) != 'succeeded':
            self.queue.promote()
            while tasks := self.queue.claim(self.worker):
                self.queue.complete(self.worker, tasks)
        self.end.result()
        self.assertEqual(self.follower.seen, self.events())
        self.assertEqual(self.follower.seen[-1][1], 'finished')

    def test_notifications_that_get_lost(self):
        self.deafness.swallow = True
        self.submit_and_follow(4 * EVENTS_A_ROUND)
        for _ in range(3):
            self.make_events()
            self.follower.wait_for(len(self.events()))
        self.run_to_the_end()
        self.assertIn('plimsoll_job', self.deafness.dropped)
        self.assertEqual(self.follower.connections, 2, 'not all in one stream, and one answer that there is no more')

    def test_a_server_that_cannot_listen(self):
        self.submit_and_follow(4 * EVENTS_A_ROUND)
        self.deafness.refuse_listening = True
        cut = self.queue.rows("select pg_terminate_backend(pid, 600000) from pg_stat_activity where query like 'listen %%'")
        self.assertTrue(cut)
        for _ in range(3):
            self.make_events()
            self.follower.wait_for(len(self.events()))
        self.run_to_the_end()
        self.assertEqual(self.follower.connections, 2, 'not all in one stream, and one answer that there is no more')

    def test_servers_that_exit_and_die_while_notifications_are_lost(self):
        self.deafness.swallow = True
        self.submit_and_follow(9 * EVENTS_A_ROUND)
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM, signal.SIGKILL):
            self.make_events()
            if number == signal.SIGTERM:
                self.follower.wait_for(len(self.events()))
            self.up.clear()
            self.server.process.send_signal(number)
            self.server.process.wait()
            self.make_events()  # no server receives the notification
            self.server.start()
            self.up.set()
            self.follower.wait_for(len(self.events()))
        self.run_to_the_end()
        self.assertGreaterEqual(self.follower.connections, 5)


if __name__ == '__main__':
    unittest.main()
