#!/usr/bin/env python3
"""Small jobs per second on a PostgreSQL with untouched settings, against the private one: from the submission of a bundle to
the end of its last job, interleaved.

    tests/bench/queue/stock.py [--rounds N] [--jobs N] [--record]

PLIMSOLL_PG_BIN names the programs of another PostgreSQL than the newest installed.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/integration')]
import results  # noqa: E402
from harness import Server  # noqa: E402

COMMAND = 'tests/bench/queue/stock.py --record'
LIMITS = {'limits__requests_per_minute': '0', 'limits__team_requests_per_minute': '0'}


def rate(api, jobs):
    """Jobs a second."""
    bundle = {'jobs': [{'kind': 'sentiment', 'args': {'texts': [f'A quiet harbour, and boat {n}.']}} for n in range(jobs)]}
    began = time.monotonic()
    reply = api.post('/v1/job-bundles', bundle)
    assert reply.status == 202, reply.body[:500]
    while api.get('/v1/jobs?state=queued&limit=1').json['items'] or api.get('/v1/jobs?state=running&limit=1').json['items']:
        time.sleep(0.005)
    return jobs / (time.monotonic() - began)


def main():
    parser = results.arguments(rounds=9)
    parser.add_argument('--jobs', type=int, default=2000)
    options = parser.parse_args()
    support = ROOT / 'tests/support/postgres'
    folder, url = subprocess.check_output([support, 'start'], text=True, env=os.environ | {'PLIMSOLL_TEST_STOCK': 'yes'}).split()
    try:
        version = subprocess.check_output(['psql', '-XAtqc', 'show server_version', url], text=True).split()[0]
        stock = {'database__url': url.replace('postgres@', 'plimsoll_app@'), 'database__worker_url': url.replace('postgres@', 'plimsoll_worker@')}
        with Server(**stock, **LIMITS) as stock_server, Server(**LIMITS) as private_server:
            apis = {'stock': stock_server.api(), 'private': private_server.api()}
            rates = {name: [] for name in apis}
            for number in range(options.rounds + 1):
                # Whoever goes second may find the machine colder.
                for name, api in sorted(apis.items(), reverse=number % 2 == 0):
                    rates[name].append(rate(api, options.jobs))
                print(f'round {number}:', {name: round(all_[-1]) for name, all_ in rates.items()}, flush=True)
    finally:
        subprocess.run([support, 'stop', folder], check=True)
    pairs = list(zip(rates['stock'], rates['private']))[1:]  # the first round warms up
    results.publish([results.entry(
        f'small jobs on a stock PostgreSQL {version}, against the private one', 'queue', round(statistics.median(a / b for a, b in pairs), 2),
        'x', peer='ours, private', peer_value=1, must=0.9, stretch=0.97, rounds=options.rounds, command=COMMAND)], options)


if __name__ == '__main__':
    main()
