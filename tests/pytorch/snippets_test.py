#!/usr/bin/env python3
"""The library of every snippet of an estimate accepts it, and it has the estimated settings.

    tests/pytorch/snippets_test.py [--plimsoll build/release/bin/plimsoll] [--record]

A snippet is run or parsed with the real Transformers, TRL, Accelerate, DeepSpeed, PEFT, bitsandbytes, Lightning and
PyTorch; what it set is read back from their objects, estimated again, and must give the same bytes. `--record` writes
what the libraries accepted for accepted_test.py.
"""

import argparse
import ast
import contextlib
import itertools
import json
import pathlib
import re
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
import trl
import yaml
from accelerate import ParallelismConfig
from accelerate.utils import DeepSpeedPlugin
from lightning.pytorch.strategies import FSDPStrategy, StrategyRegistry
from peft import LoraConfig
from recorded import record
from transformers import BitsAndBytesConfig

QWEN3 = types.SimpleNamespace(config=types.SimpleNamespace(hidden_size=1024))  # as a model's sizes are asked for
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


def clusters():
    """Settings of runs on several cards."""
    usual, lora = next(cases()), {'rank': 8, 'dropout': 0.05, 'modules': ['q_proj', 'down_proj']}
    for sharding in ('ddp', 'fsdp', 'zero1', 'zero2', 'zero3'):
        for change in ({}, {'precision': 'fp32'}, {'precision': 'fp16_autocast'}, {'checkpointing': True}, {'lora': lora}, {'clip': False}):
            if sharding == 'fsdp' and change.get('precision') == 'fp16_autocast':
                continue  # the estimate refuses it
            yield {**usual, **change}, {'cards': 4, 'sharding': sharding}
    yield usual, {'cards': 4, 'sharding': 'fsdp_grad_op'}
    yield usual, {'cards': 4, 'sharding': 'fsdp', 'replicas': 2}
    for sharding, offload in (('zero2', 'optimizer'), ('zero3', 'optimizer'), ('zero3', 'parameters')):
        host = {name: value for name, value in usual.items() if name != 'optimizer_kernel'}  # updates
        yield host, {'cards': 2, 'sharding': sharding, 'offload': offload}


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
    """What running a snippet told the libraries, on this many cards, with this configuration of DeepSpeed beside it."""

    def __init__(self, cards=1, deepspeed=None):
        self.cards, self.deepspeed = cards, deepspeed
        self.arguments = self.lora = self.quantization = self.kbit = self.plugin = self.tuning = None
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
            with (as_on_a_gpu(), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder),
                  mock.patch.object(transformers.TrainingArguments, 'world_size', seen.cards)):
                if seen.deepspeed:
                    pathlib.Path('deepspeed.json').write_text(seen.deepspeed)
                seen.arguments = transformers.TrainingArguments(output_dir=folder, **values)
                if zero := zero_of(seen):  # refuses values that contradict the arguments
                    zero.trainer_config_finalize(seen.arguments, QWEN3, 1000)
                    seen.plugin = DeepSpeedPlugin(hf_ds_config='deepspeed.json')
                seen.tuning = trl.SFTConfig(output_dir=folder, **values)
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
                'ParallelismConfig': ParallelismConfig, 'get_peft_model': wrapped, 'prepare_model_for_kbit_training': prepared, 'model': Model(),
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


def zero_of(seen):
    return getattr(seen.arguments, 'hf_deepspeed_config', None)


def offload_of(zero):
    parameters, optimizer = zero.get('offload_param'), zero.get('offload_optimizer')
    return 'parameters' if parameters else 'optimizer' if optimizer else 'none'


