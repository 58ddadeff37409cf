#!/usr/bin/env python3
"""VADER in an actor of Ray Data, from Arrow to Arrow, against the same scores in process, which take turns, by processor time.
The actor is that of deploy/samples/python, called without Ray.

    PYTHON tests/bench/vader/actor.py [--rounds N] [--record]

PYTHON has the wheel of deploy/release/wheels, and pyarrow.
"""
import json
import pathlib
import statistics
import sys
import time
import types

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'deploy/samples/python')]
sys.modules['ray'] = types.ModuleType('ray')
import plimsoll  # noqa: E402
import pyarrow  # noqa: E402
import ray_scores  # noqa: E402
import results  # noqa: E402

SIZES = {ray_scores.BATCH: 0.9, 1024: None}  # texts in a batch -> the ratio that it must reach


def main():
    options = results.arguments(rounds=15).parse_args()
    headlines = [json.loads(line)['text'] for line in (ROOT / 'deploy/samples/headlines.jsonl').open(encoding='utf-8')]
    table = pyarrow.table({'text': [headlines[place % len(headlines)] for place in range(4 * ray_scores.BATCH)]})
    scorer, actor = plimsoll.Scorer('vader'), ray_scores.Score()
    entries = []
    for size, must in SIZES.items():
        batches = [table.slice(start, size) for start in range(0, table.num_rows, size)]
        rates = []
        for _ in range(options.rounds):
            spent = [0.0, 0.0]
            for batch in batches:
                for place, call in enumerate((lambda: actor(batch), lambda: scorer.score(batch['text']))):
                    began = time.process_time()
                    call()
                    spent[place] += time.process_time() - began
            rates.append([table.num_rows / seconds for seconds in spent])
        ours, in_process = (round(statistics.median(column)) for column in zip(*rates))
        ratio = round(statistics.median(one / other for one, other in rates), 3)
        entries.append(results.entry(f'VADER in an actor of Ray Data, batches of {size:,} headlines', 'sentiment', ours, 'texts/CPU s',
                                     peer='in process', peer_value=in_process, must=must, rounds=options.rounds,
                                     command='PYTHON tests/bench/vader/actor.py --record')
                       | {'ratio': ratio, 'met': results.met(ratio, must, None)})
    results.publish(entries, options)


if __name__ == '__main__':
    main()
