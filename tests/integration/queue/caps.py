"""Hard caps under concurrency: every lease that is ever written is checked against the cap of its accounts, in the same
transaction, by counting leases; nothing of the queue's own bookkeeping is believed. What two claims at once could hide from
each other shows in the snapshots that are taken all the while.

    tests/support/with_database tests/integration/queue/caps.py [--claims 1000000] [--workers 8] [--seed N]
"""

import argparse
import multiprocessing
import random

import psycopg

from queue_client import Queue, connect, job, task
from queue_invariants import broken

FORK = multiprocessing.get_context('fork')
CAPS = (1, 1, 2, 3, 5)
JUDGE = """
    create table plimsoll.judged (claims bigint not null, tasks bigint not null, fullest numeric not null, worker_id int not null);
    create function plimsoll.judge() returns trigger language plpgsql security definer set search_path = plimsoll, pg_temp as $$
    declare
      v_held record;
    begin
      for v_held in
        select u.account_id, max(s.cap) cap, count(distinct l.worker_id) devices from lease l cross join unnest(l.accounts) u(account_id)
        join account_state s on s.account_id = u.account_id group by 1
      loop
        if v_held.devices > v_held.cap then
          raise exception 'account % holds % devices, and its cap is %', v_held.account_id, v_held.devices, v_held.cap using errcode = 'raise_exception';
        end if;
      end loop;
      update judged set claims = claims + 1, tasks = tasks + cardinality(new.jobs),
        fullest = greatest(fullest, (select count(distinct worker_id) from lease)) where worker_id = new.worker_id;
      return null;
    end
    $$;
    create view plimsoll.passed as
      select u.account_id from lease l cross join unnest(l.accounts) u(account_id) join account_state s on s.account_id = u.account_id
      group by 1 having count(distinct l.worker_id) > max(s.cap);
    create trigger judge after insert on plimsoll.lease for each row execute function plimsoll.judge()"""


def work(number, seed, stop):
    """Claims and completes, and now and then gives back or dies."""
    coin = random.Random(seed)
    queue = Queue(connect('plimsoll_worker'))
    worker = queue.register(f'device {number}')
    held = []
    while not stop.is_set():
        try:
            if len(held) < 2:
                if tasks := queue.claim(worker, seconds=coin.choice((0.01, 0.1, 1.0)), tasks=coin.choice((1, 4, 16, 64))):
                    held.append(tasks)
                elif not held:
                    queue.heartbeat(worker)
                    continue
            if held and coin.random() < 0.6:
                tasks = held.pop(0)
                fate = coin.random()
                if fate < 0.05:
                    queue.release(worker, tasks)
                elif fate < 0.06:
                    held.clear()
                    worker = queue.register(f'device {number}')  # it died; what it held runs elsewhere
                elif fate < 0.3 and len(tasks) > 1:
                    queue.complete(worker, tasks[1:])
                    queue.complete(worker, tasks[:1])
                else:
                    queue.complete(worker, tasks)
            queue.heartbeat(worker, [t[0].fence for t in held])
        except psycopg.Error as error:
            if error.sqlstate != 'PLM01':
                raise
            held.clear()
            worker = queue.register(f'device {number}')  # this machine was asleep


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--claims', type=int, default=1_000_000)
    parser.add_argument('--workers', type=int, default=8)
    parser.add_argument('--seed', type=int, default=random.randrange(10**6))
    given = parser.parse_args()
    print('seed', given.seed, flush=True)
    coin = random.Random(given.seed)
    queue = Queue(connect())
    queue.rows('select ensure_partitions_v1()')
    queue.connection.execute(JUDGE)
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
            if queue.one('select count(*) from (select from ready limit 20000) r') < 20000:
                queue.enqueue(*(job(team, [task(1, 0.001)] * 20, merge=True) for team in teams for _ in range(20)))
            while merges := queue.claim(host):
                queue.complete(host, merges)
            queue.heartbeat(host)
            if coin.random() < 0.05:
                queue.rows('select fold_usage_v1()')
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
