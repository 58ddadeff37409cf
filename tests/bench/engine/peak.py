#!/usr/bin/env python3
"""Products of packed weights as a share of the multiply-add peak that the same device reaches from registers, in one
run of `plimsoll-engine bench`, with plans tuned before.

    python3 tests/bench/engine/peak.py [--rounds N] [--seconds N] [--bin FOLDER] [--record]

Prints the median over rounds of the slowest shape of BERT-base's layers, for many rows and for few.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / 'tests/bench'))
import results  # noqa: E402

COMMAND = 'tests/bench/engine/peak.py --record'
LIMITS = {1024: (0.75, 0.85), 64: (0.65, 0.75)}  # by rows: must, should


def shares(program, device, environment):
    """By shape, of one run; what comes behind the products is not waited for."""
    found = {}
    with subprocess.Popen([program, 'bench', '--device', device, '--json'], stdout=subprocess.PIPE, text=True, env=environment) as bench:
        for line in bench.stdout:
            told = json.loads(line)
            if told['area'] == 'product' and told['method'] in ('block_fp32', 'group_fp32'):
                found[told['name']] = told['share_of_peak']
            if found and told['area'] != 'product':
                bench.terminate()
                break
    return found


def main():
    parser = results.arguments(rounds=5, programs=True)
    parser.add_argument('--seconds', type=float, default=4, help='of tuning for a product')
    options = parser.parse_args()
    program = results.programs_of(options, 'plimsoll-engine') / 'plimsoll-engine'
    probed = json.loads(subprocess.run([program, 'probe', '--json'], check=True, capture_output=True, text=True).stdout)
    device = next(one['device'] for one in probed['devices'] if one['state'] == 'ready')
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, 'XDG_CACHE_HOME': cache}
        subprocess.run([program, 'tune', '--device', device, '--seconds', str(options.seconds)], check=True, env=environment)
        rounds = [shares(program, device, environment) for _ in range(options.rounds)]
    rows = []
    for many, (must, stretch) in LIMITS.items():
        slowest = [min(share for name, share in found.items() if name.startswith(f'{many} x')) for found in rounds]
        print(f'{many} rows:', [round(one, 3) for one in slowest])
        row = results.entry(f'engine: fp32 product of packed weights, {many:,} rows, slowest of three shapes', 'engine',
                            round(100 * statistics.median(slowest), 1), '%', peer='peak of multiply-add from registers', peer_value=100, must=must,
                            stretch=stretch, rounds=options.rounds, command=COMMAND)
        rows.append(row)
    results.publish(rows, options)


if __name__ == '__main__':
    main()
