"""The queue against graphile-worker and pg-boss: on the same PostgreSQL server, with fsync and synchronous_commit on,
in interleaved rounds; medians.

    PLIMSOLL_TEST_FSYNC=on PLIMSOLL_TEST_PG_OPTIONS='-c shared_buffers=1GB -c max_wal_size=4GB'
        tests/support/with_database tests/bench/queue/peers.py [--rounds 5] [--tasks 60000] [--bin FOLDER] [--record] [ROW…]

ROW: work, bulk, single, road, pick_up, snapshot, accounts, teams, size, killed, cancel, drop. The peers come from npm, into
build/bench/peers.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE.parent), str(ROOT / 'tests/integration')]
import results  # noqa: E402
from queue_client import Queue, connect  # noqa: E402
import incidents  # noqa: E402
from worker_bench import Bench, place  # noqa: E402

PEERS = {'graphile-worker': '0.18.0', 'pg-boss': '12.30.0'}
# Tasks of our jobs, and the goals of their rate against the peers' rate of jobs, which have no tasks.
JOB_SIZES = {1: (0.6, 1.2), 5: (1.5, 2.5), 1000: (2.5, 3.5)}
GB_BEFORE = 1.88  # of the same million jobs at 048c3f1, by the same steps
CONNECTIONS = 4  # of a bulk enqueue: ours and the peers'
BODY = '{"kind":"sentiment","args":{"texts":["A quiet harbour."]}}'
MODULES = ROOT / 'build/bench/peers'
COMMAND = ("PLIMSOLL_TEST_FSYNC=on PLIMSOLL_TEST_PG_OPTIONS='-c shared_buffers=1GB -c max_wal_size=4GB' "
           'tests/support/with_database tests/bench/queue/peers.py --record')


def install():
    """The peers, once; the pinned Node first in PATH."""
    node = subprocess.run([ROOT / 'deploy/setup/node'], check=True, capture_output=True, text=True).stdout.strip()
    os.environ['PATH'] = f"{node}:{os.environ['PATH']}"
    os.environ['PEERS_MODULES'] = str(MODULES / 'node_modules')
    if not (MODULES / 'complete').exists():
        MODULES.mkdir(parents=True, exist_ok=True)
        (MODULES / 'package.json').write_text('{"private": true}')
        subprocess.run(['npm', 'install', '--no-audit', '--no-fund', '--silent', *(f'{n}@{v}' for n, v in PEERS.items())], cwd=MODULES, check=True)
        (MODULES / 'complete').touch()


def new_database(name, migrate=False):
    """The URL of an empty database on the same server, or of one with our schema."""
    url = os.environ['PLIMSOLL_TEST_DATABASE_URL'].replace('/plimsoll?', f'/{name}?')
    with connect() as connection:
        connection.execute(f'drop database if exists {name} with (force)')
        connection.execute(f'create database {name}')
    if migrate:
        subprocess.run([ROOT / 'tests/support/migrate', url], check=True)
        subprocess.run(['psql', '-qX', url, '-c', 'select plimsoll.ensure_partitions()'], check=True, stdout=subprocess.DEVNULL)
    return url


def ask(peer, measurement, count):
    """One measurement of a peer, in a database of its own that is new each time."""
    told = subprocess.run(['node', HERE / 'peers.mjs', peer, measurement, str(count)], check=True, capture_output=True, text=True,
                          env=os.environ | {'PEERS_DATABASE_URL': new_database('peer')}).stdout
    return json.loads(told.splitlines()[-1])


class Run:
    def __init__(self, given, programs):
        self.given, self.programs, self.bench = given, programs, Bench()
        self.measured = {}

    def note(self, name, value):
        self.measured.setdefault(name, []).append(value)

    def median(self, name):
        return statistics.median(self.measured[name])

    def work(self):
        for peer in PEERS:
            self.note(f'work {peer}', ask(peer, 'work', self.given.tasks)['per_second'])
        for per_job in JOB_SIZES:
            self.bench.empty()
            self.note(f'work {per_job}', self.bench.work(self.programs, self.given.tasks, per_job))

    def bulk(self):
        for peer in PEERS:
            self.note(f'bulk {peer}', ask(peer, 'bulk', self.given.tasks)['per_second'])
        for per_job in (100, 1):
            self.bench.empty()
            self.note(f'bulk, jobs of {per_job}', self.given.tasks / self.enqueue(self.given.tasks, per_job))

    def enqueue(self, tasks, per_job):
        """Seconds of calls with 1,000 tasks each, which wait for the disk as the server's do: after their transaction."""
        calls = iter(range(0, tasks // per_job, 1000 // per_job))
        def fill(queue):
            for first in calls:  # each call is drawn once: the interpreter's lock is held meanwhile
                queue.rows("select bench.enqueue(%s, %s, 1, 1, %s), set_config('synchronous_commit', 'off', true)",
                           1000 // per_job, per_job, first)
                queue.rows("select pg_logical_emit_message(true, 'plimsoll', '')")
        queues = [Queue(connect()) for _ in range(CONNECTIONS)]
        start = time.monotonic()
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            list(pool.map(fill, queues))
        took = time.monotonic() - start
        for queue in queues:
            queue.connection.close()
        return took

    def single(self):
        for peer in PEERS:
            self.note(f'single {peer}', ask(peer, 'single', self.given.tasks // 30)['per_second'])
        self.note('single', self.post())

    def post(self):
        """Jobs a second."""
        told = subprocess.run([self.programs / 'http_request_loop', self.server.base.rpartition(':')[2], '/v1/jobs', self.token, '8', str(self.given.seconds), '0',
                               BODY], check=True, stdout=subprocess.PIPE, text=True).stdout
        return json.loads(told)['requests_per_second']

    def road(self):
        for peer in PEERS:
            self.note(f'road {peer}', ask(peer, 'road', self.given.tasks // 10)['per_second'])
        left = lambda: self.api.get('/v1/jobs?state=queued&limit=1').json['items'] or self.api.get('/v1/jobs?state=running&limit=1').json['items']
        self.api.wait(self.api.post('/v1/jobs', json.loads(BODY)).json['id'])  # the worker runs
        start = time.monotonic()
        posted = self.post() * self.given.seconds
        while left():
            time.sleep(0.01)
        self.note('road', posted / (time.monotonic() - start))

    def pick_up(self):
        for peer in PEERS:
            told = ask(peer, 'pick_up', self.given.waits)
            for key in ('call_p50_ms', 'call_p99_ms'):
                self.note(f'pick_up {key} {peer}', told[key])
        self.bench.empty()
        times = self.bench.pick_up(self.programs, self.given.waits)
        self.note('pick_up p50', place(times, 0.5))
        self.note('pick_up p99', place(times, 0.99))

    def snapshot(self):
        self.bench.empty()
        fresh = self.bench.work(self.programs, self.given.tasks)
        fresh_pick_up = place(self.bench.pick_up(self.programs, self.given.waits), 0.5)
        self.bench.empty()
        with connect() as holder:
            holder.execute('begin isolation level repeatable read')
            holder.execute('select 1 from job limit 1')
            for _ in range(3):
                held = self.bench.work(self.programs, self.given.tasks)
                self.bench.queue.connection.execute('delete from result; delete from job')
            self.note('snapshot, throughput', held / fresh)
            self.note('snapshot, pick-up', place(self.bench.pick_up(self.programs, self.given.waits), 0.5) / fresh_pick_up)

    def accounts(self):
        for _ in range(3):  # half a second each, so one alone says little
            rates = []
            for teams, lanes in ((1, 1), (1000, 5)):
                self.bench.empty(teams)
                rates.append(self.bench.work(self.programs, self.given.tasks, per_job=max(2, self.given.tasks // 5000), lanes=lanes))
            self.note('accounts', rates[1] / rates[0])

    def teams(self):
        rates = []
        for teams in (1, 10_000):
            self.bench.empty(1)
            self.bench.teams += [row.id for row in self.bench.queue.rows(
                "insert into team (name) select 'one of many ' || i from generate_series(2, %s) i returning id", teams)]
            rates.append(self.bench.work(self.programs, 10_000, per_job=1))
        self.note('teams', rates[1] / rates[0])

    def size(self):
        """Bytes of a finished job of one text, with its row, its report and all indexes."""
        self.bench.empty()
        queue, jobs = self.bench.queue, self.given.tasks
        size = lambda: queue.one("select sum(pg_total_relation_size(c.oid)) from pg_class c where c.relnamespace = 'plimsoll'::regnamespace and c.relkind = 'r'")
        queue.connection.execute('vacuum full audit_event')
        before = size()
        self.enqueue(jobs, 1)
        queue.connection.execute('''insert into bench.worker select 0, worker_id, epoch from register_worker('node', 'size', 'cpu', '{bench:1}',
            '{}', 20::smallint, 1, '{}', '{}') on conflict (n) do update set worker_id = excluded.worker_id, epoch = excluded.epoch''')
        while fence := queue.one('select fence from bench.claim(0, 500)'):
            queue.rows('select bench.beat(0)')
            queue.one('select bench.complete(0, %s)', fence)
        queue.connection.execute('vacuum')
        self.note('size', float(size() - before) / jobs)

    def killed(self):
        self.note('killed', incidents.killed(self.bench, self.programs))

    def cancel(self):
        self.bench.empty()
        times = incidents.cancelled(self.bench, self.programs, self.given.cancels)
        self.note('cancel p50', place(times, 0.5))
        self.note('cancel p99', place(times, 0.99))

    def drop(self):
        self.bench.empty()
        took, claim = incidents.dropped(self.bench, self.given.jobs)
        self.note('drop', took)
        self.note('drop, longest claim', claim * 1000)

    def entries(self):
        rounds = dict(rounds=self.given.rounds, command=COMMAND)
        told = []
        versus = lambda name, ours, unit, key, goals: told.extend(
            results.entry(name, 'queue', round(self.median(ours)), unit, peer=f'{peer} {PEERS[peer]}', peer_value=round(self.median(f'{key} {peer}')),
                          must=goals[peer][0], stretch=goals[peer][1], **rounds) | {'name': f'{name}, beside {peer}'} for peer in PEERS)
        ratio = lambda name, key, must, stretch: told.append(
            results.entry(name, 'queue', round(self.median(key), 2), 'x', peer='ours', peer_value=1, must=must, stretch=stretch, **rounds))
        if 'work' in self.given.row:
            for per_job, goals in JOB_SIZES.items():
                name = f'no-op tasks in jobs of {per_job:,}' if per_job > 1 else 'no-op jobs of 1 task'
                versus(f'{name}, through the worker process', f'work {per_job}', 'tasks/s', 'work', {peer: goals for peer in PEERS})
        if 'bulk' in self.given.row:
            for per_job in (100, 1):
                goals = (2, 3) if per_job == 100 else (1, 1.5)
                versus(f'bulk enqueue, {CONNECTIONS} connections, jobs of {per_job} task{"s" * (per_job > 1)}', f'bulk, jobs of {per_job}', 'tasks/s', 'bulk',
                       {peer: goals for peer in PEERS})
        if 'single' in self.given.row:
            versus('POST /v1/jobs, 8 in flight', 'single', 'jobs/s', 'single', {'graphile-worker': (6, 8), 'pg-boss': (4, 5)})
        if 'road' in self.given.row:
            versus('POST of single-text jobs, 8 in flight, beside a worker, to recorded results', 'road', 'jobs/s', 'road', {peer: (2.5, 5) for peer in PEERS})
        if 'pick_up' in self.given.row:
            for share, most, stretch in (('p50', 1.2, 1.5), ('p99', 2, 4 / 3)):
                told.append(results.entry_of_least(f'commit acknowledged to handler entered, idle, {share}', 'queue', round(self.median(f'pick_up {share}'), 2),
                                                   'ms', most=most, must=1, stretch=stretch, **rounds))
        if 'snapshot' in self.given.row:
            ratio('throughput with a snapshot held, against fresh', 'snapshot, throughput', 0.85, 0.95)
            told.append(results.entry_of_least('pick-up with a snapshot held, against fresh', 'queue', round(self.median('snapshot, pick-up'), 2), 'x',
                                               most=1.5, must=1, stretch=1.25, **rounds))
        if 'accounts' in self.given.row:
            ratio('throughput of 1,000 accounts x 5 lanes, against 1', 'accounts', 0.8, 0.95)
        if 'teams' in self.given.row:
            ratio('no-op jobs of 1 task of 10,000 teams, one each, against those of 1 team', 'teams', None, None)
        if 'size' in self.given.row:
            told.append(results.entry_of_least('a million finished jobs of one text, database', 'queue', round(self.median('size') / 1000, 2), 'GB',
                                               most=round(0.7 * GB_BEFORE, 2), must=1, stretch=0.7 / 0.5, **rounds))
        least = lambda name, key, unit, most, stretch: told.append(
            results.entry_of_least(name, 'queue', round(self.median(key), 3), unit, most=most, must=1, stretch=most / stretch, **rounds))
        if 'killed' in self.given.row:
            least('worker killed to its task begun elsewhere', 'killed', 's', 20, 16)
        if 'cancel' in self.given.row:
            least('cancel to device stopped and job cancelled, p99', 'cancel p99', 's', 1, 0.3)
        if 'drop' in self.given.row:
            least(f'a day of {self.given.jobs:,} jobs dropped while claims run', 'drop', 's', 1, 1)
            least(f'longest claim beside the drop of {self.given.jobs:,} jobs', 'drop, longest claim', 'ms', 100, 100)
        return told


def main():
    rows = ['work', 'bulk', 'single', 'road', 'pick_up', 'snapshot', 'accounts', 'teams', 'size', 'killed', 'cancel', 'drop']
    parser = results.arguments(rounds=5, programs=True)
    parser.add_argument('--tasks', type=int, default=60_000)
    parser.add_argument('--waits', type=int, default=100, help='jobs of a pick-up')
    parser.add_argument('--seconds', type=int, default=5, help='of posting')
    parser.add_argument('--cancels', type=int, default=20)
    parser.add_argument('--jobs', type=int, default=1_000_000, help='of the day that is dropped')
    parser.add_argument('row', nargs='*', default=rows)
    given = parser.parse_args()
    programs = results.programs_of(given, 'plimsoll', 'plimsoll-engine', 'test_engine_with_faults', 'http_request_loop')
    install()
    from harness import Server  # finds the programs when it is loaded
    run = Run(given, programs)
    run.bench.queue.connection.execute((HERE / 'steps.sql').read_text() + ';set search_path = plimsoll')
    for number in range(given.rounds):
        for row in given.row:
            if row in ('single', 'road'):
                url = new_database('api', migrate=True).replace('//postgres@', '//plimsoll_app@')
                engine = {'database__worker_url': url.replace('//plimsoll_app@', '//plimsoll_worker@')} if row == 'road' else {'engine__local': 'false'}
                with Server(limits__requests_per_minute='0', limits__team_requests_per_minute='0', database__url=url, **engine) as server:
                    run.server, run.api = server, server.api()
                    run.token = run.api.token
                    getattr(run, row)()
            elif row == 'killed':
                run.bench.empty()
                url = os.environ['PLIMSOLL_TEST_DATABASE_URL'].replace('//postgres@', '//plimsoll_app@')
                with Server(database__url=url, engine__local='false'):
                    run.killed()
            else:
                getattr(run, row)()
        print(f'round {number + 1}:', {name: round(values[-1], 2) for name, values in run.measured.items()}, flush=True)
    for name, values in run.measured.items():
        print(f'{name}: {statistics.median(values):,.2f}')
    results.publish(run.entries(), given)


if __name__ == '__main__':
    main()
