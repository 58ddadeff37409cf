#!/usr/bin/env python3
"""Published shapes that no other test has, at lengths and batches drawn at random: bytes kept, and peaks of whole steps.

    tests/pytorch/fresh_shapes.py [--plimsoll build/release/bin/plimsoll] [--seed 21] [--only WORD] [--record]

A seed draws a method, a precision, a card, a batch and a length for each shape of published.py. What each layer keeps
must equal PyTorch's to the byte (saved_tensors.py); the peak of two steps of its first layers may exceed PyTorch's by
2.5 % (whole_steps.py). Another seed draws what nobody has looked at.
"""

import argparse
import json
import pathlib
import random
import sys
import time

import stand_in

stand_in.start_again()

import saved_tensors as saved
import whole_steps
from published import SHAPES
from recorded import record

DATA = saved.ROOT / 'tests/unit/engine/training/data'
saved.MODELS.clear()
saved.MODELS.update(SHAPES)


def drawn(seed):
    """A case of each shape, and one of each with adapters or another method where there is one."""
    for model, (task, values) in SHAPES.items():
        dice = random.Random(f'{seed} {model}')
        batch, length = dice.randint(1, 9), dice.choice((33, 77, 96, 130, 200, 256, 333, 384, 640, 1000))
        length = min(length, values.get('max_position_embeddings', 4096) - 2, values.get('n_positions', 4096))
        precision = dice.choice(('fp32', 'bf16_autocast', 'bf16'))
        padded = task not in saved.FIXED and dice.random() < 0.3
        yield saved.Case(model, precision, dice.choice(('sdpa', 'eager')), batch, length, 0, dice.random() < 0.3, padded,
                         dice.choice(('a100_80gb', 'h200', 't4') if precision == 'bf16' else ('a100_80gb', 'h200')))
        others = [case for case in saved.method_cases(model)
                  if case.method != 'none' or case.attention != 'sdpa']
        other = dice.choice(others)
        rank = dice.choice((4, 8, 16, 32)) if other.lora else 0
        yield other._replace(batch=batch, length=length, lora=rank)


def check_saved(case, program):
    real, ours = saved.measured(case), saved.predicted(case, program)
    total = ours['activations'] - real['activations']
    layers = [ours - measured for measured, ours in zip(real['layers'], ours['layers'])]
    row = {**case._asdict(), 'config': {**SHAPES[case.model][1], 'architectures': saved.architectures(case)}, 'measured': real}
    worst = max(layers, key=abs)
    return not (total or worst), f"kept {real['activations']:,} ({total:+,}, layer {worst:+,})", row


def check_steps(case, program):
    with whole_steps.shallow():
        real = whole_steps.measured(case)
        ours, moment = whole_steps.predicted(saved.arguments(case), program)
        row = {**case._asdict(), 'config': saved.arguments(case)['model']['config'], 'peak': real}
    error = (ours / real - 1) * 100
    return real <= ours <= 1.025 * real, f"step {error:+.2f} % of {real:,} ({moment['phase']})", row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--plimsoll', default=saved.ROOT / 'build/release/bin/plimsoll', type=pathlib.Path)
    parser.add_argument('--seed', default='21', help='draws other cases')
    parser.add_argument('--only', default='', help='cases whose description holds this')
    parser.add_argument('--record', action='store_true', help='write the data of the unit tests')
    options = parser.parse_args()
    rows, good = {check_saved: [], check_steps: []}, {check_saved: 0, check_steps: 0}
    for case in drawn(options.seed):
        name = ' '.join(f'{key}={value}' for key, value in case._asdict().items())
        if options.only not in name:
            continue
        said, began = [], time.monotonic()
        for check in rows:
            same, text, row = check(case, options.plimsoll)
            rows[check].append(row)
            good[check] += same
            said.append(text if same else f'WRONG {text}')
        if options.record:
            for check, file in ((check_saved, 'fresh_saved'), (check_steps, 'fresh_steps')):
                record(DATA / f'pytorch_2_11_{file}.json', rows[check], saved.Case._fields)
        print(f"{'; '.join(said)}  {name}  ({time.monotonic() - began:.0f} s)", flush=True)
    total = len(rows[check_saved])
    print(f'\n{good[check_saved]} of {total} keep the same bytes; {good[check_steps]} of {total} steps within 0 … +2.5 %')
    return 0 if all(number == total for number in good.values()) else 1


if __name__ == '__main__':
    sys.exit(main())
