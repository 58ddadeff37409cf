"""A thin wrapper of the queue's SQL functions for tests: one object per connection and role."""

import json
import os
import re
from collections import namedtuple

import psycopg
from psycopg.rows import namedtuple_row

Worker = namedtuple('Worker', 'worker_id epoch')
Claimed = namedtuple('Claimed', 'fence job_id task attempt items est_seconds input is_merge kind kind_version args model partials is_whole')


def server_folder():
    """Where the server's socket lies."""
    return re.search('host=([^&]+)', os.environ['PLIMSOLL_TEST_DATABASE_URL'])[1]


def url_for(role, folder=None):
    """The address for a program that is to have this role; `folder` holds a socket other than the server's."""
    url = os.environ['PLIMSOLL_TEST_DATABASE_URL'].replace('//postgres@', f'//{role}@')
    return url.replace(f'host={server_folder()}', f'host={folder}') if folder else url


def connect(user='postgres', **settings):
    connection = psycopg.connect(os.environ['PLIMSOLL_TEST_DATABASE_URL'], user=user, autocommit=True,
                                 row_factory=namedtuple_row, options='-c search_path=plimsoll', **settings)
    connection.prepare_threshold = 2
    return connection


def task(items=1, seconds=0.01, data=b'in'):
    return items, seconds, data


def job(team, tasks=1, **given):
    """A job of `tasks` equal tasks, or of the given list of tasks."""
    values = dict(team=team, user=1, kind='test', version=1, args='{}', name=None, labels='{}', priority=0,
                  device_class='cpu', capability='', memory=0, model='', merge=True, run_at=None, key=None,
                  fingerprint=None, deadline=None, timeout=None, unique=None)
    assert given.keys() <= values.keys(), given
    values.update(given)
    values['tasks'] = [task()] * tasks if isinstance(tasks, int) else tasks
    return values


