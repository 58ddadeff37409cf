#!/usr/bin/env python3
"""An NVIDIA GPU: products and layer normalisation against PyTorch's (cuBLAS) on the same GPU, in one run; the knee search
against full sweeps; a worker's first result with its kernels in the cache.

    tests/bench/engine/gpu.py [--device opencl:nv:0] [--rounds N] [--bin build/bench/bin] [--record]

Needs PyTorch with CUDA. Ours are the measurements of `plimsoll-engine bench`. Rounds alternate; medians.
"""
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import torch  # noqa: E402
import results  # noqa: E402
from run import SEARCHES, first_results  # noqa: E402

COMMAND = 'tests/bench/engine/gpu.py --record'
NORM = 'layer norm, 8192 x 768'


def ours(program, device):
    told = subprocess.run([program, 'bench', '--device', device, '--json'], check=True, capture_output=True, text=True).stdout
    lines = [json.loads(line) for line in told.splitlines() if line.startswith('{')]
    return {(line['area'], line['name'], line.get('method')): line['value'] for line in lines if 'value' in line}


def seconds_of(call):
    for _ in range(3):
        call()
    seconds = []
    for _ in range(11):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(10):
            call()
        end.record()
        end.synchronize()
        seconds.append(start.elapsed_time(end) / 1e4)
    return statistics.median(seconds)


def product(m, n, k):
    a, b = (torch.randn(rows, k, dtype=torch.bfloat16, device='cuda') for rows in (m, n))
    return 2 * m * n * k / seconds_of(lambda: torch.nn.functional.linear(a, b)) / 1e9


def norm():
    rows, gain = torch.randn(8192, 768, device='cuda'), torch.randn(768, device='cuda')
    return 2 * rows.nbytes / seconds_of(lambda: torch.nn.functional.layer_norm(rows, (768,), gain, gain)) / 1e9


def knee_and_start(programs, title, options):
    with tempfile.TemporaryDirectory() as cache:
        told = subprocess.run([programs / 'engine_knee_loop', cache, str(SEARCHES), options.device], check=True, stdout=subprocess.PIPE, text=True)
        start = first_results(programs / 'engine_first_result', cache, 10 * options.rounds, options.device)
    knee = json.loads(told.stdout)
    print(f"knee: {knee['knee']} by the sweeps, {knee['batches']} by searches, at least {knee['least_share_of_best']:.3f} of the best")
    return [results.entry(f'{title}: knee search, throughput at its batch', 'engine', round(100 * knee['share_of_knee'], 1), '%',
                          peer='at the knee of full sweeps', peer_value=100, must=0.95, rounds=SEARCHES, command=COMMAND),
            results.entry_of_least(f'{title}: knee search, measurements of a search', 'engine', knee['measurements'], 'measurements',
                                   most=round(knee['full_sweep'] / 3, 1), must=1, stretch=5 / 3, rounds=SEARCHES, command=COMMAND),
            results.entry_of_least(f'{title}: worker start to first result, warm program cache', 'engine', round(start, 3), 's',
                                   most=0.7, must=1, stretch=0.7 / 0.3, rounds=10 * options.rounds, command=COMMAND)]


def main():
    parser = results.arguments(rounds=3, programs=True)
    parser.add_argument('--device', default='opencl:nv:0')
    options = parser.parse_args()
    programs = results.programs_of(options, 'plimsoll-engine', 'engine_knee_loop', 'engine_first_result')
    program = programs / 'plimsoll-engine'
    own, peer = collections.defaultdict(list), collections.defaultdict(list)
    for _ in range(options.rounds):
        for (area, name, method), value in ours(program, options.device).items():
            if method == 'group_mma' and area == 'product':
                own[name].append(value)
                peer[name].append(product(*map(int, re.findall(r'\d+', name))))
            elif name == NORM:
                own[name].append(value)
                peer[name].append(norm())
    card = torch.cuda.get_device_name()
    entries = []
    for name, values in own.items():
        rows = name == NORM
        title = f'engine on {card}: {name}' + ('' if rows else ' in bf16')
        scale, unit = (1, 'GB/s') if rows else (1000, 'TFLOP/s')
        entries.append(results.entry(title, 'engine', round(statistics.median(values) / scale, 1), unit, peer=f'PyTorch {torch.__version__}',
                                     peer_value=round(statistics.median(peer[name]) / scale, 1), rounds=options.rounds, command=COMMAND))
    entries += knee_and_start(programs, f'engine on {card}', options)
    results.publish(entries, options)
    if 'OUT' in os.environ:
        pathlib.Path(os.environ['OUT'], 'engine-entries.json').write_text(json.dumps(entries))


if __name__ == '__main__':
    main()
