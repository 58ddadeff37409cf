"""An old snapshot while tasks come and go: claims read hardly more than before, tables grow only by dead rows, whatever
blocks vacuum is reported, and the space is reused once it is gone.

    tests/support/with_database tests/integration/queue/snapshot.py [--tasks 3000 | --seconds 600] [--teams 20]
"""

import argparse
import datetime
import pathlib
import re
import statistics
import time

from queue_client import Queue, connect, job
from queue_invariants import broken

HOT = ('ready', 'scheduled', 'lease', 'account_state', 'class_state', 'worker', 'usage_touch', 'overdue')
BATCH = 16
# Dead rows of the hot tables and their index entries, for a task that is claimed with 15 others.
BYTES_PER_TASK = 1500


class Load:
    """One worker and one host, at work without a pause."""

    def __init__(self, teams):
        self.queue = Queue(connect())
        self.queue.rows('select ensure_partitions()')
        self.teams = [self.queue.make_team(f'team {n}') for n in range(teams)]
        self.worker, self.host = self.queue.register('cpu'), self.queue.register('host', 'host')
        self.tasks = self.rounds = 0

    def round(self):
        queue = self.queue
        queue.enqueue(*(job(team, BATCH) for team in self.teams))
        while tasks := queue.claim(self.worker, tasks=BATCH):
            queue.complete(self.worker, tasks)
            self.tasks += len(tasks)
        while merges := queue.claim(self.host, tasks=BATCH):
            queue.complete(self.host, merges)
        queue.heartbeat(self.worker)
        queue.heartbeat(self.host)
        queue.one('select fold_usage(1000)')
        queue.one('select watch_vacuum()')

    def blocks(self):
        """What a claim reads, of one task and of sixteen; medians of some that are undone."""
        queue = self.queue
        with queue.connection.transaction(force_rollback=True):
            queue.enqueue(*(job(team, BATCH) for team in self.teams))
            found = []
            for tasks in (1, BATCH):
                counts = []
                for _ in range(9):
                    with queue.connection.transaction(force_rollback=True):
                        [[plan]] = queue.rows('explain (analyze, buffers, timing off, format json) select claim(%s, %s, 1e6, %s)', *self.worker, tasks)[0]
                        counts.append(plan['Plan']['Shared Hit Blocks'] + plan['Plan']['Shared Read Blocks'])
                found.append(statistics.median(counts))
        return found

    def size(self):
        return self.queue.one('select sum(pg_total_relation_size(t::regclass))::bigint from unnest(%s::text[]) t', list(HOT))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--tasks', type=int, default=3000)
    parser.add_argument('--seconds', type=int, default=0, help='so long, and at least so many tasks')
    parser.add_argument('--teams', type=int, default=20)
    parser.add_argument('--tell', type=int, default=60, help='after so many seconds, again and again')
    given = parser.parse_args()
    load = Load(given.teams)
    for _ in range(3):
        load.round()  # by now the indexes have the height that they keep
    snapshot = connect()
    snapshot.execute('begin isolation level repeatable read')
    snapshot.execute('select count(*) from job')
    first, before, start, begun, told = load.blocks(), load.size(), time.monotonic(), load.tasks, time.monotonic()
    print(f'fresh: a claim of 1 task reads {first[0]:.0f} blocks, of {BATCH} {first[1]:.0f}; hot tables have {before >> 10} KiB', flush=True)
    while load.tasks - begun < given.tasks or time.monotonic() - start < given.seconds:
        load.round()
        if time.monotonic() - told > given.tell:
            told = time.monotonic()
            print(f'{told - start:.0f} s: {load.tasks - begun} tasks, blocks {load.blocks()}, {load.size() >> 10} KiB', flush=True)
    done, last, after, seconds = load.tasks - begun, load.blocks(), load.size(), time.monotonic() - start
    print(f'{done} tasks and {seconds:.0f} s later, the snapshot still held: {last[0]:.0f} and {last[1]:.0f} blocks; {after >> 10} KiB, '
          f'{(after - before) / done:.0f} bytes a task', flush=True)
    for few, many in zip(first, last):  # the indexes grow by a level; a scan over dead rows would read thousands
        assert many <= 1.5 * few, (first, last)
    assert after - before <= BYTES_PER_TASK * done, (before, after, done)
    # Told in seconds, as a warning from one minute on; on a slow machine, an analysis may have been the oldest until now.
    moment = load.queue.one('select clock_timestamp()') + datetime.timedelta(seconds=0 if seconds > 65 else 65)
    assert load.queue.one('select watch_vacuum(%s)', moment) >= 60
    [holder] = load.queue.rows('select * from list_vacuum_holders(%s)', moment)
    assert (holder.holder, holder.detail) == ('session', f'process {snapshot.info.backend_pid}'), holder

    snapshot.close()
    for table in HOT:
        load.queue.connection.execute(f'vacuum {table}')
    released = load.size()
    begun = load.tasks
    while load.tasks - begun < min(done, 4 * given.tasks):
        load.round()
        for table in HOT:
            load.queue.connection.execute(f'vacuum {table}')
    assert load.size() <= 1.1 * released + len(HOT) * 3 * 8192, (released, load.size())
    assert load.queue.one('select watch_vacuum()') == 0
    assert not (found := broken(load.queue)), found
    print(f'released: {load.tasks - begun} tasks more, and the hot tables have {load.size() >> 10} KiB')


if __name__ == '__main__':
    main()
