#!/usr/bin/env python3
"""Whole training steps on an NVIDIA GPU: what PyTorch said there, against Plimsoll's estimate.

    tests/pytorch/gpu_rows.py [ROWS.jsonl ...] [--plimsoll build/release/bin/plimsoll] [--only WORD] [--record]

Without files, the recorded rows are compared, which needs neither a GPU nor PyTorch. A row of a file is a JSON object: the
card's name and total memory, a configuration (`cfg`), max_memory_allocated and max_memory_reserved of three steps in a
fresh process, what the card held beyond that, and the median time of a later step. Some ran under a limit of memory
(`cap_bytes`), like a smaller card, and may have run out of it (`status`).
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from recorded import record

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / 'tests/unit/engine/training/data/nvidia_gpu_steps.json'
CARDS = {'NVIDIA H100 80GB HBM3': 'h100_80gb', 'NVIDIA H200': 'h200'}  # names of drivers, and the catalogue's
GPT2 = {'gpt2': dict(n_embd=768, n_layer=12, n_head=12), 'gpt2-medium': dict(n_embd=1024, n_layer=24, n_head=16)}
SERIES = ('temporal', 'lstm')  # have one implementation
PRECISIONS = {'fp32': 'fp32', 'bf16': 'bf16', 'bf16ac': 'bf16_autocast', 'fp16ac': 'fp16_autocast'}
OPTIMIZERS = {'adamw': 'adamw', 'sgd': 'sgd', 'sgdm': 'sgd_momentum', 'adafactor': 'adafactor'}
KERNELS = {'default': 'foreach', 'fused': 'fused', 'single': 'single'}
# What decides about a row: (its title, the estimate's value, the row's value, the most of median and 90th percentile).
LIMITS = {'max_memory_allocated': (0.5, None), 'max_memory_reserved': (3, 8), 'memory beside PyTorch': (None, None),
          'throughput': (15, None)}


def model_of(config):
    name = config['arch']
    if name in GPT2:  # measured with 2,048 positions
        model = {'config': dict(GPT2[name], model_type='gpt2', vocab_size=50257, n_positions=2048,
                                architectures=['GPT2LMHeadModel'])}
    else:
        model = {'preset': name}
    if config['dropout'] is not None:
        model |= {'hidden_dropout': config['dropout'], 'attention_dropout': config['dropout']}
    if config['head'] == 'lm':
        model['head'] = 'language_model'
    return model


def arguments(row):
    config = row['config']
    training = {'precision': PRECISIONS[config['prec']], 'batch': config['batch'], 'sequence_length': config['seq'],
                'clip': config['clip'], 'optimizer': OPTIMIZERS[config['opt']]}
    if config['arch'] not in SERIES:
        training |= {'attention': config['attn'], 'checkpointing': config['ckpt'], 'padded': config['pad']}
    if config['opt'] == 'adamw':
        training['optimizer_kernel'] = KERNELS[config['foreach']]
    if config['neg']:
        training['negatives'] = config['neg']
    if config['lora']:
        training['lora'] = {'rank': config['lora'], 'dropout': 0.1}
        if config['arch'] == 'naics-4ch':
            training['lora']['targets'] = 'all_linear'
        if config['prec'] == 'bf16':  # the whole model was converted, adapters included
            training['lora']['dtype'] = 'model'
    return {'model': model_of(config), 'gpus': [CARDS[row['card']]], 'what_ifs': False, 'training': training,
            'target_effective_batch': config['batch'] * config['accum']}


def cannot_express(config):
    """What a request has no member for, or None."""
    if not config['set_none']:
        return 'gradients that are zeroed in place'
    return None


def estimate(row, program):
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        json.dump(arguments(row), file)
        file.flush()
        ran = subprocess.run([program, '--json', 'estimate', file.name], capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f"{name_of(row)}: {ran.stdout}{ran.stderr}")
    return json.loads(ran.stdout)['gpus'][0]


def pairs(row, card):
    """By title: ours and the measured value, where there is one."""
    memory = card['memory']
    found = {title: (memory[f'peak_{title.removeprefix("max_memory_")}_bytes'], row[title.replace('_memory', '')])
             for title in ('max_memory_allocated', 'max_memory_reserved') if title.replace('_memory', '') in row}
    if row.get('beside'):
        found['memory beside PyTorch'] = (card['gpu']['context_bytes'], row['beside'])
    if row.get('step_ms'):
        batch = row['config']['batch'] * row['config']['accum']
        found['throughput'] = (card['speed']['samples_per_second'], batch / row['step_ms'] * 1000)
    return found


def name_of(row):
    usual = dict(attn='sdpa', opt='adamw', foreach='default', ckpt=False, lora=0, accum=1, pad=False, dropout=None, clip=False,
                 set_none=True, neg=0, expandable=False)
    words = [f'{key}={value}' for key, value in row['config'].items() if key in usual and value != usual[key]]
    config = row['config']
    return ' '.join([config['arch'], config['head'], config['prec'], f"{config['batch']}x{config['seq']}", *words])


def row_of(line, card):
    """A row in the form of the recorded ones; None if nothing was measured."""
    told = json.loads(line)
    limit = told.get('cap_bytes')
    if 'cfg' not in told or not (told['status'] == 'ok' or limit and told['status'] == 'oom'):
        return None
    row = {'card': card, 'config': {key: told['cfg'][key] for key in sorted(told['cfg']) if key != 'id'}, 'limit': limit}
    if limit:
        row['ran'] = told['status'] == 'ok'
    # What was released and asked for again, to stay below a limit, is no peak of the step's own.
    if told['status'] == 'ok' and not told['stats']['num_alloc_retries']:
        row |= {'max_allocated': told['max_allocated'], 'max_reserved': told['max_reserved']}
    if 'max_reserved' in row and 'device_used' in told:  # of the driver, beyond what the allocator has just now
        row['beside'] = told['device_used'] - told['reserved_by_step'][-1]
    if 'step_ms_median' in told:
        row['step_ms'] = round(told['step_ms_median'], 3)
    return row


def rows_of(files):
    if not files:
        return json.loads(DATA.read_text())
    lines = [line for file in files for line in file.read_text().splitlines()]
    card = next(told['name'] for told in map(json.loads, lines) if told.get('id') == 'card')
    return [row for row in (row_of(line, card) for line in lines) if row]


def wrongly_fitting(rows, program):
    """Of those under a limit, how many ran out of memory although the estimate lies within it."""
    limited = [row for row in rows if row['limit']]
    wrong = [row for row in limited if not row['ran']
             and estimate(row, program)['memory']['peak_reserved_bytes'] <= row['limit']]
    return len(wrong), len(limited)


def quantile(values, part):
    return sorted(values)[round(part * (len(values) - 1))]


def errors(rows, program):
    """By title: the errors of all rows in percent, each with its row."""
    found = {}
    for row in rows:
        for title, (ours, real) in pairs(row, estimate(row, program)).items():
            found.setdefault(title, []).append(((ours / real - 1) * 100, row))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('rows', nargs='*', type=pathlib.Path, metavar='ROWS.jsonl')
    parser.add_argument('--plimsoll', default=ROOT / 'build/release/bin/plimsoll', type=pathlib.Path)
    parser.add_argument('--only', default='', help='rows whose description holds this')
    parser.add_argument('--record', action='store_true', help=f'write {DATA.relative_to(ROOT)}')
    options = parser.parse_args()
    every = [row for row in rows_of(options.rows) if options.only in name_of(row)]
    for row in every:
        if why := cannot_express(row['config']):
            print(f'not compared: {name_of(row)}: {why}')
    rows = [row for row in every if not cannot_express(row['config'])]
    found = errors(rows, options.plimsoll)
    for index, row in enumerate(rows):
        told = [f'{title} {error:+.2f} %' for title in found
                for error, of in found[title] if of is row]
        print(f'{name_of(row)}: ' + ', '.join(told))
    over = False
    for title, values in found.items():
        sizes = [abs(error) for error, _ in values]
        worst = max(values, key=lambda value: abs(value[0]))
        middle, most = quantile(sizes, 0.5), quantile(sizes, 0.9)
        under = sum(error < 0 for error, _ in values)
        print(f'\n{title}: {len(sizes)} rows, median {middle:.2f} %, 90th percentile {most:.2f} %, {under} below; worst '
              f'{worst[0]:+.2f} % ({name_of(worst[1])})')
        for value, limit in zip((middle, most), LIMITS[title]):
            over |= limit is not None and value > limit
    wrong, limited = wrongly_fitting(rows, options.plimsoll)
    print(f'\nunder a limit: {wrong} of {limited} ran out of memory although the estimate is within it')
    if options.record:
        record(DATA, rows, ('card', 'config', 'limit'))
    return 1 if over or wrong else 0


if __name__ == '__main__':
    sys.exit(main())
