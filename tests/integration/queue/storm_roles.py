"""The processes of the storm. Each may be killed at any moment; each commits 1 to 3 ms late."""

import json
import pathlib
import random
import time

import psycopg

from queue_client import Queue, connect, job, task


class Role:
    """One process: a connection of its own, a seeded coin, and late commits."""

    def __init__(self, user, seed):
        self.coin = random.Random(seed)
        self.queue = Queue(connect(user))
        # A machine may stand still for longer than the roles allow; the storm's own kills end what must end.
        self.queue.connection.execute('set idle_in_transaction_session_timeout = 0')
        self.queue.connection.execute('set statement_timeout = 0')

    def late(self, work, queue=None):
        """Runs work in a transaction whose commit is held back: what it drew is not visible for a while."""
        with (queue or self.queue).connection.transaction():
            answer = work()
            time.sleep(self.coin.uniform(0.001, 0.003))
        return answer


class Submitter(Role):
    """Submits jobs number first, first + step, …, each with its number as key, in batches, some of them twice.
    Starts anywhere and goes round, so that one that is killed again and again gets through."""

    def __init__(self, seed, plan, first, step):
        super().__init__('plimsoll_app', seed)
        self.plan, self.numbers = plan, range(first, plan['jobs'], step)

    def run(self):
        batches = range(0, len(self.numbers), 20)
        begin = self.coin.randrange(len(batches))
        for start in (*batches[begin:], *batches[:begin]):
            batch = [spec(self.plan, n) for n in self.numbers[start:start + 20]]
            if self.coin.random() < 0.1:
                batch += batch[:5]
            self.late(lambda: self.submit(batch))

    def submit(self, batch):
        self.queue.rows("select set_config('app.teams', %s, true)", '{' + ','.join(str(j['team']) for j in batch) + '}')
        return self.queue.enqueue(*batch)


def spec(plan, number):
    """Job `number` of the plan: always the same, so that it can be submitted again."""
    coin = random.Random(number)
    team = plan['teams'][number % len(plan['teams'])]
    tasks = [task(coin.randint(1, 9), 0.01, f'{number}/{i}'.encode()) for i in range(coin.choice((1, 1, 2, 5)))]
    return job(team, tasks, model=f'model {number // len(plan["teams"]) % plan["lanes"]}', priority=coin.choice((0, 0, 0, 5)),
               key=str(number), fingerprint=b'same', run_at=coin.choice((None,) * 9 + ('epoch',)))


class WorkerRole(Role):
    """Claims, and completes in every way there is. Writes down what was accepted: 'job task fence', a line each."""

    helps, slowness = (), 1

    def __init__(self, seed, device, device_class, directory):
        super().__init__('plimsoll_worker', seed)
        # Workers get one verdict a call; the storm needs one a task, from a function that they may not call.
        self.books = Queue(connect())
        self.device, self.device_class = device, device_class
        self.accepted = open(pathlib.Path(directory) / f'accepted.{device}.{seed}', 'a', buffering=1)
        self.register()

    def register(self):
        self.worker = self.queue.register(self.device, self.device_class, helps=self.helps)

    def run(self):
        while True:
            try:
                self.step()
            except psycopg.Error as error:
                if error.sqlstate != 'PLM01':
                    raise
                self.register()

    def claim(self):
        return self.queue.claim(self.worker, tasks=self.coin.choice((1, 4, 16, 64)))

    def step(self):
        tasks = self.late(self.claim)
        alive = self.late(lambda: self.queue.heartbeat(self.worker, {t.fence for t in tasks}, slowness=self.slowness)).alive
        if not alive:
            return self.register()
        if not tasks:
            return time.sleep(0.01)
        self.coin.shuffle(tasks)
        cut = self.coin.choice((len(tasks), len(tasks), self.coin.randint(0, len(tasks))))
        for part in (tasks[:cut], tasks[cut:]):
            if part:
                self.finish(part)

    def finish(self, tasks):
        fate = self.coin.random()
        if fate < 0.05:
            self.late(lambda: self.queue.release(self.worker, tasks))
        elif fate < 0.08:
            self.complete(tasks, outcome='retry', error='try again', delay=self.coin.choice((None, 0.05)))
        elif fate < 0.09:
            self.complete(tasks, outcome='final', error='broken')
        else:
            self.complete(tasks)
            if fate > 0.9:  # the answer got lost
                self.complete(tasks, again=True)

    def complete(self, tasks, again=False, **how):
        def work():
            for merge in (True, False):
                part = [t for t in tasks if t.is_merge == merge]
                for t in part if merge else part[:1]:
                    mine = [t] if merge else part
                    # A merge task's report lists the partial aggregates, so that the end can be checked.
                    partial = json.dumps([bytes(p).decode() for p in t.partials]).encode() if merge else None
                    yield mine, self.late(lambda: self.complete_parts(mine, partial, how), self.books)
        for mine, verdicts in work():
            assert not again or 'accepted' not in verdicts, verdicts
            if 'outcome' not in how:
                self.accepted.writelines(f'{t.job_id} {t.task} {t.fence}\n' for t, v in zip(mine, verdicts) if v == 'accepted')

    def complete_parts(self, tasks, partial, how):
        n = len(tasks)
        outcome = how.get('outcome', 'done')
        rows = self.books.call(
            'complete_each', 'int int bigint bigint[] int[] text[] bytea[] bytea[] int[] int[] real[] text[] real[]', *self.worker,
            tasks[0].fence, [t.job_id for t in tasks], [t.task for t in tasks], [outcome] * n, [b'out'] * n,
            [partial or bytes(t.input) for t in tasks], [t.items or 0 for t in tasks], [0] * n,
            [t.est_seconds * self.coin.uniform(0.5, 2) for t in tasks], [how.get('error')] * n, [how.get('delay')] * n)
        return [r.verdict for r in rows]


class HelperRole(WorkerRole):
    """A quick one, of a class without jobs."""

    helps, slowness = ('test:1',), 0.01

    def claim(self):
        return self.queue.claim_elsewhere(self.worker, tasks=self.coin.choice((1, 4, 16)))


class Duties(Role):
    """What serve does, and now and then a cancel, or a jump of the clock that expires every lease."""

    def __init__(self, seed, plan):
        super().__init__('plimsoll_app', seed)
        self.plan = plan

    def run(self):
        while True:
            self.late(self.queue.expire)
            self.late(self.queue.promote)
            if self.coin.random() < 0.02:
                self.late(lambda: self.queue.rows("select * from expire_leases(clock_timestamp() + interval '16 s')"))
            if self.coin.random() < 0.3:
                self.cancel()
            if self.coin.random() < 0.3:
                self.late(lambda: self.queue.one('select fold_usage(20)'))
            time.sleep(0.02)

    def cancel(self):
        team = self.coin.choice(self.plan['teams'])
        with self.queue.connection.transaction():
            self.queue.rows("select set_config('app.team_id', %s, true)", str(team))
            ids = [r.id for r in self.queue.rows('select id from job where finished_at is null limit 20')]
        if ids:
            self.late(lambda: self.stop(team, self.coin.choice(ids)))

    def stop(self, team, job_id):
        self.queue.rows("select set_config('app.team_id', %s, true)", str(team))
        return self.queue.cancel(team, job_id)


def run(role, *arguments):
    role(*arguments).run()
