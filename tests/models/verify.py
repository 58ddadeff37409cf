"""Checks a model with Spin: it holds with all its guards, and breaks without any one of them.

    tests/models/verify.py MODEL.pml

NO_<guard> removes a guard from the model. The search is exhaustive; deadlocks count as errors.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

COMPILER = shutil.which('clang-19') or 'cc'


def errors(model, *defines):
    """How many errors the search found, and how many states it saw."""
    with tempfile.TemporaryDirectory() as folder:
        run = lambda *command: subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
        run('spin', f'-P{COMPILER} -E -x c', *defines, '-a', model)  # it would ask for gcc
        run(COMPILER, '-O1', '-w', '-DSAFETY', '-o', 'pan', 'pan.c')
        told = run('./pan', '-m1000000')
    assert 'search depth too small' not in told, told
    return int(re.search(r'errors: (\d+)', told)[1]), int(float(re.search(r'([\d.e+]+) states, stored', told)[1]))


def main():
    model = pathlib.Path(sys.argv[1]).resolve()
    guards = sorted(set(re.findall(r'\bNO_(\w+)', model.read_text(encoding='utf-8'))))
    found, states = errors(model)
    print(f'{model.stem}: {found} errors in {states:,} states')
    ok = found == 0
    for guard in guards:
        found, states = errors(model, f'-DNO_{guard}')
        print(f'without {guard}: {"broken" if found else "NOBODY NOTICED"}, {states:,} states')
        ok = ok and found > 0
    sys.exit(0 if ok and guards else 1)


if __name__ == '__main__':
    main()
