"""The worker program as a process, and a test case with a fresh queue for it."""

import contextlib
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time

from queue_case import QueueCase
from queue_client import connect, job, task

# Nothing here takes this long; a test that waits longer has failed.
PATIENCE = 600
CLAIM_SECONDS = 5  # from a backlog to the first claim, without the scaler's interval
URL = os.environ['PLIMSOLL_TEST_DATABASE_URL']
[DATABASE] = re.findall('host=([^&]+)', URL)  # the folder of its socket


class Engine:
    """One process of the worker program, with its log."""

    def __init__(self, folder, *arguments, node='engine', database=DATABASE, environment=()):
        url = URL.replace('postgres@', 'plimsoll_worker@', 1).replace(f'host={DATABASE}', f'host={database}')
        self.log = open(folder / f'{node}.log', 'a+', encoding='utf-8')
        environment = os.environ | {'PLIMSOLL_DATABASE_WORKER_URL': url, 'PLIMSOLL_NODE': node} | dict(environment)
        cache = os.environ.get('PLIMSOLL_TEST_CACHE', folder / 'cache')
        self.process = subprocess.Popen([os.environ['PLIMSOLL_TEST_ENGINE'], '--cache', cache, *arguments],
                                        stderr=self.log, env=environment)

    def signal(self, number):
        self.process.send_signal(number)

    def end(self):
        """The exit status, once it has exited."""
        return self.process.wait(PATIENCE)

    def children(self):
        pid = self.process.pid
        return [int(child) for child in pathlib.Path(f'/proc/{pid}/task/{pid}/children').read_text(encoding='ascii').split()]

    def worker_of(self, device):
        """The process of a supervisor's worker."""
        [pid] = [pid for pid in self.children() if f'--device\0{device}\0' in pathlib.Path(f'/proc/{pid}/cmdline').read_text(encoding='utf-8')]
        return pid

    def remove(self):
        if self.process.poll() is None:
            # A supervisor's workers would drain: they still use the folder.
            handles = [os.pidfd_open(child) for child in self.children()]
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGKILL)
            self.process.wait()
            for handle in handles:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
                select.select([handle], [], [], PATIENCE)
                os.close(handle)
        self.log.close()

    def text(self):
        return pathlib.Path(self.log.name).read_text(encoding='utf-8')


class EngineCase(QueueCase):
    def setUp(self):
        # What the workers of the test before have asked for may still run and hold locks.
        with connect() as connection:
            connection.execute("select pg_terminate_backend(pid, 600000) from pg_stat_activity where usename = 'plimsoll_worker'")
        super().setUp()
        self.queue.now = None  # the programs live by the real clock
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='plimsoll-worker.'))
        self.addCleanup(shutil.rmtree, self.folder)
        self.wakes = connect()
        self.addCleanup(self.wakes.close)
        self.wakes.execute('listen plimsoll_job')

    def start(self, *arguments, **given):
        engine = Engine(self.folder, *arguments, **given)
        self.addCleanup(engine.remove)
        return engine

    def start_host(self, **given):
        return self.start('worker', '--device', 'host', **given)

    def submit_host(self, inputs, **given):
        tasks = [task(items=2, data=text.encode()) for text in inputs]
        return self.submit(job(self.team, tasks, device_class='host', **given))[0]

    def until(self, condition, what):
        """Looks again at every notification of a job, and now and then without one."""
        limit = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), limit, f'{what}\n' + self.logs())
            self.queue.one('select promote_due()')  # no server runs here to do it
            if select.select([self.wakes.fileno()], [], [], 0.05)[0]:
                self.wakes.execute('select 1')  # takes the notifications in

    def logs(self):
        return '\n'.join(path.read_text(encoding='utf-8') for path in sorted(self.folder.glob('*.log')))

    def until_state(self, job_id, state):
        self.until(lambda: self.queue.state(job_id) == state, f'job {job_id} is not {state}')

    def until_held(self):
        self.until((self.folder / 'held').exists, 'no task runs')

    def submit_backlog(self, seconds, tasks=40):
        """A job whose tasks are held until go()."""
        given = [task(items=2, seconds=seconds / tasks, data=f'hold {self.folder}'.encode())] * tasks
        return self.submit(job(self.team, given, device_class='host'))[0]

    def until_every_replica_works(self, began, most):
        """A backlog appeared at `began` (monotonic)."""
        self.until_held()
        waited = time.monotonic() - began
        print(f'first claim {waited:.1f} s after the backlog appeared', flush=True)
        self.assertLess(waited, CLAIM_SECONDS * 6)  # on a busy machine
        self.until(lambda: self.queue.one('select count(distinct worker_id) from lease') == most, 'not every replica has work')

    def go(self):
        (self.folder / 'go').touch()

    def assert_each_once(self, job_id, inputs):
        rows = self.queue.rows('select seq, state, content, items_ok from result where job_id = %s order by seq', job_id)
        self.assertEqual([(r.seq, r.state, bytes(r.content).decode(), r.items_ok) for r in rows],
                         [(n, 'done', text, 2) for n, text in enumerate(inputs)])
        report = bytes(self.queue.one('select content from report where job_id = %s', job_id)).decode()
        self.assertIn(''.join(f'{text};' for text in inputs), report)

    def attempts(self, job_id):
        return self.queue.one('select coalesce(max(attempt), 0) from result where job_id = %s', job_id)
