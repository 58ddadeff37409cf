"""Server, workers and PostgreSQL killed with SIGKILL at random while jobs arrive: none is lost, duplicated or stuck.

    tests/integration/faults/kills.py [--jobs 10000] [--kills 200] [--storm SECONDS] [--seed N]

Kills follow acknowledged jobs, so that they hit a busy system. In a storm they come at a steady rate over a full queue of
jobs of 3,000 to 9,000 texts, and no job may fail: --jobs 500 --kills 45 --storm 36. Jobs are checked through the API, tables by their
invariants.
"""

import argparse
import collections
import os
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from patience import Api, check_jobs, submit
from tables import broken_invariants

from harness import Server, command_line, descendants

CLIENTS = 8
TEXTS = 20
MOST_FAILED_STARTS = 60


class Killer:
    """Kills one process each time the number of acknowledged jobs passes one of the given marks."""

    def __init__(self, server, coin, marks, pause=0):
        self.server, self.coin, self.marks, self.pause = server, coin, sorted(marks), pause
        self.kills, self.acknowledged, self.failed_starts = collections.Counter(), 0, 0
        self.passed = threading.Condition()

    def acknowledge(self):
        with self.passed:
            self.acknowledged += 1
            self.passed.notify_all()

    def run(self):
        due = 0
        for mark in self.marks:
            with self.passed:
                self.passed.wait_for(lambda: self.acknowledged >= mark)
            due = (due or time.monotonic()) + self.pause
            time.sleep(max(0, due - time.monotonic()))
            while not self.strike(self.coin.choice(('worker', 'worker', 'worker', 'supervisor', 'server', 'postmaster', 'backend'))):
                pass  # killed before, and not yet back

    def strike(self, what):
        if what == 'server':
            self.server.base = None  # another process may get the port next
            self.server.kill()
            self.restart()
        else:
            try:
                os.kill(self.coin.choice(self.victims(what)), signal.SIGKILL)
            except (IndexError, ProcessLookupError):
                return False
        self.kills[what] += 1
        return True

    def restart(self):
        """As a service manager does: the database may be in the middle of its own recovery."""
        while self.server.base is None:
            try:
                self.server.start()
            except AssertionError as error:
                self.failed_starts += 1
                if self.failed_starts > MOST_FAILED_STARTS:
                    raise
                print(error, flush=True)
                time.sleep(1)

    def victims(self, what):
        if what == 'worker':
            return self.server.children('plimsoll-engine', 'worker')
        if what == 'supervisor':
            return self.server.children('plimsoll-engine', 'supervise')
        try:
            postmaster = self.server.postmaster()
        except (StopIteration, FileNotFoundError, IndexError):
            return []
        if 'postgres' not in command_line(postmaster):
            return []  # dead: its number may be somebody else's by now
        return [postmaster] if what == 'postmaster' else descendants(postmaster)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--jobs', type=int, default=10_000)
    parser.add_argument('--kills', type=int, default=200)
    parser.add_argument('--storm', type=int, default=0)
    parser.add_argument('--seed', type=int, default=random.randrange(10**6))
    given = parser.parse_args()
    print('seed', given.seed, flush=True)
    coin = random.Random(given.seed)
    keys = [f'{given.seed}-{n}' for n in range(given.jobs)]

    def texts(key):
        count = 3000 + int(key.rpartition('-')[2]) * 97 % 6001 if given.storm else TEXTS
        return [f'good day {n} of {key}' for n in range(count)]

    with Server() as server:
        token = server.api().token

        def api():
            return Api(server.base or 'http://127.0.0.1:9', token, checked=False)  # the port changes with each start

        marks = [given.jobs // 5] * given.kills if given.storm else coin.sample(range(given.jobs), given.kills)
        killer = Killer(server, coin, marks, given.storm / given.kills)
        death = threading.Thread(target=killer.run, daemon=True)
        death.start()

        def one(key):
            id = submit(api, key, texts(key))
            killer.acknowledge()
            return id

        with ThreadPoolExecutor(CLIENTS) as pool:
            acknowledged = dict(zip(keys, pool.map(one, keys)))
        death.join()
        given_up = check_jobs(api(), acknowledged, texts)
        assert not (found := broken_invariants(server)), found
    assert sum(killer.kills.values()) == given.kills, killer.kills
    assert not given.storm or given_up == 0, given_up
    print(f'{given.jobs} jobs, {dict(killer.kills)} killed: none lost, duplicated or stuck; {given_up} given up after three deaths on them')


if __name__ == '__main__':
    main()
