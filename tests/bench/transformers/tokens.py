#!/usr/bin/env python3
"""Tokens per second of processor time, against the library `tokenizers` with the same files, each on one thread.

    python3 -m venv build/peers && build/peers/bin/pip install tokenizers==0.23.3
    build/peers/bin/python tests/bench/transformers/tokens.py [--rounds N] [--record]

Headlines and mixed texts, by WordPiece (BERT, lower case) and by byte pairs (RoBERTa). Both count what they make of all
texts, which must be equal.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ['RAYON_NUM_THREADS'] = '1'
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/fuzz/tokenizers')]
import fuzz  # noqa: E402  it also finds the packages
import results  # noqa: E402
import tokenizers  # noqa: E402

COMMAND = 'tests/bench/transformers/tokens.py --record'
TEXTS = 20_000
INSIDE = 3  # rounds of a process, after one that warms it up


def headlines(source):
    words = [word for word in source.words if word.isalpha() and len(word) < 9]
    return [' '.join(source.random.choice(words) for _ in range(source.random.choice([7, 10, 12, 14, 16, 18, 20, 22, 26])))
            for _ in range(TEXTS)]


def ours(program, folder, lines):
    told = json.loads(subprocess.run([program, folder, '512'], input=lines, capture_output=True, text=True, check=True,
                                     env={**os.environ, 'ROUNDS': str(INSIDE + 1)}).stdout)
    return min(told['processor'][1:]), told['tokens']


def theirs(tokenizer, texts):
    took = []
    for _ in range(INSIDE):
        start = time.process_time()
        found = tokenizer.encode_batch(texts)
        took.append(time.process_time() - start)
    return min(took), sum(len(one.ids) for one in found)


def main():
    options = results.arguments(rounds=5, programs=True).parse_args()
    program = results.programs_of(options, 'transformers_token_loop') / 'transformers_token_loop'
    source = fuzz.Texts(5)
    rows = []
    with tempfile.TemporaryDirectory() as place:
        for family in ('bert', 'roberta'):
            folder = pathlib.Path(place) / family
            folder.mkdir()
            tokenizer = fuzz.roberta(source.texts, False, folder) if family == 'roberta' else fuzz.bert(source.texts, True, folder)
            tokenizer.enable_truncation(512)
            for what, texts in (('headlines', headlines(source)), ('mixed texts', [source.text() for _ in range(TEXTS)])):
                lines = '\n'.join(map(json.dumps, texts))
                took = {'ours': [], 'theirs': []}
                for _ in range(options.rounds):
                    seconds, tokens = ours(program, folder, lines)
                    other, expected = theirs(tokenizer, texts)
                    if tokens != expected:
                        sys.exit(f'{family}, {what}: {tokens} tokens, not {expected}')
                    took['ours'].append(seconds)
                    took['theirs'].append(other)
                rate = {name: round(tokens / statistics.median(seconds)) for name, seconds in took.items()}
                rows.append(results.entry(f"tokenizer, {'WordPiece' if family == 'bert' else 'byte pairs'}, {what}, one thread", 'transformers',
                                          rate['ours'], 'tokens/CPU s', peer=f'tokenizers {tokenizers.__version__}', peer_value=rate['theirs'],
                                          must=1.5, stretch=4, rounds=options.rounds, command=COMMAND))
                results.show(rows[-1:])
    results.publish(rows, options)


if __name__ == '__main__':
    main()
