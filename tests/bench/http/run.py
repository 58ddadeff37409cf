#!/usr/bin/env python3
"""GET /v1/jobs/{id} of a finished job: requests per second over 64 connections, and latency at 1,000 requests per
second. Server, PostgreSQL and the client share the machine.

    tests/bench/http/run.py [--rounds N] [--seconds N] [--bin FOLDER] [--record]

Builds a release unless --bin names the folder of built programs.
"""
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/integration')]
import results  # noqa: E402

CONNECTIONS = 64
RATE = 1000  # requests a second while answers are timed
COMMAND = 'tests/bench/http/run.py --record'


def main():
    arguments = results.arguments(rounds=5, programs=True)
    arguments.add_argument('--seconds', type=int, default=10)
    options = arguments.parse_args()
    programs = results.programs_of(options, 'plimsoll', 'plimsoll-engine', 'http_request_loop')
    from harness import Server  # finds the programs when it is loaded

    rounds = {'throughput': [], 'paced': []}
    with Server(limits__requests_per_minute='0', limits__team_requests_per_minute='0') as server:
        api = server.api()
        job = api.submit_texts(['A quiet harbour.'])
        api.wait(job)

        def ask(rate):
            told = subprocess.run([programs / 'http_request_loop', server.base.rpartition(':')[2], f'/v1/jobs/{job}',
                                   api.token, str(CONNECTIONS), str(options.seconds), str(rate)],
                                  check=True, capture_output=True, text=True).stdout
            return json.loads(told)

        ask(0)  # warm
        for number in range(options.rounds):
            rounds['throughput'].append(ask(0))
            rounds['paced'].append(ask(RATE))
            print(f'round {number + 1}:', {name: told[-1] for name, told in rounds.items()}, flush=True)

    per_second = statistics.median(told['requests_per_second'] for told in rounds['throughput'])
    p99 = statistics.median(told['p99_ms'] for told in rounds['paced'])
    entries = [
        results.entry(f'GET /v1/jobs/{{id}}, {CONNECTIONS} connections', 'road', round(per_second), 'requests/s',
                      peer='asked for', peer_value=20_000, must=1, stretch=2, rounds=options.rounds, command=COMMAND),
        results.entry_of_least(f'GET /v1/jobs/{{id}}, p99 at {RATE:,} requests/s', 'road', round(p99, 2), 'ms',
                               most=5, must=1, stretch=2.5, rounds=options.rounds, command=COMMAND)]
    results.publish(entries, options)


if __name__ == '__main__':
    main()
