#!/usr/bin/env python3
"""Snippets and configurations are still those that the real libraries accepted, without the libraries.

    tests/pytorch/accepted_test.py [--plimsoll build/release/bin/plimsoll]

`snippets_test.py --record` and `apply_test.py --record` wrote accepted/ after Transformers, TRL, Accelerate, DeepSpeed,
Lightning and others had loaded them and the estimates were the same. Batches are those of that time; learning rates are
not compared, and neither are comments. Whoever changes what is written has the libraries accept it, and records it
again.
"""

import argparse
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from recorded import unpack_configs

HERE = pathlib.Path(__file__).resolve().parent
COMMENT = re.compile(r'(^|  )# .*$', re.M)
RATES = re.compile(r'\b(lr|learning_rate|warmup_steps)("?\s*[=:]\s*)[\d.e+-]+')


def ran(program, *arguments):
    done = subprocess.run([program, '--json', *arguments], capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f'{arguments}: {done.stderr.strip()}')
    return json.loads(done.stdout)


def estimate(program, args, folder):
    (folder / 'args.json').write_text(json.dumps(args))
    report = ran(program, 'estimate', folder / 'args.json')
    (folder / 'report.json').write_text(json.dumps(report))
    return report['gpus'][0]


def changes(name, before, after):
    before, after = (list(filter(None, COMMENT.sub('', RATES.sub(r'\1\2…', text)).splitlines())) for text in (before, after))
    return list(difflib.unified_diff(before, after, f'{name}, accepted', f'{name}, now', lineterm=''))


def snippets(program, row, folder):
    cluster = {'cluster': row['cluster']} if row['cluster'] else {}
    card = estimate(program, {'model': {'preset': 'qwen3-0.6b'}, 'gpus': ['a100_80gb'], 'what_ifs': False,
                              'target_effective_batch': 64, **cluster,
                              'training': {**row['training'], 'sequence_length': 512, 'batch': row['batch']}}, folder)
    assert card['snippets'].keys() == row['snippets'].keys()
    return [line for name, text in row['snippets'].items()
            for line in changes(f"{name} of {json.dumps({**row['training'], **cluster})}", text, card['snippets'][name])]


def configurations(program, row, folder):
    unpack_configs(row['folder'], folder / 'configs')
    files = [folder / 'configs' / file for file in row['files']]
    estimate(program, {**row['args'], 'what_ifs': False}, folder)
    ran(program, 'apply', folder / 'report.json', *files, *row['flags'])
    return [line for file, text in zip(files, row['applied'])
            for line in changes(f"{row['folder']}/{file.name}", text, file.read_text())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--plimsoll', default=pathlib.Path(os.environ.get('PLIMSOLL_BIN', 'build/release/bin')) / 'plimsoll')
    options = parser.parse_args()
    wrong = total = 0
    for name, compare in (('snippets', snippets), ('applied', configurations)):
        for row in json.loads((HERE / f'accepted/{name}.json').read_text()):
            total += 1
            with tempfile.TemporaryDirectory() as folder:
                found = compare(options.plimsoll, row, pathlib.Path(folder))
            wrong += bool(found)
            print('\n'.join(found), end='\n' if found else '')
    print(f'{total - wrong} of {total} are what the libraries accepted')
    return 1 if wrong or total < 106 else 0


if __name__ == '__main__':
    sys.exit(main())
