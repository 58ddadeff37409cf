#!/usr/bin/env python3
"""The kept inputs of all targets, in corpus.json: each character of a string is one byte.

    tests/fuzz/parsers/corpus.py unpack FOLDER            # a file an input, in one folder a target
    tests/fuzz/parsers/corpus.py keep TARGET NAME FILE    # adds the file's bytes
"""
import json
import pathlib
import sys

CORPUS = pathlib.Path(__file__).with_name('corpus.json')


def unpack(folder):
    for target, inputs in json.loads(CORPUS.read_text()).items():
        place = pathlib.Path(folder, target)
        place.mkdir(parents=True, exist_ok=True)
        for name, text in inputs.items():
            (place / name).write_bytes(text.encode('latin-1'))


def keep(target, name, file):
    corpus = json.loads(CORPUS.read_text())
    corpus[target][name] = pathlib.Path(file).read_bytes().decode('latin-1')
    CORPUS.write_text(json.dumps(corpus, indent=2) + '\n')


match sys.argv[1:]:
    case ['unpack', folder]:
        unpack(folder)
    case ['keep', target, name, file]:
        keep(target, name, file)
    case _:
        sys.exit(__doc__)
