"""The queue under faults: processes that are killed at random, late commits, cancels, expiring leases, an old snapshot.

    tests/support/with_database tests/integration/queue/storm.py [--seconds 20] [--accounts 100] [--lanes 5] [--jobs 1500]
        [--workers 4] [--seed N]

The invariants are checked continuously. At the end, all work is finished, and every submitted job must exist once, be
finished, and have each of its tasks recorded once and merged once. Prints its seed.
"""

import argparse
import collections
import multiprocessing
import pathlib
import random
import tempfile
import time

import psycopg

from queue_client import Queue, connect
from queue_invariants import broken
import storm_roles
from storm_roles import Duties, HelperRole, Submitter, WorkerRole, spec

# Forked, not executed: a child works within a millisecond.
FORK = multiprocessing.get_context('fork')


class Herd:
    """Child processes that are killed and started again."""

    def __init__(self, coin):
        self.coin, self.children, self.kills, self.finished = coin, {}, 0, set()

    def start(self, slot, *arguments):
        seed = self.coin.randrange(2**31)
        role, *rest = arguments
        child = FORK.Process(target=storm_roles.run, args=(role, seed, *rest), name=slot)
        child.start()
        self.children[slot] = (child, arguments)

    def check(self):
        """A child exits only when it is done."""
        for slot, (child, _) in list(self.children.items()):
            if not child.is_alive():
                assert child.exitcode == 0, f'{slot} ended with {child.exitcode}'
                del self.children[slot]
                self.finished.add(slot)

    def kill_one(self):
        slot = self.coin.choice(list(self.children))
        child, arguments = self.children[slot]
        child.kill()
        child.join()
        self.kills += 1
        self.start(slot, *arguments)

    def stop(self):
        for child, _ in self.children.values():
            child.kill()
            child.join()


class Minutes:
    """Says every minute how it goes on under the old snapshot: what was recorded, and what a claim of one task reads."""

    def __init__(self, queue):
        self.queue, self.count, self.recorded = queue, 0, 0

    def next(self):
        worker = self.queue.register('onlooker')
        with self.queue.connection.transaction(force_rollback=True):
            for _ in range(2):  # the first call of a connection reads the catalogue, too
                [[plan]] = self.queue.rows('explain (analyze, buffers, format json) select claim(%s, %s, 1, 1)', *worker)[0]
        recorded, waiting = self.queue.rows('select (select count(*) from result) recorded, (select count(*) from ready) waiting')[0]
        self.count += 1
        blocks = plan['Plan']['Shared Hit Blocks'] + plan['Plan']['Shared Read Blocks']
        print(f'minute {self.count}: {recorded - self.recorded} tasks recorded, {waiting} wait, a claim reads {blocks} blocks', flush=True)
        self.recorded = recorded


def tasks_with_help(queue):
    return queue.one("select count(*) from result r join worker w on w.id = r.worker_id where w.device = 'gpu 0'")


def storm(given, queue, plan, directory):
    coin = random.Random(given.seed)
    herd = Herd(coin)
    for i in range(given.workers):
        herd.start(f'worker {i}', WorkerRole, f'cpu {i}', 'cpu', directory)
    herd.start('host', WorkerRole, 'host 0', 'host', directory)
    herd.start('helper', HelperRole, 'gpu 0', 'gpu', directory)
    for i in range(2):
        herd.start(f'duties {i}', Duties, plan)
        herd.start(f'submitter {i}', Submitter, plan, i, 2)
    checks, start, minutes = 0, time.monotonic(), Minutes(queue)
    try:
        # On a busy machine the helper's turn may come later.
        while (now := time.monotonic() - start) < given.seconds or now < 10 * given.seconds and not tasks_with_help(queue):
            if now > 60 * (minutes.count + 1):
                minutes.next()
            time.sleep(coin.uniform(0.05, 0.3))
            herd.check()
            herd.kill_one()
            if herd.kills % 5 == 0:
                assert not (found := broken(queue)), found
                checks += 1
    finally:
        herd.stop()
    print('when the faults end:', states(queue), flush=True)
    return herd.kills, checks


