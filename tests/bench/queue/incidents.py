"""Incidents during work: a worker dies, a job is cancelled, a day is dropped."""

import pathlib
import tempfile
import threading
import time

from queue_client import Queue, connect, job, task
from worker_bench import Engine

# A day that is over: its jobs succeeded, each with a task, a result and a report.
OLD_DAY = """
    insert into job (id, team_id, user_id, kind, kind_version, args, device_class, lane_id, priority, merge, state, created_at,
      started_at, finished_at, items_total, items_ok, tasks_total, tasks_left)
    select %(first)s + i, 1, 1, 'bench', 1, '{}', 'cpu', 1, 0, true, 'succeeded', t, t, t, 1, 1, 1, 0
    from generate_series(1, %(jobs)s) i, (select clock_timestamp() - interval '20 days' t) t;
    insert into task (job_id, seq, team_id, first_item, items, est_seconds, input)
    select %(first)s + i, 0, 1, 0, 1, 0.001, 'input' from generate_series(1, %(jobs)s) i;
    insert into result (job_id, seq, team_id, state, fence, worker_id, attempt, items_ok, items_failed, seconds, bytes, content, partial, finished_at)
    select %(first)s + i, 0, 1, 'done', i, 1, 1, 1, 0, 0.001, 6, 'output', '{}', clock_timestamp() from generate_series(1, %(jobs)s) i;
    insert into report (job_id, team_id, fence, content, created_at)
    select %(first)s + i, 1, i, '{}', clock_timestamp() from generate_series(1, %(jobs)s) i"""


def until_there(path, engine):
    while not path.exists():
        engine.check()
        time.sleep(0.002)


def killed(bench, programs):
    """Seconds from a worker's death, in the middle of a task, until another process runs the task. A server does the duties."""
    with tempfile.TemporaryDirectory() as folder:
        held = pathlib.Path(folder, 'held')
        bench.submit(job(bench.teams[0], [task(data=f'hold {folder}'.encode())], device_class='host', merge=False))
        with Engine(programs, node='dies') as first:
            until_there(held, first)
            with Engine(programs, node='lives') as second:
                while bench.queue.one("select count(*) from worker where state = 'active'") < 2:
                    second.check()
                    time.sleep(0.01)
                first.process.kill()
                start = time.monotonic()
                first.process.wait()
                held.unlink()
                until_there(held, second)
                took = time.monotonic() - start
                pathlib.Path(folder, 'go').touch()
                bench.until_finished(second)
                return took


def cancelled(bench, programs, count):
    """Seconds from a cancel until the running task has stopped and the queue knows, in order of size."""
    times = []
    with Engine(programs) as engine:
        for _ in range(count):
            with tempfile.TemporaryDirectory() as folder:
                [id_] = bench.submit(job(bench.teams[0], [task(data=f'forever {folder}'.encode())], device_class='host', merge=False))
                until_there(pathlib.Path(folder, 'held'), engine)
                start = time.monotonic()
                assert bench.queue.cancel(bench.teams[0], id_) == 'cancelling'
                bench.until_finished(engine)
                times.append(time.monotonic() - start)
    return sorted(times)


class Claims(threading.Thread):
    """Claims and completes until it is told to stop, and remembers when each claim began and how long it took."""

    def __init__(self, batch=64):
        super().__init__()
        self.queue, self.batch = Queue(connect()), batch
        self.over = threading.Event()
        self.took = []

    def run(self):
        beat = 0.0
        while not self.over.is_set():
            if time.monotonic() > beat:
                self.queue.rows('select bench.beat(0)')
                beat = time.monotonic() + 2
            start = time.monotonic()
            fence, count = self.queue.rows('select fence, tasks from bench.claim(0, %s)', self.batch)[0]
            assert count, 'nothing is left to claim'
            self.took.append((start, time.monotonic() - start))
            self.queue.one('select bench.complete(0, %s)', fence)


def dropped(bench, jobs):
    """Seconds to drop a day of so many jobs while claims run, and the longest of a claim that ran beside it."""
    queue = bench.queue
    queue.rows("select ensure_partitions(0, clock_timestamp() - interval '20 days')")
    first = queue.one("select day_of(clock_timestamp() - interval '20 days')::bigint << 40")
    with connect() as filling:
        for statement in OLD_DAY.split(';'):
            filling.execute(statement, {'first': first, 'jobs': jobs})
        filling.execute('vacuum analyze')
        filling.execute('checkpoint')
    for n in range(40):
        queue.rows('select bench.enqueue(10, 100, 1, 1, %s)', n * 10)
    queue.connection.execute("""insert into bench.worker select 0, worker_id, epoch from
        register_worker('node', 'device', 'cpu', '{bench:1}', '{}', 20::smallint, 1, '{}', '{}')
        on conflict (n) do update set worker_id = excluded.worker_id, epoch = excluded.epoch""")
    claims = Claims()
    claims.start()
    while len(claims.took) < 20:
        assert claims.is_alive()
        time.sleep(0.01)
    start = time.monotonic()
    while (outcomes := [row.outcome for row in queue.rows('select * from apply_retention(10)')]) == ['busy']:
        pass
    end = time.monotonic()
    claims.over.set()
    claims.join()
    assert outcomes == ['dropped'], outcomes
    return end - start, max(took for begun, took in claims.took if begun + took >= start and begun <= end)
