"""The worker program and a durable queue, for benchmarks: tasks that do nothing, and their outcomes. The worker is the
product's (engine/main.cpp); its only kind, "test", returns its input immediately.
"""

import os
import pathlib
import subprocess
import tempfile
import time

from queue_client import Queue, connect, job, task

EMPTY = """
    truncate job, task, result, attempt, event, report, job_standing, ready, scheduled, overdue, lease, worker, account, team restart identity cascade;
    delete from class_state; insert into class_state (class_id) select id from device_class;
    select ensure_partitions()"""


class Engine:
    """A process of the worker program; node tells several apart."""

    def __init__(self, programs, node='bench'):
        url = os.environ['PLIMSOLL_TEST_DATABASE_URL'].replace('postgres@', 'plimsoll_worker@', 1)
        self.folder = tempfile.TemporaryDirectory(prefix='plimsoll-bench.')
        self.log = open(pathlib.Path(self.folder.name) / 'log', 'w+', encoding='utf-8')
        self.process = subprocess.Popen(
            [programs.parent / 'tests/test_engine_with_faults', '--cache', self.folder.name, 'worker', '--device', 'host'],
            stderr=self.log, env=os.environ | {'PLIMSOLL_DATABASE_WORKER_URL': url, 'PLIMSOLL_NODE': node})

    def __enter__(self):
        return self

    def check(self):
        assert self.process.poll() is None, pathlib.Path(self.log.name).read_text(encoding='utf-8')

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()


class Bench:
    def __init__(self):
        self.queue = Queue(connect())

    def empty(self, teams=1):
        self.queue.connection.execute(EMPTY)
        self.teams = [self.queue.make_team(f'team {n}') for n in range(teams)]

    def submit(self, *jobs):
        return [row.job_id for row in self.queue.enqueue(*jobs)]

    def fill(self, tasks, per_job, lanes=1):
        """Jobs of so many tasks, as the server submits them, turn and turn about over the teams and their lanes."""
        jobs = [job(self.teams[n % len(self.teams)], [task(seconds=0.0001, data=b'echo')] * per_job, device_class='host', merge=per_job > 1,
                    model=f'model {n // len(self.teams) % lanes}') for n in range(tasks // per_job)]
        a_call = max(1, 1000 // per_job)
        for first in range(0, len(jobs), a_call):
            self.submit(*jobs[first:first + a_call])

    def unfinished(self):
        return self.queue.one('select count(*) from job where finished_at is null')

    def until_finished(self, engine, pause=0.002):
        while self.unfinished():
            engine.check()
            time.sleep(pause)
        return time.time()

    def until_told(self, listening, engine):
        """Until all have finished, without a query beside the claim."""
        while list(listening.notifies(timeout=60, stop_after=1)) and self.unfinished():
            pass
        engine.check()

    def work(self, programs, tasks, per_job=1000, lanes=1):
        """Tasks a second through one worker process, from the first claim until the last report stands."""
        self.fill(tasks, per_job, lanes)
        self.queue.connection.execute('vacuum analyze')
        with Engine(programs) as engine:
            end = self.until_finished(engine, 0.01)
        start = self.queue.one('select extract(epoch from min(started_at))::float8 from job')
        done = self.queue.one("select count(*) from result where state = 'done'")
        assert done >= tasks, (done, tasks)
        return tasks / (end - start)

    def pick_up(self, programs, count, warm=5):
        """Milliseconds from the acknowledged commit to the handler's start, on an idle queue, in order of size."""
        times = []
        with Engine(programs) as engine, connect() as listening:
            listening.execute('listen plimsoll_job')
            while not self.queue.one("select count(*) from worker where state = 'active'"):
                time.sleep(0.01)
            for n in range(count + warm):
                [id_] = self.submit(job(self.teams[0], [task(seconds=0.001, data=b'clock')], device_class='host', merge=False))
                acknowledged = time.time()
                self.until_told(listening, engine)
                entered = int(bytes(self.queue.one('select content from result where job_id = %s', id_))) / 1e6
                if n >= warm:
                    times.append((entered - acknowledged) * 1000)
                time.sleep(0.03)  # idle: what the last job left behind is done
        return sorted(times)


def place(times, share):
    return times[min(len(times) - 1, int(len(times) * share))]
