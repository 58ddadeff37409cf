#!/usr/bin/env python3
"""Which documented statuses the tests have seen, and which they have not.

    mkdir /tmp/seen && PLIMSOLL_SEEN_ANSWERS=/tmp/seen tests/run
    tests/contract/seen.py /tmp/seen [--unseen]

Counts answers to tests in Python, to generated clients and to pages in browsers. Those of the conformance tests, which run
within one process, and of Schemathesis are not noted.
"""
import argparse
import collections
import pathlib

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
METHODS = ('get', 'put', 'post', 'patch', 'delete')


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('folder', type=pathlib.Path)
    arguments.add_argument('--unseen', action='store_true', help='list what was not seen')
    options = arguments.parse_args()
    document = yaml.load((ROOT / 'openapi.yaml').read_text(encoding='utf-8'), yaml.CSafeLoader)
    operations = [item[method] for item in document['paths'].values() for method in METHODS if method in item]
    documented = {(it['operationId'], status) for it in operations for status in it['responses'] if status != 'default'}
    seen = {tuple(line.split()) for file in options.folder.iterdir() for line in file.read_text(encoding='ascii').splitlines()}
    answered = {name for name, _ in seen}
    print(f'{len(answered & {name for name, _ in documented})} of {len(operations)} operations, '
          f'{len(seen & documented)} of {len(documented)} documented statuses')
    per_status = collections.Counter(status for _, status in documented)
    found = collections.Counter(status for _, status in seen & documented)
    print(', '.join(f'{status}: {found[status]} of {count}' for status, count in sorted(per_status.items())))
    if options.unseen:
        for name, status in sorted(documented - seen):
            print(name, status)


if __name__ == '__main__':
    main()
