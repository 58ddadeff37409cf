#!/usr/bin/env python3
"""CPU time of one memory estimate and of a report with curves for 12 cards, on one core; errors against a real GPU.

    tests/bench/training/run.py [--build build/release] [--rounds N] [--record]

Times are CPU time of the computing thread, which hardly depends on other load. The limits are 2 ms per estimate and 50
ms per report; more per second is better.
"""

import json
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE.parent), str(ROOT / 'tests/pytorch')]
import gpu_rows  # noqa: E402
import results  # noqa: E402

# What the program prints: (name in the results, limit in milliseconds or None).
MEASURED = {
    'bert-base': ('one estimate, bert-base', 2),
    'bert-large': ('one estimate, bert-large', 2),
    'gpt2-medium': ('one estimate, gpt2-medium', 2),
    'report-12-gpus': ('report with curves for 12 cards, bert-base', 50),
    'report-12-gpus-what-ifs': ('report with curves and what-ifs for 12 cards, bert-base', None),
}

# What a real NVIDIA GPU said (tests/pytorch/gpu_rows.py), against the present estimate: (title there, name here, part of the
# errors in order, at most). An error of 0 counts as the smallest that is shown.
ON_A_GPU = [
    ('max_memory_reserved', 'median', 0.5, 3),
    ('max_memory_reserved', '90th percentile', 0.9, 8),
    ('max_memory_allocated', 'median', 0.5, 0.5),
    ('throughput', 'median', 0.5, 15),
]
LEAST_SHOWN = 0.01
COMMAND = 'tests/bench/training/run.py --record'


def against_a_gpu(program, rows):
    """Errors of the recorded rows in percent, and what ran out of memory against the estimate."""
    errors = gpu_rows.errors(rows, program)
    cards = ', '.join(sorted({row['card'] for row in rows}))
    for title, part_name, part, most in ON_A_GPU:
        sizes = [abs(error) for error, _ in errors[title]]
        ours = max(LEAST_SHOWN, round(gpu_rows.quantile(sizes, part), 2))
        yield results.entry_of_least(
            f'training on an NVIDIA GPU: error of {title}, {part_name} of {len(sizes)} configurations', 'training', ours, '%',
            most=most, must=1, stretch=2, rounds=1, command=COMMAND) | {'machine': cards}
    wrong, limited = gpu_rows.wrongly_fitting(rows, program)
    yield results.entry_of_none('training on an NVIDIA GPU: batches that fit by the estimate and run out of memory', 'training', wrong,
                                f'of {limited}', rounds=1, command=COMMAND) | {'machine': cards}


def build(folder):
    subprocess.run(['cmake', '--build', ROOT / folder, '--target', 'training_estimate_time', 'plimsoll'], check=True,
                   stdout=subprocess.DEVNULL)
    return ROOT / folder / 'bin'


def main():
    parser = results.arguments(rounds=5)
    parser.add_argument('--build', default='build/release')
    options = parser.parse_args()
    programs = build(options.build)
    times = {name: [] for name in MEASURED}
    for _ in range(options.rounds):
        for line in subprocess.run([programs / 'training_estimate_time'], check=True, capture_output=True, text=True).stdout.splitlines():
            name, milliseconds = line.split()
            times[name].append(float(milliseconds))
    entries = []
    for name, (title, limit) in MEASURED.items():
        milliseconds = statistics.median(times[name])
        print(f'{title}: {milliseconds:.2f} ms' + (f', at most {limit}' if limit else ''))
        entries.append(results.entry(
            f'training: {title}', 'training', round(1000 / milliseconds, 1), 'per CPU second',
            peer=f'limit of {limit} ms' if limit else None, peer_value=1000 / limit if limit else None,
            must=1 if limit else None, rounds=options.rounds, command=COMMAND))
    measured = list(against_a_gpu(programs / 'plimsoll', json.loads(gpu_rows.DATA.read_text())))
    results.show(measured)
    if options.record:
        results.record(entries + measured)


if __name__ == '__main__':
    main()
