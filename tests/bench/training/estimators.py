#!/usr/bin/env python3
"""DeepSpeed's own estimators of memory, and ours, against whole steps of DeepSpeed itself.

    tests/bench/training/estimators.py [--bin build/release/bin]

estimate_zero2_model_states_mem_needs and estimate_zero3_model_states_mem_needs (DeepSpeed 0.19.8) give the states of a
run in 16 bits. The steps are those of tests/pytorch/zero_steps.py, as recorded. The last table compares the states alone
of models of billions of parameters, for which both should agree.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
import results  # noqa: E402

DATA = ROOT / 'tests/unit/engine/training/data/deepspeed_0_19_zero_steps.json'
GB = 1e9


def zero2(total, cards, offload):
    return 2 * total if offload else 2 * total + 18 * total // cards


def zero3(total, largest_layer, cards, offload):
    if offload == 'parameters':
        return 4 * largest_layer
    return 4 * largest_layer + (2 if offload == 'optimizer' else 18) * total // cards


def theirs(sharding, total, largest_layer, cards, offload):
    if sharding == 'zero3':
        return zero3(total, largest_layer, cards, offload)
    return zero2(total, cards, offload != 'none')


def estimated(program, model, training, cluster, effective, gpu='a100_80gb'):
    args = {'model': model, 'gpus': [gpu], 'what_ifs': False, 'target_effective_batch': effective, 'training': training,
            'cluster': cluster}
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        json.dump(args, file)
        file.flush()
        ran = subprocess.run([program, '--json', 'estimate', file.name], capture_output=True, text=True)
    if not ran.stdout:
        raise SystemExit(f'{args}: {ran.stderr}')
    return json.loads(ran.stdout)['gpus'][0]


def of_steps(program):
    """(sharding, offload), error of ours, error of DeepSpeed's, in percent of what was measured."""
    for row in json.loads(DATA.read_text()):
        if row['precision'] != 'bf16' or row['sharding'] == 'zero1' or row['lora']:
            continue  # the estimators have no word for them
        training = {'precision': 'bf16', 'attention': 'eager', 'batch': row['batch'], 'clip': True,
                    'sequence_length': row['length'], 'checkpointing': row['checkpointing']}
        cluster = {'cards': row['cards'], 'sharding': row['sharding']}
        if row['offload'] == 'none':
            training['optimizer_kernel'] = 'fused'
        else:
            cluster['offload'] = row['offload']
        card = estimated(program, {'config': row['config']}, training, cluster,
                         row['batch'] * row['cards'] * row['accumulation'])
        largest = row['config']['vocab_size'] * row['config']['hidden_size']  # the embeddings
        states = theirs(row['sharding'], card['parameters'], largest, row['cards'], row['offload'])
        yield ((row['sharding'], row['offload']), (card['memory']['peak_allocated_bytes'] / row['peak'] - 1) * 100,
               (states / row['peak'] - 1) * 100)


def of_states(program):
    for preset, largest in (('llama-7b', 32000 * 4096), ('llama-8b', 128256 * 4096)):
        for sharding, offload in (('zero2', 'none'), ('zero2', 'optimizer'), ('zero3', 'none'), ('zero3', 'optimizer'),
                                  ('zero3', 'parameters')):
            cluster = {'cards': 8, 'sharding': sharding} | ({} if offload == 'none' else {'offload': offload})
            card = estimated(program, {'preset': preset}, {'precision': 'bf16_autocast', 'batch': 1, 'sequence_length': 128},
                             cluster, 8, 'h200')
            states = sum(part['bytes'] for part in card['breakdown'] if part['group'] in ('weights', 'gradients', 'optimizer'))
            yield (preset, sharding, offload, states / GB, card['memory']['peak_allocated_bytes'] / GB,
                   theirs(sharding, card['parameters'], largest, 8, offload) / GB)


def main():
    parser = results.arguments(rounds=1, programs=True)
    program = results.programs_of(parser.parse_args(), 'plimsoll') / 'plimsoll'
    by_kind = {}
    for kind, ours, deepspeed in of_steps(program):
        by_kind.setdefault(kind, []).append((ours, deepspeed))
    print("errors against DeepSpeed's own steps: ours, DeepSpeed's estimator (median, from, to)")
    for (sharding, offload), errors in by_kind.items():
        said = [f'{statistics.median(one):+6.1f} % ({min(one):+.1f} to {max(one):+.1f})' for one in zip(*errors)]
        print(f'  {sharding}, offload {offload:10} {len(errors):3} rows   {said[0]:34} {said[1]}')
    print('\non 8 cards, batch 1 x 128 tokens, GB: our states, our peak, their states')
    for preset, sharding, offload, states, peak, deepspeed in of_states(program):
        print(f'  {preset} {sharding}, offload {offload:10} {states:7.1f} {peak:7.1f} {deepspeed:7.1f}')


if __name__ == '__main__':
    main()
