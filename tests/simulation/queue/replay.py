"""Replays random histories of the queue's rules against the SQL functions, whose responses and state must be the same
at every step.

    tests/support/with_database tests/simulation/queue/replay.py SIMULATION [--histories 100] [--seed 1] [--without GUARD…]

SIMULATION is the program queue_simulation. Time is an argument of every function, and each history is a transaction
that is rolled back. Every other job has inputs that are too long for a job's row. A claim must bring each task's own
input, a merge its tasks' partials, the invariants hold at a history's end, and deleted jobs and dropped days leave nothing.
A difference prints the seed and the step; the same --seed with --histories 1 repeats it.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import subprocess
import sys
import time

import psycopg
from psycopg.rows import tuple_row

from queue_client import connect
from queue_invariants import INVARIANTS

HERE = pathlib.Path(__file__).resolve().parent
CLASSES = ['cpu', 'host']
DAY = datetime.timedelta(days=1)
FIRST_DAY = 1000  # on which histories begin


class Different(Exception):
    pass


class History:
    def __init__(self, connection, header):
        self.connection = connection
        midnight = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
        self.epoch = midnight - FIRST_DAY * DAY
        self.epoch_ms = round(self.epoch.timestamp() * 1000)
        self.day = FIRST_DAY
        self.drawn = 0  # jobs that were submitted, also those that were not made
        self.jobs, self.job_numbers = {}, {}  # number in the history → id, and back
        self.inputs = {}  # (number of a job, task) → its items and input
        self.known = {}  # the jobs after the step before
        self.ends_by_day = header['seed'] % 4 == 0
        self.workers, self.worker_numbers = {}, {}
        self.first_number = self.one("select nextval('job_seq') << 20")
        self.first_fence, self.fences = self.one("select nextval('fence_seq')"), {}  # fences by their number in the history
        self.teams, self.accounts, self.lanes = [], [], []
        for number, (device_class, weight, cap) in enumerate(header['accounts']):
            if number % len(CLASSES) == 0:
                self.teams.append(self.one("insert into team (name) values ('team ' || %s) returning id", number))
            self.accounts.append(self.one("""
                with made as (insert into account (team_id, class_id) select %s, id from device_class where name = %s returning id, class_id)
                insert into account_state (account_id, class_id, weight, cap) select id, class_id, %s, %s from made returning account_id""",
                                          self.teams[-1], CLASSES[device_class], weight, cap))
        self.account_of = [account for account, _, _ in header['lanes']]
        self.keys = header['lanes']
        for account, priority, memory in header['lanes']:
            self.lanes.append(self.one("""
                insert into lane (account_id, kind, kind_version, capability, memory_bucket, model, priority)
                values (%s, 'test', 1, '', %s, '', %s) returning id""", self.accounts[account], memory, priority))
        self.lane_numbers = {lane: number for number, lane in enumerate(self.lanes)}

    def rows(self, sql, *values):
        return self.connection.cursor(row_factory=tuple_row).execute(sql, values).fetchall()

    def one(self, sql, *values):
        return self.rows(sql, *values)[0][0]

    def at(self, ms):
        return None if ms is None else self.epoch + datetime.timedelta(milliseconds=ms)

    def fence(self, number):
        return self.fences.get(number, self.first_fence + number << 20)

    def fence_number(self, fence):
        if fence is None:
            return 0
        number = (fence >> 20) - self.first_fence  # it ends with a time
        self.fences[number] = fence
        return number

    def job(self, number):
        return self.jobs.get(number, number)  # a job that was never made: an id of none

    @staticmethod
    def input(job, task):
        return f'input {task} of job {job}'.ljust(129 if job % 2 else 1).encode()

    @staticmethod
    def alike(what, given, wanted):
        if not same(given, wanted):
            raise Different(f'{what}\n  SQL   {given}\n  rules {wanted}')

    def end(self):
        self.connection.execute('set local enable_nestloop = off')  # the tables have no statistics
        for name, sql in INVARIANTS.items():
            self.alike(name, self.rows(sql + ' limit 3'), [])
        if self.ends_by_day:
            self.drop_days(self.epoch + 2 * FIRST_DAY * DAY, 1)
        for team in self.teams:
            self.rows('select delete_jobs(%s, array(select id from job where team_id = %s and finished_at is not null))', team, team)
        for table in ('job', 'job_task', 'task', 'result', 'attempt', 'event', 'report', 'job_standing'):
            self.alike(f'{table} of deleted jobs', self.rows(f"""select t.* from {table} t left join job j on j.id = t.{'id' if table == 'job' else 'job_id'}
                where j.id is null or j.finished_at is not null limit 3"""), [])

    # The calls, by the names in the record: arguments as recorded, answers as recorded.

    def pass_(self, now):
        if (day := (now - self.epoch) // DAY) != self.day:
            self.day = day
            self.rows('select ensure_partitions(0, %s)', now)

    def enqueue(self, now, *jobs):
        n = len(jobs)
        lanes = [self.keys[j[0]] for j in jobs]
        tasks = [(i, *t, self.input(self.drawn + i - 1, number)) for i, j in enumerate(jobs, 1) for number, t in enumerate(j[8])]
        none = [None] * n
        rows = self.rows(
            """select job_id, outcome from enqueue(%s::bigint[], %s::bigint[], %s::text[], %s::smallint[], %s::json[], %s::text[], %s::jsonb[],
               %s::smallint[], %s::text[], %s::text[], %s::smallint[], %s::text[], %s::boolean[], %s::timestamptz[], %s::text[], %s::bytea[],
               %s::timestamptz[], %s::real[], %s::text[], false, %s::int[], %s::int[], %s::real[], %s::bytea[], p_now => %s) order by ord""",
            [self.teams[l[0] // len(CLASSES)] for l in lanes], [1] * n, ['test'] * n, [1] * n, ['{}'] * n, none, ['{}'] * n,
            [l[1] for l in lanes], ['cpu'] * n, [''] * n, [l[2] for l in lanes], [''] * n, [j[1] for j in jobs], [self.at(j[2]) for j in jobs],
            [None if j[5] < 0 else f'key {j[5]}' for j in jobs], [None if j[5] < 0 else bytes([j[6]]) for j in jobs],
            [self.at(j[3]) for j in jobs], [None if j[4] is None else j[4] / 1000 for j in jobs],
            [None if j[7] < 0 else f'unique {j[7]}' for j in jobs],
            [t[0] for t in tasks], [t[1] for t in tasks], [t[2] for t in tasks], [t[3] for t in tasks], now)
        answers = []
        for (job_id, outcome), job in zip(rows, jobs):
            number = self.drawn
            self.drawn += 1
            if outcome == 'created':
                self.jobs[number], self.job_numbers[job_id] = job_id, number
                self.inputs |= {(number, task): (t[0], self.input(number, task)) for task, t in enumerate(job[8])}
            answers.append([outcome, -1 if job_id is None else self.job_numbers[job_id]])
        return answers

    def set_account(self, now, account, weight, cap, paused):
        team = self.teams[account // len(CLASSES)]
        self.rows('select set_account(%s, %s, %s, %s, %s)', team, CLASSES[account % len(CLASSES)], weight, cap, paused)

    def register(self, now, worker, device_class, memory, speed, died):
        ran = None if died is None else [[self.fence(f) for f, _, _ in died], [self.job(j) for _, j, _ in died], [t for _, _, t in died]]
        worker_id, epoch = self.rows("select * from register_worker('node', %s, %s, '{test:1}', '{}', %s::smallint, %s::real, '{}', '{}', %s, %s::bigint[], %s::bigint[], %s::int[])",
                                     f'device {worker}', CLASSES[device_class], memory, speed, now, *(ran or [None] * 3))[0]
        self.workers[worker], self.worker_numbers[worker_id] = worker_id, worker
        return epoch

    def retire(self, now, worker, epoch):
        return self.one('select retire_worker(%s, %s, %s)', self.workers[worker], epoch, now)

    def heartbeat(self, now, worker, epoch, fences):
        alive, stale, cancelled = self.rows("select alive, stale_fences, cancelled_jobs from heartbeat(%s, %s, %s::bigint[], '{}', '{}', null, %s)", self.workers[worker], epoch,
                                                      [self.fence(f) for f in fences], now)[0]
        return [alive, [self.fence_number(f) for f in stale], sorted(self.job_numbers[j] for j in cancelled)]

    def claim(self, now, worker, epoch, seconds, tasks):
        rows = self.rows('select * from replay.claim(%s, %s, %s, %s, %s)', self.workers[worker], epoch, seconds, tasks, now)
        if rows and rows[0][0] is None:
            return 'unregistered'
        for _, job, task, _, *brought in rows:
            number = self.job_numbers[job]
            done = sum(state == 1 for state, _ in self.known.get(str(number), [[]])[-1])
            self.alike(f'task {task} of job {number}', tuple(brought), (*self.inputs.get((number, task), (None, None)),
                                                                        None if (number, task) in self.inputs else [b'{}'] * done))
        return [[self.fence_number(fence), self.job_numbers[job], task, attempt] for fence, job, task, attempt, *_ in rows]

    def complete(self, now, worker, epoch, fence, tasks):
        n = len(tasks)
        rows = self.rows(
            """select verdict from complete_each(%s, %s, %s, %s::bigint[], %s::int[], %s::text[], %s::bytea[], %s::bytea[], %s::int[], %s::int[],
               %s::real[], %s::text[], %s::real[], %s, %s::bytea[])""",
            self.workers[worker], epoch, self.fence(fence), [self.job(t[0]) for t in tasks], [t[1] for t in tasks], [t[2] for t in tasks],
            [b'out'] * n, [b'{}'] * n, [t[4] for t in tasks], [t[5] for t in tasks], [float(t[3]) for t in tasks],
            [None if t[2] == 'done' else 'failed' for t in tasks], [None if t[6] is None else t[6] / 1000 for t in tasks], now, [b'{}' if t[7] else None for t in tasks])
        return [verdict for verdict, in rows]

    def release(self, now, worker, epoch, fence, tasks):
        return self.one('select release_tasks(%s, %s, %s, %s::bigint[], %s::int[], %s)', self.workers[worker], epoch, self.fence(fence),
                        [self.job(t[0]) for t in tasks], [t[1] for t in tasks], now)

    def expire(self, now):
        rows = self.rows('select worker_id from expire_leases(%s)', now)
        return self.worker_numbers[rows[0][0]] if rows else None

    def promote(self, now):
        return self.one('select promote_due(1000, %s)', now)

    def end_overdue(self, now):
        rows = self.rows('select * from end_overdue(%s)', now)
        if rows and rows[0][1] == 'passed':  # of two that are due at once, either comes first
            return [-1, 'passed']
        return [self.job_numbers[rows[0][0]], rows[0][1]] if rows else None

    def cancel(self, now, team, job):
        return self.one('select cancel_job(%s, %s, %s)', self.teams[team], self.job(job), now)

    def redrive(self, now, team, job):
        return self.rows('select outcome from redrive_jobs(%s, %s::bigint[], %s)', self.teams[team], [self.job(job)], now)[0][0]

    def drop_days(self, now, keep):
        while any(outcome == 'dropped' for _, outcome in self.rows('select * from apply_retention(%s, %s)', keep, now)):
            pass

    def state(self):
        """The database's state in the history's numbers."""
        told = self.one('select replay.state()')
        ms = lambda at: at - self.epoch_ms
        lanes = {str(self.lane_numbers[lane]): [head - self.first_number, []] for lane, head, _ in told['heads'] or []}
        for lane, number, job, task, seconds, attempt, crashes, since in told['ready'] or []:
            entry = lanes.setdefault(str(self.lane_numbers[lane]), [None, []])
            entry[1].append([number - self.first_number, self.job_numbers[job], task, seconds, attempt, crashes, ms(since)])
        return {
            'clocks': told['clocks'],
            'accounts': told['accounts'],
            'lanes': lanes,
            'leases': [[self.fence_number(fence), self.worker_numbers[worker], epoch,
                        [[self.job_numbers[t[0]], t[1], self.lane_numbers[t[2]], *t[3:]] for t in tasks]]
                       for fence, worker, epoch, tasks in told['leases'] or []],
            'scheduled': sorted([ms(at), self.job_numbers[job], task, attempt, crashes] for at, job, task, attempt, crashes in told['scheduled'] or []),
            'workers': [[epoch, state, ms(seen)] for epoch, state, seen in told['workers'] or []],
            'jobs': {str(self.job_numbers[j[0]]): [*j[1:9], self.fence_number(j[9]), [[s, self.fence_number(f)] for s, f in j[10] or []]]
                     for j in told['jobs'] or []},
        }

    def step(self, line):
        now = self.at(line['now'])
        arguments = line['arguments']
        if line['call'] == 'pass':
            answer = self.pass_(now)
        else:
            answer = getattr(self, line['call'])(now, *arguments)
        if line['call'] == 'end_overdue' and line['answer'] and line['answer'][1] == 'passed':
            line['answer'][0] = -1
        expected = line['state']
        expected['scheduled'].sort()
        expected['workers'] = [w for w in expected['workers'] if w[0] > 0]
        for what, given, wanted in [('answer', answer, line['answer']), *((name, value, expected[name]) for name, value in self.state().items())]:
            self.alike(f"{line['call']} {arguments}: {what}", given, wanted)
        self.known = expected['jobs']


def same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, (int, float)) and isinstance(b, (int, float)) and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return a == b


def prepare():
    connection = connect()
    connection.execute((HERE / 'replay.sql').read_text())
    connection.execute('set search_path = plimsoll; select ensure_partitions()')
    return connection


def replay(connection, program, seed, histories, *options):
    """The number of steps, all alike; raises Different."""
    with subprocess.Popen([program, '--few', '--record', '--seed', str(seed), '--histories', str(histories), *options],
                          stdout=subprocess.PIPE, text=True) as simulation:
        steps = ended = 0
        try:
            for line in map(json.loads, simulation.stdout):
                if 'seed' in line:
                    connection.execute('begin')
                    seed, history, step = line['seed'], History(connection, line), 0
                elif 'call' in line:
                    step += 1
                    history.step(line)
                else:
                    history.end()
                    connection.execute('rollback')
                    steps += step
                    ended += 1
                    if ended % 100 == 0:
                        print(f'{ended} histories, {steps} steps', flush=True)
        except (Different, psycopg.Error) as different:
            simulation.terminate()
            connection.execute('rollback')
            raise Different(f'seed {seed}, step {step}: {different}') from different
    assert simulation.returncode == 0 and ended == histories, 'the simulation failed'
    return steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('simulation')
    parser.add_argument('--histories', type=int, default=10_000 if os.environ.get('PLIMSOLL_LONG_TESTS') else 100)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--without', action='append', default=[], help='a guard that the rules then lack: a difference is expected')
    given = parser.parse_args()
    start = time.monotonic()
    try:
        steps = replay(prepare(), given.simulation, given.seed, given.histories, *(word for guard in given.without for word in ('--without', guard)))
    except Different as different:
        sys.exit(str(different))
    print(f'{given.histories} histories, {steps} steps, alike at every one; {time.monotonic() - start:.0f} s')


if __name__ == '__main__':
    main()
