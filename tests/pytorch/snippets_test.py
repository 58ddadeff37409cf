#!/usr/bin/env python3
"""The library of every snippet of an estimate accepts it, and it has the estimated settings.

    tests/pytorch/snippets_test.py [--plimsoll build/release/bin/plimsoll] [--record]

A snippet is run or parsed with the real Transformers, PEFT, bitsandbytes, Lightning and PyTorch; what it set is read
back from their objects, estimated again, and must give the same bytes. `--record` writes what the libraries accepted for
accepted_test.py.
"""

import argparse
import ast
import contextlib
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import types
from unittest import mock

import bitsandbytes
import lightning
import peft
import torch
import transformers
import yaml
from peft import LoraConfig
from recorded import record
from transformers import BitsAndBytesConfig

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / 'tests/pytorch/accepted/snippets.json'
OPTIMIZERS = {'adamw_torch_fused': ('adamw', 'fused'), 'adamw_torch': ('adamw', 'foreach'), 'sgd': ('sgd', None),
              'adafactor': ('adafactor', None), 'adamw_bnb_8bit': ('adam_8bit', None),
              'paged_adamw_32bit': ('paged_adamw', None), 'paged_adamw_8bit': ('paged_adamw_8bit', None)}


def cases():
    """Settings that differ in what snippets say; each is tried with each value of each, one at a time."""
    usual = {'precision': 'bf16_autocast', 'optimizer': 'adamw', 'optimizer_kernel': 'fused', 'checkpointing': False,
             'clip': True, 'attention': 'sdpa', 'packed': False, 'fused_loss': False, 'lora': {'rank': 0},
             'quantization': 'none'}
    lora = {'rank': 8, 'dropout': 0.05, 'modules': ['q_proj', 'down_proj']}
    others = {'precision': ['fp32', 'fp16_autocast', 'bf16'],
              'optimizer': ['sgd', 'sgd_momentum', 'adafactor', 'adam_8bit', 'paged_adamw', 'paged_adamw_8bit'],
              'optimizer_kernel': ['foreach'], 'checkpointing': [True], 'clip': [False], 'attention': ['eager', 'flash_attention_2'],
              'packed': [True], 'fused_loss': [True], 'lora': [lora, {**lora, 'dora': True}, {'rank': 4, 'targets': 'all_linear'}, {'rank': 16}]}
    yield usual
    for name, values in others.items():
        for value in values:
            case = {**usual, name: value}
            if case['optimizer'] != 'adamw':
                del case['optimizer_kernel']  # only AdamW has several
            yield case
    for quantization, checkpointing in itertools.product(('nf4', 'nf4_double', 'int8'), (False, True)):
        yield {**usual, 'lora': lora, 'quantization': quantization, 'checkpointing': checkpointing}
    yield {**usual, 'packed': True, 'fused_loss': True, 'attention': 'flash_attention_2'}
    for dtype in ('fp32', 'model'):
        yield {**usual, 'precision': 'bf16', 'lora': {**lora, 'dtype': dtype}}


def estimate(program, training, batch=None, cluster=None):
    args = {'model': {'preset': 'qwen3-0.6b'}, 'gpus': ['a100_80gb'], 'what_ifs': False, 'target_effective_batch': 64,
            'training': {**training, 'sequence_length': 512, **({'batch': batch} if batch else {})}}
    if cluster:
        args['cluster'] = cluster
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        json.dump(args, file)
        file.flush()
        ran = subprocess.run([program, '--json', 'estimate', file.name], capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f'{args}: {ran.stderr}')
    return json.loads(ran.stdout)['gpus'][0]


@contextlib.contextmanager
def as_on_a_gpu():
    """No GPU is here, which TrainingArguments would hold against bf16=True."""
    with mock.patch.object(torch.cuda, 'is_available', lambda: True), \
            mock.patch.object(torch.cuda, 'is_bf16_supported', lambda *_: True), \
            mock.patch.object(transformers.TrainingArguments, 'device', torch.device('cpu')):
        yield


class Seen:
    """What running a snippet told the libraries."""

    def __init__(self):
        self.arguments = self.lora = self.quantization = self.kbit = None
        self.half, self.attention, self.wide, self.packed = False, 'sdpa', True, False

    def names(self):
        seen = self

        class Model:
            def set_attn_implementation(self, name):
                seen.attention = name

            def to(self, kind):
                assert not seen.lora, 'this would convert the adapters'
                seen.half = kind is torch.bfloat16
                return self

        def trained(**values):
            with as_on_a_gpu(), tempfile.TemporaryDirectory() as folder:
                seen.arguments = transformers.TrainingArguments(output_dir=folder, **values)
            return seen.arguments

        def quantized(**values):
            seen.quantization = BitsAndBytesConfig(**values)
            return seen.quantization

        def wrapped(model, config, autocast_adapter_dtype=True):
            seen.lora, seen.wide = config, autocast_adapter_dtype
            return model

        def prepared(model, use_gradient_checkpointing):
            seen.kbit = use_gradient_checkpointing
            return model

        def flattened(**values):
            seen.packed = True
            return transformers.DataCollatorWithFlattening(**values)

        dataset = types.SimpleNamespace(map=lambda *_, **__: None)
        return {'TrainingArguments': trained, 'BitsAndBytesConfig': quantized, 'LoraConfig': LoraConfig, 'torch': torch,
                'get_peft_model': wrapped, 'prepare_model_for_kbit_training': prepared, 'model': Model(),
                'dataset': dataset, 'tokenizer': None, 'DataCollatorWithFlattening': flattened}


