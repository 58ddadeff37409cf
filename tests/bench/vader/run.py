#!/usr/bin/env python3
"""VADER: the engine's loop on one and two threads against the Python package, in texts per
second of CPU time (summed over threads), which hardly depends on other load; and scores in columns, as Python gets them
from libplimsoll, against that loop.

    tests/bench/vader/run.py [--rounds N] [--record] [--bin FOLDER]

Runs round by round: Python, one thread, two threads, columns. The texts are 4,200 tweets if they are next
to the repository, otherwise the crafted texts in tests/data; for columns, headlines, their first words, and other scripts.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/fuzz/vader')]
import fuzz  # noqa: E402
import results  # noqa: E402

TWEETS = ROOT.parent / 'shared/truth/vader/tweets_human.jsonl'
CRAFTED = ROOT / 'tests/data/vader/crafted.jsonl'
HEADLINES = ROOT / 'deploy/samples/headlines.jsonl'
SECONDS = 1  # of CPU time


def python_rate(analyzer, texts):
    scored, start = 0, time.process_time()
    while time.process_time() - start < SECONDS:
        for text in texts:
            analyzer.polarity_scores(text)
        scored += len(texts)
    return scored / (time.process_time() - start)


def in_columns(program, folder, rounds):
    """Rates of the loop and of the library for some thousand texts of each sort, which take turns."""
    headlines = [json.loads(line)['text'] for line in HEADLINES.read_text(encoding='utf-8').splitlines()]
    sorts = {'headlines': headlines, 'the first 40 bytes of headlines': [text[:40] for text in headlines],
             'of other scripts': ['株価は急騰した 😀', 'Акции выросли после отличного квартала', 'أسهم ترتفع بعد ربع رائع GREAT']}
    for name, some in sorts.items():
        file = pathlib.Path(folder) / 'sort.jsonl'
        file.write_text('\n'.join(json.dumps(some[place % len(some)]) for place in range(2000)), encoding='utf-8')
        told = [subprocess.run([program, file, '1', str(SECONDS), program.with_name('libplimsoll.so')], check=True, capture_output=True).stdout.split()
                for _ in range(rounds)]
        engine, library = (round(statistics.median(float(one[place]) for one in told)) for place in (0, 1))
        entry = results.entry(f'VADER in Python\'s process, columns, texts {name}', 'sentiment', library, 'texts/CPU s',
                              peer='the engine\'s loop', peer_value=engine, must=0.97, rounds=rounds, command='tests/bench/vader/run.py --record')
        ratio = round(statistics.median(float(one[1]) / float(one[0]) for one in told), 3)
        yield entry | {'ratio': ratio, 'met': results.met(ratio, 0.97, None)}


def main():
    options = results.arguments(rounds=7, programs=True).parse_args()
    program = results.programs_of(options, 'vader_score_loop', 'plimsoll_library') / 'vader_score_loop'
    source = TWEETS if TWEETS.exists() else CRAFTED
    texts = [json.loads(line)['text'] for line in source.read_text(encoding='utf-8').splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        analyzer = fuzz.load_package(folder).SentimentIntensityAnalyzer()
        file = pathlib.Path(folder) / 'texts.jsonl'
        file.write_text('\n'.join(map(json.dumps, texts)), encoding='utf-8')
        rates = {'python': [], 1: [], 2: []}
        for number in range(options.rounds):
            rates['python'].append(python_rate(analyzer, texts))
            for threads in (1, 2):
                told = subprocess.run([program, file, str(threads), str(SECONDS)], check=True, capture_output=True)
                rates[threads].append(float(told.stdout))
            print(f'round {number + 1}:', {name: round(values[-1]) for name, values in rates.items()})
        columns = list(in_columns(program, folder, options.rounds))
    python = round(statistics.median(rates['python']))
    entries = [results.entry(f'VADER engine loop, {threads} thread{"s" * (threads > 1)} ({source.stem})', 'sentiment',
                             round(statistics.median(rates[threads])), 'texts/CPU s',
                             peer=f'vaderSentiment 3.3.2, Python {sys.version.split()[0]}, one process',
                             peer_value=python, must=must, stretch=stretch, rounds=options.rounds,
                             command='tests/bench/vader/run.py --record')
               for threads, must, stretch in ((1, 30, 60), (2, 60, 120))]
    results.publish([*entries, *columns], options)


if __name__ == '__main__':
    main()
