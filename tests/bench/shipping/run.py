#!/usr/bin/env python3
"""What deploy/release made, in build/dist: sizes, and the time from one line to a result in an empty Debian 12.

    tests/bench/shipping/run.py [--rounds N] [--record]

Needs root and debootstrap, for tests/fresh/run. Times include the downloads.
"""
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / 'tests/bench'))
import results  # noqa: E402

DIST = ROOT / 'build/dist'
COMMAND = 'tests/bench/shipping/run.py --record'
# What tests/fresh/run tells, its name here, and the most that it must and should take.
TIMES = {
    'wheel: one line to the first estimate': ('one line to the first estimate', 5, 2),
    'wheel: one line to serve ready and the first scored file': ('one line to a ready server and the first scored file', 60, 20),
    'deb: the packages to the first scored file': ('Debian packages and PostgreSQL to the first scored file', 60, 30)}


def sizes():
    """Name, megabytes, and the most that they must and should be."""
    [wheel], [image] = DIST.glob('*manylinux*.whl'), DIST.glob('*-oci.tar')
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, '-m', 'pip', 'download', '-q', '-d', folder, f'{wheel}[server]'], check=True)
        with_server = sum(file.stat().st_size for file in pathlib.Path(folder).iterdir())
    yield 'the wheel', wheel.stat().st_size, 25, 12
    yield 'the wheel with PostgreSQL', with_server, 60, 35
    yield 'the container image, compressed', image.stat().st_size, 150, 80


def main():
    options = results.arguments(rounds=1).parse_args()
    entries = [results.entry_of_least(f'shipping: {name}', 'shipping', round(size / 1e6, 1), 'MB', most=must, must=1, stretch=must / stretch,
                                      rounds=1, command=COMMAND) for name, size, must, stretch in sizes()]
    told = {name: [] for name in TIMES}
    for _ in range(options.rounds):
        done = subprocess.run([ROOT / 'tests/fresh/run', 'wheel', 'deb'], check=True, stdout=subprocess.PIPE, text=True).stdout
        print(done)
        for name, seconds in re.findall(r'(?m)^==> (.*): ([\d.]+) s \(', done):
            told.get(name, []).append(float(seconds))
    entries += [results.entry_of_least(f'shipping: {TIMES[name][0]}', 'shipping', round(statistics.median(seconds), 1), 's', most=TIMES[name][1],
                                       must=1, stretch=TIMES[name][1] / TIMES[name][2], rounds=options.rounds, command=COMMAND)
                for name, seconds in told.items()]
    results.publish(entries, options)


if __name__ == '__main__':
    main()
