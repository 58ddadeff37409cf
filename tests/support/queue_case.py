"""A test case with a fresh queue: teams, two workers, and the invariants checked at the end.

Time stands still for the queue's functions unless a test advances it, so no lease expires on a slow machine.
"""

import datetime
import pathlib
import unittest

from queue_client import Queue, connect
from queue_invariants import broken

RESTORE = pathlib.Path(__file__).with_name('restore.sql')
CLASSES = ('cpu', 'gpu', 'accelerator', 'host')


class QueueCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        connection = connect()
        self.addCleanup(connection.close)
        self.moment = datetime.datetime.now(datetime.timezone.utc)
        self.queue = Queue(connection, self.moment)
        if connection.execute("select to_regclass('saved.position')").fetchone()[0] is None:
            connection.execute(RESTORE.read_text())
        connection.execute('select saved.restore(); select ensure_partitions()')
        self.team = self.queue.make_team('first')
        self.other_team = self.queue.make_team('second')
        self.cpu = self.queue.register('cpu')
        self.host = self.queue.register('host', 'host')

    def tearDown(self):
        self.assertEqual(broken(self.queue), {})

    def second_queue(self, user='postgres'):
        connection = connect(user)
        self.addCleanup(connection.close)
        return Queue(connection, self.moment)

    def seconds_from_now(self, seconds):
        return self.moment + datetime.timedelta(seconds=seconds)

    def pass_time(self, seconds):
        """Sets the clock to seconds after the test's start; the workers keep sending heartbeats."""
        self.queue.now = self.seconds_from_now(seconds)
        self.queue.connection.execute("update worker set seen_at = %s where state = 'active'", (self.queue.now,))

    def submit(self, *jobs):
        return [row.job_id for row in self.queue.enqueue(*jobs)]

    def run_merges(self):
        while tasks := self.queue.claim(self.host):
            self.queue.complete(self.host, tasks, partial=b'{"merged": true}')

    def job(self, job_id):
        return self.queue.rows('select * from job where id = %s', job_id)[0]

    def event_types(self, job_id):
        return [r.type for r in self.queue.rows('select type from job_event where job_id = %s and n > 1 order by n', job_id)]
