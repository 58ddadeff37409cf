#!/usr/bin/env python3
"""CPU time of one memory estimate and of a report with curves for 12 cards, on one core.

    tests/bench/training/run.py [--build build/release] [--rounds N] [--record]

Times are CPU time of the computing thread, which hardly depends on other load. The limits are 2 ms per estimate and 50
ms per report; more per second is better.
"""

import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
import results  # noqa: E402

# What the program prints: (name in the results, limit in milliseconds or None).
MEASURED = {
    'bert-base': ('one estimate, bert-base', 2),
    'bert-large': ('one estimate, bert-large', 2),
    'gpt2-medium': ('one estimate, gpt2-medium', 2),
    'report-12-gpus': ('report with curves for 12 cards, bert-base', 50),
    'report-12-gpus-what-ifs': ('report with curves and what-ifs for 12 cards, bert-base', None),
}

# What only a real NVIDIA GPU with PyTorch can say: (what, unit, at most). Recorded without a value, so that the table
# names what nobody has measured.
ON_A_GPU = [
    ('error of max_memory_reserved, median of 106 configurations', '%', 3),
    ('error of max_memory_reserved, 90th percentile of 106 configurations', '%', 8),
    ('error of max_memory_allocated, median of 106 configurations', '%', 0.5),
    ('recommended batches that run out of memory', 'of 35', 0),
    ('error of the throughput, median', '%', 15),
]


def unmeasured(what, unit, most):
    return {'name': f'training on an NVIDIA GPU: {what}', 'area': 'training', 'unit': unit, 'peer': 'at most',
            'peer_value': most, 'rounds': 0, 'machine': 'not measured: no device', 'commit': '',
            'command': 'tests/bench/training/run.py --record'}


def build(folder):
    subprocess.run(['cmake', '--build', ROOT / folder, '--target', 'training_estimate_time'], check=True,
                   stdout=subprocess.DEVNULL)
    return ROOT / folder / 'bin/training_estimate_time'


def main():
    parser = results.arguments(rounds=5)
    parser.add_argument('--build', default='build/release')
    options = parser.parse_args()
    program = build(options.build)
    times = {name: [] for name in MEASURED}
    for _ in range(options.rounds):
        for line in subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines():
            name, milliseconds = line.split()
            times[name].append(float(milliseconds))
    entries = []
    for name, (title, limit) in MEASURED.items():
        milliseconds = statistics.median(times[name])
        print(f'{title}: {milliseconds:.2f} ms' + (f', at most {limit}' if limit else ''))
        entries.append(results.entry(
            f'training: {title}', 'training', round(1000 / milliseconds, 1), 'per CPU second',
            peer=f'limit of {limit} ms' if limit else None, peer_value=1000 / limit if limit else None,
            must=1 if limit else None, rounds=options.rounds, command='tests/bench/training/run.py --record'))
    if options.record:
        results.record(entries + [unmeasured(*row) for row in ON_A_GPU])
        subprocess.run([sys.executable, HERE.parent / 'results.py'], check=True)


if __name__ == '__main__':
    main()
