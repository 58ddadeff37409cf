"""Queue throughput: tasks claimed and completed per second, one connection, fsync and synchronous_commit on.

    PLIMSOLL_TEST_FSYNC=on tests/support/with_database tests/bench/queue/run.py [--tasks N] [--batch N] [--rounds N]
        [--record] [SCENARIO…]

Scenarios run interleaved, round by round; medians are printed. "per CPU second" counts only the CPU time of the
database's process and hardly depends on other load.
"""

import os
import pathlib
import statistics
import sys
import time

from queue_client import Queue, connect

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import results  # noqa: E402

BASE = '1 account'
FEW = '10 workers, 10 teams'
# name: (accounts, lanes each, tasks a job, snapshot held, days of partitions, workers), (must, stretch), against
SCENARIOS = {
    BASE: ((1, 1, 100, False, 3, 1), (None, None), None),
    '1,000 accounts x 5 lanes': ((1000, 5, 100, False, 3, 1), (0.7, 0.9), BASE),
    '1 account, snapshot held': ((1, 1, 100, True, 3, 1), (0.85, 0.95), BASE),
    '1,000 accounts x 5 lanes, snapshot held': ((1000, 5, 100, True, 3, 1), (None, None), BASE),
    'jobs of one task': ((1, 1, 1, False, 3, 1), (None, None), BASE),
    '1 account, 60 days of partitions': ((1, 1, 100, False, 60, 1), (None, None), BASE),
    FEW: ((10, 1, 10, False, 3, 10), (None, None), None),
    '1,000 workers, 10,000 teams': ((10_000, 1, 10, False, 3, 1000), (0.5, 0.8), FEW),
}
HEARTBEAT = 5  # seconds, of each worker


class Stopwatch:
    """Wall time, and CPU time of one server process."""

    def __init__(self, connection):
        self.path = f'/proc/{connection.info.backend_pid}/stat'

    def read(self):
        with open(self.path) as file:
            fields = file.read().rsplit(')', 1)[1].split()
        return time.monotonic(), (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def __enter__(self):
        self.start = self.read()
        return self

    def __exit__(self, *_):
        self.wall, self.cpu = (b - a for a, b in zip(self.start, self.read()))


def prepare(queue, accounts, days, workers):
    queue.connection.execute("""
        truncate job, task, result, attempt, event, report, job_standing, ready, scheduled, lease, worker, account, team, bench.worker restart identity cascade;
        delete from class_state; insert into class_state (class_id) select id from device_class""")
    queue.rows('select ensure_partitions(%s)', days)
    queue.connection.execute("insert into team (name) select 'team ' || i from generate_series(1, %s) i", (accounts,))
    queue.connection.execute("""insert into bench.worker select i, worker_id, epoch from generate_series(0, %s - 1) i,
        lateral register_worker('node ' || i, 'device', 'cpu', '{bench:1}', '{}', 20::smallint, 1, '{}', '{}')""", (workers,))


def run(scenario, tasks, batch):
    accounts, lanes, per_job, held, days, workers = scenario
    queue = Queue(connect())
    prepare(queue, accounts, days, workers)
    holder = connect()
    if held:
        holder.execute('begin isolation level repeatable read')
        holder.execute('select 1 from job limit 1')
    jobs_a_call = 1000 // per_job
    with Stopwatch(queue.connection) as enqueue:
        for first in range(0, tasks // per_job, jobs_a_call):
            queue.rows('select bench.enqueue(%s, %s, %s, %s, %s)', jobs_a_call, per_job, accounts, lanes, first)
    queue.connection.execute('update worker set seen_at = clock_timestamp()')  # enqueueing took long
    done, turn, beats = 0, 0, 0
    with Stopwatch(queue.connection) as work:
        while True:
            while beats < (time.monotonic() - work.start[0]) * workers / HEARTBEAT:
                queue.rows('select bench.beat(%s)', beats % workers)
                beats += 1
            fence, count = queue.rows('select fence, tasks from bench.claim(%s, %s)', turn % workers, batch)[0]
            if not count:
                break
            done += queue.one('select bench.complete(%s, %s)', turn % workers, fence)
            turn += 1
    assert done == queue.one('select count(*) from result') == tasks, done
    holder.close()
    queue.connection.close()
    return tasks / enqueue.wall, tasks / enqueue.cpu, tasks / work.wall, tasks / work.cpu


def main():
    parser = results.arguments(rounds=3)
    parser.add_argument('--tasks', type=int, default=100_000)
    parser.add_argument('--batch', type=int, default=500)
    parser.add_argument('scenario', nargs='*')
    given = parser.parse_args()
    Queue(connect()).connection.execute((HERE / 'steps.sql').read_text())
    chosen = {n: s for n, s in SCENARIOS.items() if not given.scenario or n in given.scenario}
    measured = {name: [] for name in chosen}
    for _ in range(given.rounds):
        for name, (scenario, *_) in chosen.items():
            measured[name].append(run(scenario, given.tasks, given.batch))
    print(f"{'':42}{'enqueue/s':>12}{'per CPU s':>12}{'claim+complete/s':>18}{'per CPU s':>12}   (tasks; batch {given.batch})")
    for name, rounds in measured.items():
        middle = [statistics.median(column) for column in zip(*rounds)]
        print(f'{name:42}{middle[0]:12,.0f}{middle[1]:12,.0f}{middle[2]:18,.0f}{middle[3]:12,.0f}')
    if given.record:
        rates = {name: round(statistics.median(r[3] for r in rounds)) for name, rounds in measured.items()}
        results.record([results.entry(
            f'queue, tasks claimed and completed: {name}', 'queue', rate, 'tasks/CPU s', peer=SCENARIOS[name][2] and f'ours, {SCENARIOS[name][2]}',
            peer_value=rates.get(SCENARIOS[name][2]), must=SCENARIOS[name][1][0], stretch=SCENARIOS[name][1][1], rounds=given.rounds,
            command='PLIMSOLL_TEST_FSYNC=on tests/support/with_database tests/bench/queue/run.py --record') for name, rate in rates.items()])


if __name__ == '__main__':
    main()
