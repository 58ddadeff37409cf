#!/usr/bin/env python3
"""The peak of whole training steps: Plimsoll's tape against PyTorch itself, without a GPU.

    tests/pytorch/whole_steps.py [--plimsoll build/release/bin/plimsoll] [--only WORD] [--record]

Forward, backward, clipping and optimizer of two steps run on PyTorch's fake tensors, as in saved_tensors.py. Every
storage counts from the operation that creates it until its last reference is gone, in the blocks that PyTorch's
allocator would return; so do cuBLAS's workspaces, at the first product of a thread. What a kernel allocates and frees
within one operation is taken from its source if it is large (kernel_scratch.py); the estimate may exceed PyTorch's sum
by the rest, but should not be below it.
"""

import argparse
import contextlib
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import stand_in

stand_in.start_again()

import saved_tensors as saved
import torch
from fake_cuda import autocast
from kernel_scratch import A100, CARDS, scratch_of
from live_blocks import LiveBlocks, packed_states
from recorded import record
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensorMode

torch.cuda.amp.common.amp_definitely_not_available = lambda: False  # a checkpoint enters autocast again
torch.cuda.is_bf16_supported = lambda *_: True
torch.backends.cudnn.enabled = False  # convolutions would ask it for a plan
fake_tensor.init_gpu_context = lambda *_: None  # would allocate on the device
DATA = saved.ROOT / 'tests/unit/engine/training/data/pytorch_2_11_whole_steps.json'
METHODS = ('bert-base', 'gpt2', 'llama-1b', 'gemma-2-2b', 't5-base', 'modernbert-base')  # tried with every method
WHOLE = {'llama-1b': ('embed_tokens', 'lm_head'), 'gemma-2-2b': ('embed_tokens', 'lm_head'),
         'phi-3-mini': ('embed_tokens', 'lm_head'), 'gpt2': ('wte', 'lm_head'), 'pythia-410m': ('embed_in', 'lm_head')}
WORKSPACES = {'h200': {'workspace': 32 << 20}}
LAYERS = 6  # of each model: a step of fake tensors takes its time by the operation
UNCHECKED = ('distilbert', 'roberta-base', 'gpt2-medium', 'bert-large', 'minilm-l6')  # others cover their code


class Live(LiveBlocks):
    """Those on the card, and what kernels allocate and free at once."""

    def __init__(self, tensors, gpu):
        super().__init__(**WORKSPACES.get(gpu, {}))
        self.card = CARDS.get(gpu, A100)
        for tensor in tensors:
            self.watch(tensor)

    def watch(self, tensor):
        if tensor.device.type == 'cuda':
            super().watch(tensor)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = super().__torch_dispatch__(function, types, args, kwargs)
        if scratch := scratch_of(function, args, self.card):
            self.allocator.release(self.allocator.allocate(scratch))
        return out


def cases():
    for model in saved.MODELS:
        if model in UNCHECKED or ', ' in model:
            continue
        small, long = (4, 128), (2, 512)
        yield saved.Case(model, 'bf16_autocast', 'sdpa', *long, 0, False, False, 'a100_80gb')
        yield saved.Case(model, 'bf16', 'sdpa', *long, 0, True, False, 'a100_80gb')
        yield saved.Case(model, 'fp32', 'eager', *small, 0, False, False, 'a100_80gb')
        yield saved.Case(model, 'bf16', 'sdpa', *long, 8, False, False, 'a100_80gb')
        if model in METHODS:
            yield from saved.method_cases(model)
        yield from whole_cases(model)
        if saved.MODELS[model][1]['model_type'] in saved.QUANTIZED:
            for checkpointing in (False, True):
                for adapters in ('fp32', 'bf16'):
                    yield saved.Case(model, 'bf16_autocast', 'sdpa', *long, 8, checkpointing, False, 'a100_80gb', 'nf4_double',
                                     adapters)
        if saved.MODELS[model][1]['model_type'] in saved.MIXTURES:
            yield saved.Case(model, 'bf16', 'sdpa', *long, 8, False, False, 'a100_80gb', 'nf4_double')
            yield saved.Case(model, 'bf16', 'sdpa', *long, 8, True, False, 'a100_80gb', 'nf4_double')
            yield saved.Case(model, 'bf16_autocast', 'sdpa', *long, 8, True, False, 'a100_80gb', 'nf4_double')


