#!/usr/bin/env python3
"""VADER: the engine's loop on one and two threads against the Python package, in texts per
second of CPU time (summed over threads), which hardly depends on other load.

    tests/bench/vader/run.py [--rounds N] [--record]

Builds a release, then runs round by round: Python, one thread, two threads. The texts are 4,200 tweets if they are next
to the repository, otherwise the crafted texts in tests/data.
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
SECONDS = 1  # of CPU time


def python_rate(analyzer, texts):
    scored, start = 0, time.process_time()
    while time.process_time() - start < SECONDS:
        for text in texts:
            analyzer.polarity_scores(text)
        scored += len(texts)
    return scored / (time.process_time() - start)


def main():
    options = results.arguments(rounds=7).parse_args()
    program = results.release('vader_score_loop') / 'vader_score_loop'
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
    python = round(statistics.median(rates['python']))
    entries = [results.entry(f'VADER engine loop, {threads} thread{"s" * (threads > 1)} ({source.stem})', 'sentiment',
                             round(statistics.median(rates[threads])), 'texts/CPU s',
                             peer=f'vaderSentiment 3.3.2, Python {sys.version.split()[0]}, one process',
                             peer_value=python, must=must, stretch=stretch, rounds=options.rounds,
                             command='tests/bench/vader/run.py --record')
               for threads, must, stretch in ((1, 30, 60), (2, 60, 120))]
    results.publish(entries, options)


if __name__ == '__main__':
    main()