def trained_by(a, half=False):
    """What TrainingArguments say, `half` of a model whose weights have 16 bits."""
    assert not (half and (a.bf16 or a.fp16)), 'half weights under autocast are another layout'
    optimizer, kernel = OPTIMIZERS[str(getattr(a.optim, 'value', a.optim))]
    if optimizer == 'sgd' and a.optim_args == 'momentum=0.9':
        optimizer = 'sgd_momentum'
    training = {'optimizer': optimizer, 'checkpointing': a.gradient_checkpointing, 'clip': a.max_grad_norm > 0,
                'precision': 'bf16' if half else 'bf16_autocast' if a.bf16 else 'fp16_autocast' if a.fp16 else 'fp32'}
    return {**training, 'optimizer_kernel': kernel} if kernel else training


def read_back(seen):
    """The settings of an estimate, from the libraries' objects."""
    a = seen.arguments
    training = {**trained_by(a, seen.half), 'attention': seen.attention, 'packed': seen.packed, 'lora': {'rank': 0}}
    if a.use_liger_kernel:
        kernels = dict(a.liger_kernel_config)
        assert kernels.pop('fused_linear_cross_entropy') and not any(kernels.values())
        training['fused_loss'] = True
    if seen.lora:
        targets = seen.lora.target_modules
        training['lora'] = {'rank': seen.lora.r, 'dropout': seen.lora.lora_dropout,
                            'dora': seen.lora.use_dora, **({'dtype': 'fp32' if seen.wide else 'model'} if seen.half else {}),
                            **({'targets': 'all_linear'} if targets == 'all-linear' else {'modules': sorted(targets)})}
    if seen.quantization:
        q = seen.quantization
        assert q.load_in_8bit or q.bnb_4bit_quant_type == 'nf4'
        training['quantization'] = ('int8' if q.load_in_8bit else 'nf4_double' if q.bnb_4bit_use_double_quant
                                    else 'nf4')
        assert seen.kbit == a.gradient_checkpointing
    return training


def check_transformers(program, card):
    seen = Seen()
    exec(card['snippets']['transformers'], seen.names())
    batch = seen.arguments.per_device_train_batch_size
    assert batch * seen.arguments.gradient_accumulation_steps == 64, 'the effective batch'
    again = estimate(program, read_back(seen), batch)
    assert again['memory']['device_used_bytes'] == card['memory']['device_used_bytes'], (
        again['memory']['device_used_bytes'], card['memory']['device_used_bytes'])


def check_others(card):
    module = ast.parse(card['snippets']['pytorch'])
    for node in ast.walk(module):  # every name of PyTorch and bitsandbytes exists
        if isinstance(node, ast.Attribute) and ast.unparse(node).startswith(('torch.', 'bitsandbytes.')):
            eval(ast.unparse(node), {'torch': torch, 'bitsandbytes': bitsandbytes})
    settings = yaml.safe_load(card['snippets']['lightning'])
    lightning.Trainer(accelerator='cpu', logger=False, enable_checkpointing=False,
                      **{**settings['trainer'], 'precision': '32-true'})
    assert settings['trainer']['precision'] in ('32-true', 'bf16-mixed', '16-mixed', 'bf16-true')
    deepspeed = json.loads(card['snippets']['deepspeed'])
    assert deepspeed['train_micro_batch_size_per_gpu'] == settings['data_loader']['batch_size'] == card['batch']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--plimsoll', default=ROOT / 'build/release/bin/plimsoll')
    parser.add_argument('--record', action='store_true', help=f'write {DATA.relative_to(ROOT)}')
    options = parser.parse_args()
    rows = []
    print(f'Transformers {transformers.__version__}, PEFT {peft.__version__}, Lightning {lightning.__version__}')
    wrong = total = 0
    for training in cases():
        total += 1
        card = estimate(options.plimsoll, training)
        try:
            check_transformers(options.plimsoll, card)
            check_others(card)
            rows.append({'training': training, 'batch': card['accumulation']['nearest']['batch'],
                         'snippets': card['snippets']})
            print('ok     ', json.dumps(training))
        except Exception as error:  # the library's refusal is the finding
            wrong += 1
            print('REFUSED', json.dumps(training), f'{type(error).__name__}: {error}')
    if options.record:
        record(DATA, rows, ('training',))
    print(f'{total - wrong} of {total} accepted, and their estimates the same')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
