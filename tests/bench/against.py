#!/usr/bin/env python3
"""Runs a benchmark in this checkout and in another one, in turn, to see whether this state is slower.

    tests/bench/against.py CHECKOUT [--rounds 5] [--record] -- COMMAND…

COMMAND is that of a benchmark with --rounds and --record, relative to a checkout, for example
    env PLIMSOLL_TEST_FSYNC=on tests/support/with_database tests/bench/queue/run.py '1 account'
Each checkout runs its own programs. Prints the medians of both and the median of the ratios of the rounds (above 1:
this checkout is better). Leaves results.json of both unchanged; --record adds the rows to it here.
"""
import argparse
import json
import pathlib
import shlex
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import results  # noqa: E402

ROOT = results.HERE.parents[1]


def measure(checkout, command):
    """The rows that one round writes, by name."""
    file = checkout / 'tests/bench/results.json'
    kept = {path: path.read_bytes() for path in (file, file.with_name('RESULTS.md'))}
    try:
        file.write_text('[]')
        subprocess.run([*command, '--rounds', '1', '--record'], cwd=checkout, check=True, stdout=subprocess.DEVNULL)
        return {row['name']: row for row in json.loads(file.read_text())}
    finally:
        for path, content in kept.items():
            path.write_bytes(content)


def commit_of(checkout):
    return subprocess.run(['git', '-C', checkout, '-c', 'safe.directory=*', 'rev-parse', '--short=7', 'HEAD'],
                          capture_output=True, text=True, check=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('checkout', type=pathlib.Path)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--record', action='store_true', help='add the rows to results.json')
    if '--' not in sys.argv:
        parser.error('-- and the command of a benchmark are missing')
    end = sys.argv.index('--')
    given, command = parser.parse_args(sys.argv[1:end]), sys.argv[end + 1:]
    other = given.checkout.resolve()
    pairs = {}
    for number in range(given.rounds):
        # Whoever goes first may find the machine colder.
        places = [other, ROOT] if number % 2 == 0 else [ROOT, other]
        rows = {place: measure(place, command) for place in places}
        for name in rows[ROOT].keys() & rows[other].keys():
            pairs.setdefault(name, []).append((rows[other][name], rows[ROOT][name]))
        for name, measured in sorted(pairs.items()):
            print(f'round {number + 1}: {name}: {measured[-1][0]["ours"]:,} -> {measured[-1][1]["ours"]:,}', flush=True)
    before = commit_of(other)
    entries = []
    for name, measured in pairs.items():
        least = measured[0][1]['peer'] == 'at most'  # less is better
        ratio = statistics.median((old['ours'] / new['ours']) if least else (new['ours'] / old['ours']) for old, new in measured)
        made = results.entry(f'{name}, against {before}', 'against an earlier state', statistics.median(new['ours'] for _, new in measured),
                             measured[0][1]['unit'], peer=before, peer_value=statistics.median(old['ours'] for old, _ in measured),
                             must=0.97, stretch=1.05, rounds=given.rounds, command=f'tests/bench/against.py CHECKOUT -- {shlex.join(command)}')
        entries.append(made | {'ratio': round(ratio, 3), 'met': results.met(ratio, 0.97, 1.05)})
    results.publish(entries, given)


if __name__ == '__main__':
    main()
