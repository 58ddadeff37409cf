#!/usr/bin/env python3
"""The OpenCL engine on PoCL: products, rows and attention against their peers, and a worker's first result.

    tests/bench/engine/run.py [--rounds N] [--tuning SECONDS] [--bin build/bench/bin] [--record]

Needs Debian's libdnnl-dev, the reference for products. oneDNN may not use AMX, where the packaged version crashes, and
its threads may not spin, which would take CPU time from ours. Rows that need another processor or a GPU say so.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / 'tests/bench'))
import results  # noqa: E402

COMMAND = 'tests/bench/engine/run.py --record'
ENVIRONMENT = {**os.environ, 'GOMP_SPINCOUNT': '0', 'OMP_PROC_BIND': 'true', 'ONEDNN_MAX_CPU_ISA': 'AVX512_CORE'}
# The peer packs both matrices in every call, and so does the first; weights of a model are packed once.
METHODS = {'block_fp32': 'fp32 product including packing', 'packed block_fp32': 'fp32 product of packed weights',
           'packed block_bf16': 'bf16 product of packed weights by AVX512-BF16',
           'packed block_amx': 'bf16 by AMX product of packed weights'}
SEARCHES = 5  # for a knee, each after a full sweep
ROWS = {'layer norm': (0.9, 1.0), 'softmax': (0.8, 1.0), 'GELU': (0.9, 1.0)}


def asked_for(method, name):
    """What the ratio must and should reach."""
    few_rows = name.startswith('64 x')
    if method in ('block_fp32', 'packed block_fp32'):
        return (0.85, 1.0) if few_rows else (0.85, 0.95)
    if method == 'packed block_amx':
        return (3, 5) if few_rows else (5, 7)
    return None, None


def product_entry(told, rounds):
    must, stretch = asked_for(told['method'], told['name'])
    return results.entry(f"engine: {METHODS[told['method']]}, {told['name']}", 'engine',
                         round(told['work'] / told['ours'] / 1e9, 1), 'GFLOP/s', peer='oneDNN sgemm',
                         peer_value=round(told['work'] / told['peer'] / 1e9, 1), must=must, stretch=stretch,
                         rounds=rounds, command=COMMAND)


def entry_of(told, rounds):
    if told['method'] == 'rows':
        must, stretch = ROWS[told['name']]
        return results.entry(f"engine: {told['name']}, 8,192 x 768", 'engine', round(told['work'] / told['ours'] / 1e9, 1),
                             'GB/s', peer='C++ loop, two threads',
                             peer_value=round(told['work'] / told['peer'] / 1e9, 1), must=must, stretch=stretch,
                             rounds=rounds, command=COMMAND)
    if told['method'].startswith('attention, '):
        what = '' if told['method'].endswith('fp32') else ' in bf16'
        return results.entry(f"engine: attention{what}, {told['name']}", 'engine', round(told['work'] / told['ours'] / 1e9, 1),
                             'useful GFLOP/s', peer='plain_attention.cl',
                             peer_value=round(told['work'] / told['peer'] / 1e9, 1), must=1.5, stretch=3, rounds=rounds,
                             command=COMMAND)
    return product_entry(told, rounds)


def knee_entries(told):
    print(f"knee: {told['knee']} by the sweeps, {told['batches']} by searches, at least {told['least_share_of_best']:.3f} of the best")
    share = results.entry('engine: knee search, throughput at its batch', 'engine', round(100 * told['share_of_knee'], 1), '%',
                          peer='at the knee of full sweeps', peer_value=100, must=0.95, rounds=SEARCHES, command=COMMAND)
    best = results.entry('engine: knee search, throughput at its batch beside the best', 'engine', round(100 * told['share_of_best'], 1), '%',
                         peer='best of full sweeps', peer_value=100, rounds=SEARCHES, command=COMMAND)
    looks = results.entry_of_least('engine: knee search, measurements of a search', 'engine', told['measurements'], 'measurements',
                                   most=round(told['full_sweep'] / 3, 1), must=1, stretch=5 / 3, rounds=SEARCHES, command=COMMAND)
    return [share, best, looks]


def not_measured(name, unit, why, must=None, stretch=None):
    return results.entry_not_measured(f'engine: {name}', 'engine', unit, why, must=must, stretch=stretch, command=COMMAND)


def first_results(program, cache, rounds, device='opencl:pocl:0'):
    """Seconds from the start of a process to its result, with a warm cache."""
    took = []
    for number in range(rounds + 2):
        start = time.perf_counter()
        subprocess.run([program, cache, device], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if number >= 2:
            took.append(time.perf_counter() - start)
    return statistics.median(took)


def main():
    arguments = results.arguments(rounds=60, programs=True)
    arguments.add_argument('--tuning', type=float, default=8, help='seconds for each product and method')
    options = arguments.parse_args()
    programs = results.programs_of(options, 'engine_kernel_loop', 'engine_knee_loop', 'engine_first_result')
    with tempfile.TemporaryDirectory() as cache:
        loop = subprocess.run([programs / 'engine_kernel_loop', cache, str(options.rounds), str(options.tuning)], check=True,
                              env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        told = [json.loads(line) for line in loop.stdout.splitlines() if line.startswith('{')]
        knee = subprocess.run([programs / 'engine_knee_loop', cache, str(SEARCHES)], check=True, stdout=subprocess.PIPE, text=True)
        start = first_results(programs / 'engine_first_result', cache, options.rounds)
    entries = [entry_of(it, options.rounds) for it in told] + knee_entries(json.loads(knee.stdout))
    entries.append(results.entry_of_least('engine: worker start to first result, warm program cache', 'engine',
                                          round(start, 3), 's', most=0.7, must=1, stretch=0.7 / 0.3,
                                          rounds=options.rounds, command=COMMAND))
    if not any(it['method'] == 'packed block_amx' for it in told):
        entries += [not_measured(f"{METHODS['packed block_amx']}, {it['name']}", 'GFLOP/s', 'no AMX', *asked_for('packed block_amx', it['name']))
                    for it in told if it['method'] == 'packed block_fp32']
    for it in told:
        print(f"{it['name']} {it['method']}: {it['peer_processor'] / it['ours_processor']:.2f} by processor time")
    results.publish(entries, options)


if __name__ == '__main__':
    main()
