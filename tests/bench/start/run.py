#!/usr/bin/env python3
"""From the start of `plimsoll serve` on an existing database to its line `ready`: after a clean stop, and after
server and PostgreSQL were killed; and the time of a rebuild after a change to one server file.

    tests/bench/start/run.py [--rounds N] [--bin FOLDER] [--record]

Builds a release unless --bin names the folder of built programs. The rebuild is that of the dev preset, without ccache.
"""
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/integration')]
import results  # noqa: E402

TOUCHED = 'server/http/endpoints/jobs/jobs.cpp'
COMMAND = 'tests/bench/start/run.py --record'


def seconds_of(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def crash(server):
    postmaster = server.postmaster()
    os.kill(postmaster, signal.SIGSTOP)  # so that it does not end in good order when its server is gone
    server.kill()
    os.kill(postmaster, signal.SIGKILL)
    while os.path.exists(f'/proc/{postmaster}'):  # until init has taken note, PostgreSQL believes that it runs
        time.sleep(0.01)


def rebuild():
    (ROOT / TOUCHED).touch()
    subprocess.run(['cmake', '--build', ROOT / 'build/dev'], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, 'CCACHE_DISABLE': '1'})


def main():
    options = results.arguments(rounds=7, programs=True).parse_args()
    results.programs_of(options, 'plimsoll', 'plimsoll-engine')
    from harness import Server  # finds the programs when it is loaded

    subprocess.run(['cmake', '--build', '--preset', 'dev'], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    took = {'clean': [], 'crashed': [], 'rebuild': []}
    with Server() as server:
        for _ in range(options.rounds):
            server.stop()
            took['clean'].append(seconds_of(server.start))
            crash(server)
            took['crashed'].append(seconds_of(server.start))
            took['rebuild'].append(seconds_of(rebuild))
            print({name: round(values[-1], 3) for name, values in took.items()}, flush=True)
    median = {name: statistics.median(values) for name, values in took.items()}
    entries = [
        results.entry_of_least('start to ready on an existing database, after a clean stop', 'road', round(median['clean'], 3),
                               's', most=1, must=1, stretch=1 / 0.3, rounds=options.rounds, command=COMMAND),
        results.entry('start to ready on an existing database, after a crash', 'road', round(median['crashed'], 3), 's',
                      rounds=options.rounds, command=COMMAND),
        results.entry_of_least(f'rebuild after a change of {TOUCHED}', 'road', round(median['rebuild'], 1), 's', most=20,
                               must=1, stretch=2.5, rounds=options.rounds, command=COMMAND)]
    results.publish(entries, options)


if __name__ == '__main__':
    main()