class Queue:
    def __init__(self, connection, now=None):
        self.connection = connection
        self.now = now

    def rows(self, sql, *values):
        return self.connection.execute(sql, values).fetchall()

    def one(self, sql, *values):
        return self.connection.execute(sql, values).fetchone()[0]

    def _at(self):
        return '' if self.now is None else ', p_now => ' + psycopg.sql.Literal(self.now).as_string(self.connection)

    def call(self, name, types, *values):
        marks = ', '.join(f'%s::{t}' for t in types.split())
        return self.rows(f'select * from {name}({marks}{self._at() if types else self._at()[2:]})', *values)

    def enqueue(self, *jobs, whole=False):
        """A row a job; refusal says which quota refused it."""
        column = lambda name: [j[name] for j in jobs]
        tasks = [(n, *t) for n, j in enumerate(jobs, 1) for t in j['tasks']]
        return self.call(
            'enqueue',
            'bigint[] bigint[] text[] smallint[] json[] text[] jsonb[] smallint[] text[] text[] smallint[] text[] boolean[] '
            'timestamptz[] text[] bytea[] timestamptz[] real[] text[] boolean int[] int[] real[] bytea[]',
            *map(column, ('team', 'user', 'kind', 'version', 'args', 'name', 'labels', 'priority', 'device_class', 'capability',
                          'memory', 'model', 'merge', 'run_at', 'key', 'fingerprint', 'deadline', 'timeout', 'unique')), whole,
            *([t[i] for t in tasks] for i in range(4)))

    def register(self, device, device_class='cpu', kinds=('test:1',), capabilities=(), memory=20, speed=1.0, node='node', helps=(), died=None):
        """died: what the process before it was running when it died; none: nobody knows."""
        ran = [None] * 3 if died is None else [[t.fence for t in died], [t.job_id for t in died], [t.task for t in died]]
        now = self._at() or ', p_now => clock_timestamp()'
        marks = '%s::text, %s::text, %s::text, %s::text[], %s::text[], %s::smallint, %s::real, %s::json, %s::text[]'
        ends = 'p_died_fences => %s::bigint[], p_died_jobs => %s::bigint[], p_died_tasks => %s::int[]'
        return Worker(*self.rows(f'select * from register_worker({marks}{now}, {ends})', node, device, device_class, list(kinds),
                                 list(capabilities), memory, speed, '{}', list(helps), *ran)[0])

    def claim(self, worker, seconds=1e6, tasks=64, memory=None, models=()):
        return self._tasks(self.claim_by_job(worker, seconds, tasks, memory, models))

    def claim_by_job(self, worker, seconds=1e6, tasks=64, memory=None, models=()):
        """A row a job."""
        return self._read(worker, self.call('claim', 'int int float8 int smallint text[]', *worker, seconds, tasks, memory, list(models)))

    def claim_elsewhere(self, worker, seconds=1e6, tasks=64, memory=None):
        """What it helps with."""
        return self._tasks(self._read(worker, self.call('claim_elsewhere', 'int int float8 int smallint', *worker, seconds, tasks, memory)))

    def _read(self, worker, leased):
        return self.rows("select * from read_lease(%s, %s, '{}')", *worker) if leased else []

    @staticmethod
    def _tasks(rows):
        """A row a task, in the claim's order."""
        placed = []
        for row in rows:
            nothing = [None] * len(row.tasks)
            for place, task, attempt, items, seconds, data in zip(row.places, row.tasks, row.attempts, row.items or nothing,
                                                                  row.est_seconds, row.inputs or nothing):
                placed.append((place, Claimed(row.fence, row.job_id, task, attempt, items, seconds, data, row.is_merge, row.kind,
                                              row.kind_version, row.args, row.model, row.partials, row.is_whole)))
        return [claimed for _, claimed in sorted(placed, key=lambda pair: pair[0])]

    def complete(self, worker, tasks, outcome='done', content=b'out', partial=b'{}', ok=None, failed=0, seconds=None, error=None,
                 delay=None, fence=None):
        """Completes claimed rows alike; answers the verdicts in order."""
        n = len(tasks)
        rows = self.call(
            'complete_each', 'int int bigint bigint[] int[] text[] bytea[] bytea[] int[] int[] real[] text[] real[]', *worker,
            fence or tasks[0].fence, [t.job_id for t in tasks], [t.task for t in tasks], [outcome] * n, [content] * n, [partial] * n,
            [(t.items or 0) - failed if ok is None else ok for t in tasks], [failed] * n,
            [t.est_seconds if seconds is None else seconds for t in tasks], [error] * n, [delay] * n)
        return [r.verdict for r in rows]

    def heartbeat(self, worker, fences=(), progress=(), slowness=None, offered_memory=None):
        """slowness: seconds that the worker takes for an estimated one of the kind 'test'. offered_memory: bytes."""
        jobs, items = ([p[i] for p in progress] for i in (0, 1))
        known = {'slowness': slowness and {'test:1': slowness}, 'offered_memory': offered_memory}
        known = {name: value for name, value in known.items() if value is not None}
        telemetry = json.dumps(known) if known else None
        return self.call('heartbeat', 'int int bigint[] bigint[] int[] json', *worker, list(fences), jobs, items, telemetry)[0]

    def release(self, worker, tasks):
        return self.call('release_tasks', 'int int bigint bigint[] int[]', *worker, tasks[0].fence, [t.job_id for t in tasks],
                         [t.task for t in tasks])[0][0]

    def retire(self, worker):
        return self.call('retire_worker', 'int int', *worker)[0][0]

    def cancel(self, team, job_id):
        return self.call('cancel_job', 'bigint bigint', team, job_id)[0][0]

    def expire(self):
        """Ends the leases of every silent worker; answers how many tasks they held."""
        tasks = 0
        while rows := self.call('expire_leases', ''):
            tasks += rows[0].tasks
        return tasks

    def promote(self):
        return self.call('promote_due', 'int', 1000)[0][0]

    def redrive(self, team, *job_ids):
        return {row.job_id: row.outcome for row in self.call('redrive_jobs', 'bigint bigint[]', team, list(job_ids))}

    def end_overdue(self):
        """Stops every job whose time is over; answers what became of each."""
        outcomes = []
        while rows := self.call('end_overdue', ''):
            outcomes += [tuple(row) for row in rows]
        return outcomes

    def wait(self, team, job_id):
        [row] = self.call('explain_wait', 'bigint bigint', team, job_id)
        return row

    def set_share(self, team, weight=1.0, cap=None, quota=None, period='day', device_class='cpu'):
        self.rows('select set_share(%s, %s, %s, %s, %s, %s)', team, device_class, weight, cap, quota, period)

    def hold(self, scope, subject, mode='pause', by_admin=True):
        """The hold's id; its author is user 1."""
        return self.call('place_hold', 'text text text text boolean bigint', scope, str(subject), mode, 'Maintenance.', by_admin, 1)[0][0]

    def resume(self, hold, team=None):
        return self.one('select lift_hold(%s, %s)', hold, team)

    def make_team(self, name):
        return self.one('insert into team (name) values (%s) returning id', name)

    def state(self, job_id):
        return self.one('select state from job where id = %s', job_id)