def whole_cases(model):
    """Embeddings and heads that peft trains whole beside adapters."""
    names = WHOLE.get(model)
    for precision, which, checkpointing, quantization, adapters in () if names is None else (
            ('bf16', names, False, 'none', 'fp32'), ('bf16', names[:1], True, 'none', 'fp32'),
            ('bf16_autocast', names, True, 'none', 'fp32'), ('bf16_autocast', names[-1:], False, 'none', 'fp32'),
            ('fp32', names, False, 'none', 'fp32'), ('bf16_autocast', names, True, 'nf4_double', 'fp32'),
            ('bf16_autocast', names, True, 'nf4_double', 'bf16'), ('bf16_autocast', names[:1], False, 'nf4_double', 'bf16'),
            ('bf16', (*names, 'wide'), True, 'nf4_double', 'fp32'), ('bf16', (*names, 'wide'), False, 'none', 'fp32'),
            ('bf16', (*names, 'wide'), True, 'none', 'fp32')):
        if quantization == 'none' or saved.MODELS[model][1]['model_type'] in saved.QUANTIZED:
            yield saved.Case(model, precision, 'sdpa', 2, 512, 8, checkpointing, False, 'a100_80gb', quantization, adapters,
                             method=', '.join(('whole', *which)))


@contextlib.contextmanager
def shallow():
    """The models with their first layers alone, but for those whose layers differ."""
    names = ('num_hidden_layers', 'n_layers', 'n_layer', 'encoder_layers', 'num_layers')
    before = dict(saved.MODELS)
    for model, (task, values) in before.items():
        if 'global_head_dim' in values:
            continue
        saved.MODELS[model] = (task, {name: min(value, LAYERS) if name in names else value
                                      for name, value in values.items()})
    yield
    saved.MODELS.update(before)


def measured(case):
    with saved.patches(case), FakeTensorMode():
        model = saved.build(case)
        batch = saved.batch_of(case)
        optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], foreach=True)
        live = Live(itertools.chain(model.parameters(), model.buffers(), saved.tensors_of(batch), packed_states(model)), case.gpu)
        loss = None
        with live:
            for _ in range(2):
                with autocast(case.precision, case.method.endswith('wide')):
                    outputs = model(**batch)
                loss = outputs.loss
                torch.clear_autocast_cache()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
                del outputs
        del loss
    return live.allocator.peak


def predicted(args, program):
    args['training'] |= {'optimizer_kernel': 'foreach', 'clip': True}
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        json.dump(args, file)
        file.flush()
        ran = subprocess.run([program, '--json', 'estimate', file.name], capture_output=True, text=True)
    if not ran.stdout:
        raise SystemExit(f'{args}: {ran.stderr}')
    card = json.loads(ran.stdout)['gpus'][0]
    return card['memory']['peak_allocated_bytes'], card['memory']['moment']


def main(cases=cases, measured=measured, arguments=saved.arguments, data=DATA):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--plimsoll', default=saved.ROOT / 'build/release/bin/plimsoll', type=pathlib.Path)
    parser.add_argument('--only', default='', help='cases whose description holds this')
    parser.add_argument('--record', action='store_true', help=f'write {data.relative_to(saved.ROOT)}')
    options = parser.parse_args()
    rows, errors = [], []
    with shallow():
        for case in cases():
            name = ' '.join(f'{key}={value}' for key, value in case._asdict().items())
            if options.only not in name:
                continue
            real = measured(case)
            ours, moment = predicted(arguments(case), options.plimsoll)
            errors.append((ours / real - 1) * 100)
            rows.append({**case._asdict(), 'config': arguments(case)['model']['config'], 'peak': real})
            print(f"{errors[-1]:+6.2f} %  {name}  {real:,} ({moment['phase']})", flush=True)
    inside = sum(0 <= error <= 2.5 for error in errors)
    print(f'\n{inside} of {len(errors)} within 0 … +2.5 %; from {min(errors):+.2f} to {max(errors):+.2f} %')
    if options.record:
        record(data, rows, saved.Case._fields)
    return 0 if inside == len(errors) else 1


if __name__ == '__main__':
    sys.exit(main())
