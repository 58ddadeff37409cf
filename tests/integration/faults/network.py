"""Two servers, three nodes of workers and their PostgreSQL, each behind a gate of its own: links are cut, half open (nothing passes,
and nobody says so) or slow; servers and nodes are lost and join again, hang for a while, and the database crashes. No job is lost,
recorded twice or stuck.

    tests/support/with_database tests/integration/faults/network.py [--jobs 500] [--faults 100] [--longest 20] [--seed N]
"""

import argparse
import collections
import contextlib
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from patience import Api, check_jobs, submit
from proxies_test import free_port

from gate import Gate
from harness import BIN, PATIENCE, Server, descendants
from queue_client import Queue, connect, server_folder
from queue_invariants import broken

CLIENTS = 8
NODES = 3
TEXTS = 200
PAUSE = 0.5  # seconds between faults, which last longer and overlap
SLOW = 0.1  # seconds that a slow link takes for each piece
LEASE = 15  # seconds
FOLDER = pathlib.Path(server_folder())
CONTROL = [*(['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] if os.getuid() == 0 else []),
           sorted(pathlib.Path('/usr/lib/postgresql').glob('*/bin/pg_ctl'))[-1], '-D', FOLDER / 'data', '-w', '-t', '600']


class Linked:
    """A program whose link to the database passes a gate."""

    def __init__(self, role):
        self.gate = Gate(str(FOLDER / '.s.PGSQL.5432'))
        self.url = f'postgresql://{role}@127.0.0.1:{self.gate.port}/plimsoll'


class Served(Linked):
    def __init__(self):
        super().__init__('plimsoll_app')
        self.server = Server(database__url=self.url, engine__local='false', port=str(free_port()), limits__requests_per_minute='0',
                             limits__team_requests_per_minute='0').start()
        self.clients = Gate(('127.0.0.1', int(self.server.settings['port'])))

    def lose(self):
        self.server.kill()

    def join(self):
        while True:
            with contextlib.suppress(AssertionError):  # its database may be out of reach
                return self.server.start()

    def processes(self):
        return [self.server.process.pid]

    def close(self):
        self.server.remove()


class Node(Linked):
    def __init__(self, name):
        super().__init__('plimsoll_worker')
        self.folder = tempfile.TemporaryDirectory(prefix='plm-')
        self.environment = {**os.environ, 'PLIMSOLL_DATABASE_WORKER_URL': self.url, 'PLIMSOLL_NODE': name, 'OCL_ICD_VENDORS': '/nonexistent',
                            'XDG_STATE_HOME': self.folder.name}
        self.log = open(pathlib.Path(self.folder.name) / 'log', 'w')
        self.join()

    def join(self):
        self.process = subprocess.Popen([BIN / 'plimsoll', 'engine'], env=self.environment, stdout=self.log, stderr=self.log)

    def processes(self):
        return [self.process.pid, *descendants(self.process.pid)]

    def lose(self):
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.process.wait()

    def close(self):
        self.lose()
        self.log.close()
        self.folder.cleanup()


class Faults:
    """Each method is a fault with its end; those that would hit what another has in its hands do nothing."""

    def __init__(self, servers, nodes, coin, longest):
        self.servers, self.nodes, self.coin, self.longest = servers, nodes, coin, longest
        self.struck, self.held, self.pool = collections.Counter(), set(), ThreadPoolExecutor(32)
        self.running = []

    def strike(self):
        """Begins one, and does not wait for its end."""
        while True:
            kind = self.coin.choice((self.cut, self.half_open, self.slow, self.lose, self.hang, self.crash))
            one = self.coin.choice(self.servers + self.nodes)
            which = 'database' if kind == self.crash else one if kind in (self.lose, self.hang) else self.coin.choice(self.gates(one))
            if which not in self.held:
                break
        self.held.add(which)
        self.struck[kind.__name__] += 1
        self.running.append(self.pool.submit(self.run, kind, which, self.coin.uniform(0.1, self.longest)))

    @staticmethod
    def gates(one):
        return [one.gate, one.clients] if isinstance(one, Served) else [one.gate]

    def run(self, kind, which, seconds):
        try:
            kind(which, seconds)
        finally:
            self.held.discard(which)

    def end(self):
        for one in self.running:
            one.result(PATIENCE)

    def cut(self, gate, _):
        gate.cut()

    def half_open(self, gate, seconds):
        gate.shut()
        time.sleep(seconds)
        gate.open()

    def slow(self, gate, seconds):
        gate.delay = SLOW
        time.sleep(seconds)
        gate.delay = 0

    def lose(self, one, seconds):
        one.lose()
        time.sleep(min(seconds, 2))
        one.join()

    def hang(self, one, seconds):
        stopped = one.processes()
        for sign in (signal.SIGSTOP, signal.SIGCONT):
            for process in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, sign)
            if sign == signal.SIGSTOP:
                time.sleep(seconds)

    def crash(self, _, seconds):
        subprocess.run([*CONTROL, '-m', 'immediate', 'stop'], check=True, cwd='/', stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        time.sleep(min(seconds, 2))
        subprocess.run([*CONTROL, '-l', FOLDER / 'log', 'start'], check=True, cwd='/', stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--jobs', type=int, default=500)
    parser.add_argument('--faults', type=int, default=100)
    parser.add_argument('--longest', type=float, default=LEASE + 5, help='seconds that a fault may last')
    parser.add_argument('--seed', type=int, default=random.randrange(10**6))
    given = parser.parse_args()
    print('seed', given.seed, flush=True)
    coin = random.Random(given.seed)
    with contextlib.ExitStack() as at_end:
        servers = [Served(), Served()]
        nodes = [Node(f'node-{number}') for number in range(NODES)]
        for one in servers + nodes:
            at_end.callback(one.close)
        token = servers[0].server.api().token

        def api():
            return Api(f'http://127.0.0.1:{coin.choice(servers).clients.port}', token, checked=False)

        def texts(key):
            return [f'good day {n} of {key}' for n in range(TEXTS)]

        faults, keys, submitted = Faults(servers, nodes, coin, given.longest), [f'{given.seed}-{n}' for n in range(given.jobs)], []
        with ThreadPoolExecutor(CLIENTS) as clients:
            for number in range(given.faults):
                faults.strike()
                part = keys[number * given.jobs // given.faults:(number + 1) * given.jobs // given.faults]
                submitted += [clients.submit(submit, api, key, texts(key)) for key in part]
                time.sleep(PAUSE)
            acknowledged = {key: one.result(PATIENCE) for key, one in zip(keys, submitted)}
        faults.end()
        ended = time.monotonic()
        given_up = check_jobs(Api(servers[0].server.base, token, checked=False), acknowledged, texts)
        waited = time.monotonic() - ended
        with connect() as connection:
            assert not (found := broken(Queue(connection))), found
    assert sum(faults.struck.values()) == given.faults
    print(f'{given.jobs} jobs, {dict(faults.struck)}: none lost, duplicated or stuck; {given_up} given up after three deaths on them; '
          f'all checked {waited:.1f} s after the last fault', flush=True)


if __name__ == '__main__':
    main()