def cluster_of(seen):
    """How the cards share the run, from the libraries' objects."""
    if seen.cards == 1:
        return None
    if zero := zero_of(seen):
        assert zero.config['bf16']['enabled'] == seen.arguments.bf16 and zero.config['fp16']['enabled'] == seen.arguments.fp16
        block = zero.config['zero_optimization']
        assert seen.plugin.zero_stage == block['stage']
        assert offload_of(seen.plugin.deepspeed_config['zero_optimization']) == offload_of(block)
        assert seen.plugin.gradient_accumulation_steps == seen.arguments.gradient_accumulation_steps
        return {'cards': seen.cards, 'sharding': f"zero{block['stage']}", 'offload': offload_of(block)}
    if not seen.arguments.fsdp:
        return {'cards': seen.cards, 'sharding': 'ddp'}
    assert seen.arguments.fsdp_plugin_args['fsdp_version'] == 2
    meshes = seen.arguments.parallelism_config
    assert not meshes or meshes.total_size == seen.cards
    return {'cards': seen.cards, 'sharding': 'fsdp' if seen.arguments.fsdp_config.get('reshard_after_forward', True) else 'fsdp_grad_op',
            **({'replicas': meshes.dp_replicate_size} if meshes else {})}


def check_transformers(program, card, cluster=None):
    text = card['snippets']['transformers']
    launched = re.search(r'torchrun --nproc-per-node (\d+)', text)
    seen = Seen(int(launched.group(1)) if launched else 1, card['snippets']['deepspeed'])
    exec(text, seen.names())
    batch = seen.arguments.per_device_train_batch_size
    assert batch * seen.arguments.gradient_accumulation_steps * seen.cards == 64, 'the effective batch'
    # TRL has other defaults, so that what a snippet does not say would differ.
    assert trained_by(seen.tuning, seen.half) == trained_by(seen.arguments, seen.half)
    for name in ('per_device_train_batch_size', 'gradient_accumulation_steps', 'fsdp', 'deepspeed', 'use_liger_kernel'):
        assert getattr(seen.tuning, name) == getattr(seen.arguments, name), name
    read = cluster_of(seen)
    assert not cluster or {'offload': 'none', **cluster} == {'offload': 'none', **read}, read
    training = read_back(seen)
    if read and read.get('offload', 'none') != 'none':
        del training['optimizer_kernel']  # the host updates
    again = estimate(program, training, batch, read)
    assert again['memory']['device_used_bytes'] == card['memory']['device_used_bytes'], (
        again['memory']['device_used_bytes'], card['memory']['device_used_bytes'])


def check_others(card):
    module = ast.parse(card['snippets']['pytorch'])
    for node in ast.walk(module):  # every name of PyTorch and bitsandbytes exists
        if isinstance(node, ast.Attribute) and ast.unparse(node).startswith(('torch.', 'bitsandbytes.')):
            eval(ast.unparse(node), {'torch': torch, 'bitsandbytes': bitsandbytes})
    settings = yaml.safe_load(card['snippets']['lightning'])
    trainer = {**settings['trainer'], 'precision': '32-true'}
    if isinstance(trainer.get('strategy'), dict):
        FSDPStrategy(**trainer.pop('strategy')['init_args'])
    elif trainer.get('strategy') == 'fsdp':  # a trainer with it needs a GPU
        assert trainer.pop('strategy') in StrategyRegistry.available_strategies()
    lightning.Trainer(accelerator='cpu', logger=False, enable_checkpointing=False, **trainer)
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
    for training, cluster in itertools.chain(((training, None) for training in cases()), clusters()):
        total += 1
        card = estimate(options.plimsoll, training, cluster=cluster)
        name = json.dumps({**training, **(cluster or {})})
        try:
            check_transformers(options.plimsoll, card, cluster)
            check_others(card)
            rows.append({'training': training, 'cluster': cluster, 'batch': card['accumulation']['nearest']['batch'],
                         'snippets': card['snippets']})
            print('ok     ', name)
        except Exception as error:  # the library's refusal is the finding
            wrong += 1
            print('REFUSED', name, f'{type(error).__name__}: {error}')
    if options.record:
        record(DATA, rows, ('training', 'cluster'))
    print(f'{total - wrong} of {total} accepted, and their estimates the same')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
