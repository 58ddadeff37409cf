#!/usr/bin/env python3
"""Attention compiled for AVX2, against a commit that compiled it another way; on a processor with AVX-512, PoCL is told
that there is none (as_avx2.cpp). Both programs take turns; kernels are compiled in a round that does not count.

    git worktree add build/ec19520 ec19520
    (cd build/ec19520 && cmake --preset release -DPLIMSOLL_SERVER=OFF -DPLIMSOLL_TESTS=OFF && cmake --build build/release --target plimsoll-engine)
    python3 tests/bench/engine/attention_avx2.py build/ec19520/build/release/bin/plimsoll-engine [--rounds N] [--bin FOLDER] [--record]
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

COMMAND = 'tests/bench/engine/attention_avx2.py build/ec19520/build/release/bin/plimsoll-engine --record'
SHAPE = 'headlines'


def speed(program, environment):
    """In useful GFLOP/s, of attention over headlines in fp32; what comes behind it is not waited for."""
    with subprocess.Popen([program, 'bench', '--device', 'opencl:pocl:0', '--json'], stdout=subprocess.PIPE, text=True,
                          env=environment) as bench:
        for line in bench.stdout:
            told = json.loads(line)
            if told['area'] == 'attention' and SHAPE in told['name'] and told.get('method', 'fp32').endswith('fp32'):
                bench.kill()
                return told['value']
    sys.exit(f'{program} told no attention over {SHAPE}')


def main():
    parser = results.arguments(rounds=5, programs=True)
    parser.add_argument('old', type=pathlib.Path, help="the other commit's plimsoll-engine")
    options = parser.parse_args()
    programs = results.programs_of(options, 'plimsoll-engine', 'engine_as_avx2')
    sides = {'old': options.old.resolve(), 'new': programs / 'plimsoll-engine'}
    found = {side: [] for side in sides}
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, 'LD_PRELOAD': str(programs / 'engine_as_avx2.so')}
        probed = subprocess.run([sides['new'], '--cache', f'{place}/new', 'probe'], capture_output=True, text=True, check=True, env=environment)
        assert 'haswell' in probed.stdout, probed.stdout
        for number in range(options.rounds + 1):
            for side, program in sides.items():
                took = speed(program, {**environment, 'XDG_CACHE_HOME': f'{place}/{side}'})
                if number > 0:
                    found[side].append(took)
            print({side: round(one[-1], 1) for side, one in found.items() if one}, flush=True)
    ours, theirs = (round(statistics.median(found[side]), 1) for side in ('new', 'old'))
    results.publish([results.entry('engine: attention, 64 headlines of 8 to 64 tokens, compiled for AVX2', 'engine', ours, 'useful GFLOP/s',
                                   peer='commit ec19520', peer_value=theirs, must=1.8, stretch=2.5, rounds=options.rounds, command=COMMAND)],
                    options)


if __name__ == '__main__':
    main()
