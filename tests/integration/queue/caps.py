"""Hard caps under concurrency: every written lease is checked against the cap of its accounts, in the same transaction,
by counting leases; the queue's own bookkeeping is not trusted. Snapshots, taken continuously, reveal what concurrent
claims could hide from each other.

    tests/support/with_database tests/integration/queue/caps.py [--claims 1000000] [--workers 6] [--seed N]
"""

import argparse
import multiprocessing
import pathlib
import random

import psycopg

from queue_client import Queue, connect, job, task
from queue_invariants import broken

FORK = multiprocessing.get_context('fork')
CAPS = (1, 1, 2, 3, 5)


def work(number, seed, stop):
    """One worker after the other under one name, in the database: it is the queue that is tried, not a client."""
    connection = connect()
    connection.execute('set synchronous_commit = off; set enable_seqscan = off')
    connection.execute('select setseed(%s)', (random.Random(seed).uniform(-1, 1),))
    while not stop.is_set():
        try:
            connection.execute('call work(%s, 500)', (f'device {number}',))
        except psycopg.Error as error:
            if error.sqlstate != 'PLM01':  # this machine was asleep
                raise


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--claims', type=int, default=1_000_000)
    parser.add_argument('--workers', type=int, default=6)
    parser.add_argument('--seed', type=int, default=random.randrange(10**6))
    given = parser.parse_args()
    print('seed', given.seed, flush=True)
    coin = random.Random(given.seed)
    queue = Queue(connect())
    queue.rows('select ensure_partitions()')
    queue.connection.execute((pathlib.Path(__file__).parent / 'caps.sql').read_text())
    teams = [queue.make_team(f'team {n}') for n in range(len(CAPS))]
    for team, cap in zip(teams, CAPS):
        queue.set_share(team, cap=cap)
    stop = FORK.Event()
    crew = [FORK.Process(target=work, args=(n, coin.randrange(2**31), stop)) for n in range(given.workers)]
    for n, process in enumerate(crew):
        queue.connection.execute('insert into judged values (0, 0, 0, %s)', (Queue(connect()).register(f'device {n}').worker_id,))
        process.start()
    host = queue.register('host', 'host')
    queue.rows("update worker set seen_at = 'infinity' where id = %s returning 1", host.worker_id)  # also while this machine is asleep
    snapshots = 0
    try:
        while (claims := queue.one('select sum(claims) from judged')) < given.claims:
            assert all(process.is_alive() for process in crew), 'a claim broke a cap, or a worker failed'
            assert not queue.rows('select * from passed'), 'a cap was passed'
            snapshots += 1
            stop.wait(0.005)
            if snapshots % 20:
                continue
            if queue.one('select count(*) from (select from ready limit 20000) r') < 20000:
                queue.enqueue(*(job(team, [task(1, 0.001)] * 200, merge=True) for team in teams for _ in range(4)))
            while merges := queue.claim(host):
                queue.complete(host, merges)
            queue.heartbeat(host)
            if coin.random() < 0.05:
                queue.rows('select fold_usage()')
                queue.connection.execute('vacuum lease, judged, account_state, class_state')
    finally:
        stop.set()
        for process in crew:
            process.join()
    assert all(process.exitcode == 0 for process in crew), [process.exitcode for process in crew]
    assert not (found := broken(queue)), found
    fullest, tasks = queue.rows('select max(fullest), sum(tasks) from judged')[0]
    assert fullest >= min(given.workers, 4), fullest  # they did work side by side
    print(f'{claims} claims of {tasks} tasks by {given.workers} workers, {fullest} at once, {snapshots} snapshots: no cap was passed')


if __name__ == '__main__':
    main()