def finish(queue, plan, directory):
    """Every fault is over: all jobs are submitted once more, and clean workers run what is left."""
    answers = [row for first in range(0, plan['jobs'], 500)
               for row in queue.enqueue(*(spec(plan, n) for n in range(first, min(first + 500, plan['jobs']))))]
    assert all(row.outcome in ('created', 'replayed') for row in answers)
    queue.rows("select expire_leases(clock_timestamp() + interval '16 s') from generate_series(1, 20)")
    crew = [WorkerRole(0, 'last cpu', 'cpu', directory), WorkerRole(0, 'last host', 'host', directory)]
    while queue.one('select count(*) from job where finished_at is null'):
        queue.promote()
        for role in crew:
            try:
                if tasks := queue.claim(role.worker):
                    role.complete(tasks)
            except psycopg.Error as error:
                if error.sqlstate != 'PLM01':
                    raise
                role.register()  # this machine was asleep
    return [row.job_id for row in answers]


def check_end(queue, ids, directory):
    assert not (found := broken(queue)), found
    assert len(set(ids)) == len(ids) == queue.one('select count(*) from job'), 'jobs lost or duplicated'
    accepted = collections.Counter()
    for file in pathlib.Path(directory).glob('accepted.*'):
        for line in file.read_text().splitlines():
            if len(fields := line.split()) == 3:  # the last line of a killed process may be torn
                accepted[tuple(map(int, fields))] += 1
    tasks = collections.Counter((job, task) for job, task, _ in accepted)
    assert all(n == 1 for n in tasks.values()), [t for t, n in tasks.items() if n > 1][:3]
    recorded = {(r.job_id, r.seq): r.fence for r in queue.rows("""
        select job_id, seq, fence from result where state = 'done'
        union all select r.job_id, j.tasks_total, r.fence from report r join job j on j.id = r.job_id""")}
    lost = [t for t in accepted if recorded.get(t[:2]) != t[2]]
    assert not lost, f'accepted, but not recorded so: {lost[:3]}'
    # The report of a merged job lists each of its done tasks once, in order.
    wrong = queue.rows("""
        select j.id from job j join report r on r.job_id = j.id where j.state = 'succeeded' and convert_from(r.content, 'utf8')::jsonb is distinct from
          (select jsonb_agg(convert_from(t.input, 'utf8') order by t.seq) from job_task t join result d on d.job_id = t.job_id and d.seq = t.seq
           where t.job_id = j.id and d.state = 'done') limit 3""")
    assert not wrong, wrong
    while queue.one('select fold_usage(1000)') == 1000:
        pass
    [used] = queue.rows("""select sum(u.seconds) counted, (select sum(charged_seconds) from job) charged, sum(u.tasks) tasks,
        (select count(*) from result where state = 'done') done from usage_hour u""")
    assert abs(used.counted - used.charged) <= 1e-9 * used.charged and used.tasks == used.done, used
    assert not (found := broken(queue)), found
    return states(queue), len(accepted)


def states(queue):
    return {r.state: r.n for r in queue.rows('select state, count(*) n from job group by 1 order by 1')}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in dict(seconds=20, accounts=100, lanes=5, jobs=1500, workers=4, seed=random.randrange(10**6)).items():
        parser.add_argument(f'--{name}', type=int, default=default)
    given = parser.parse_args()
    print('seed', given.seed, flush=True)
    queue = Queue(connect())
    queue.rows('select ensure_partitions()')
    teams = [r.id for r in queue.rows("insert into team (name) select 'team ' || i from generate_series(1, %s) i returning id", given.accounts)]
    for team in teams[::3]:  # a third may hold one device, a third has double weight
        queue.rows("select set_account(%s, 'cpu', null, 1, null)", team)
    for team in teams[1::3]:
        queue.rows("select set_account(%s, 'cpu', 2, null, null)", team)
    plan = dict(teams=teams, lanes=given.lanes, jobs=given.jobs)
    snapshot = connect()
    snapshot.execute('begin isolation level repeatable read')
    snapshot.execute('select count(*) from job')
    with tempfile.TemporaryDirectory() as directory:
        kills, checks = storm(given, queue, plan, directory)
        snapshot.close()
        helped = tasks_with_help(queue)
        assert helped > 0, 'nobody helped'
        ended, accepted = check_end(queue, finish(queue, plan, directory), directory)
    print(f'{kills} kills, {checks} checks, {accepted} completions noted, {helped} tasks done with help; {given.jobs} jobs: {ended}')


if __name__ == '__main__':
    main()
