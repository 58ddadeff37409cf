#!/usr/bin/env python3
"""The peak of whole training steps under DeepSpeed's ZeRO: Plimsoll's tape against DeepSpeed itself.

    tests/pytorch/zero_steps.py [--plimsoll build/release/bin/plimsoll] [--only WORD] [--record]

DeepSpeed runs on this CPU as one of several processes, in a group that sends nothing, with the configuration that
Plimsoll gives to paste. With stages 1 and 2 it is the one with the most gradients. The blocks of whole steps are counted
as in sharded_steps.py; the start, which takes more only where there is room, is left out.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import weakref

os.environ.update(DS_ACCELERATOR='cpu', DS_BUILD_OPS='0', LOCAL_RANK='0')
import deepspeed
import preferences
import torch
import torch.distributed as dist
from live_blocks import packed_states
from recorded import record
from sharded_cases import LATER
from sharded_steps import ADAPTED, Live, build, config_of, described, outputs_by, reference_of, trained, training_of
from torch.testing._internal.distributed.fake_pg import FakeStore
from trl.models.utils import prepare_deepspeed

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / 'tests/unit/engine/training/data/deepspeed_0_19_zero_steps.json'
Case = collections.namedtuple('Case', 'model sharding cards precision batch length checkpointing accumulation lora offload '
                              'bucket method quantization', defaults=[0, 'none', 0, 'supervised', 'none'])


def gathered(real):
    """The group sends nothing: what all cards would have sent is this card's part, so that numbers stay finite."""
    def call(output_tensor, input_tensor, **kwargs):
        with torch.no_grad():
            for part in output_tensor.view(-1).split(input_tensor.numel()):
                if part.data_ptr() != input_tensor.data_ptr():
                    part.copy_(input_tensor.view(-1))
        return real(output_tensor, input_tensor, **kwargs)
    return call


def cases():
    shapes = [('bf16', 1, 64, False, 1), ('fp32', 1, 64, False, 1), ('bf16', 2, 128, False, 2), ('bf16', 4, 128, True, 1)]
    for model in ('llama', 'llama, many words'):
        for sharding in ('zero1', 'zero2', 'zero3'):
            for cards in (2, 4):
                for shape in shapes:
                    yield Case(model, sharding, cards, *shape)
    for sharding in ('zero1', 'zero2', 'zero3'):
        for model in ('qwen3', 'gemma', 'gpt_neox', 'phi3', 'bert'):
            yield Case(model, sharding, 4, *shapes[2])
            yield Case(model, sharding, 2, *shapes[3])
        for model in ADAPTED:
            yield Case(model, sharding, 4, *shapes[2], 8)
            yield Case(model, sharding, 2, *shapes[3], 8)
        for model in LATER if sharding != 'zero1' else ():
            if sharding == 'zero3' and model in ('gpt_oss', 'llama4'):
                continue  # see README.md
            yield Case(model, sharding, 4, *shapes[2])
            yield Case(model, sharding, 2, *shapes[3], 8)
        for model in ('llama', 'llama, many words'):
            for offload in ('optimizer', 'parameters') if sharding == 'zero3' else ('optimizer',):
                yield Case(model, sharding, 4, *shapes[0], 0, offload)
                yield Case(model, sharding, 2, *shapes[2], 0, offload)
        for lora, bucket in ((0, 4_000_000), (8, 4_000_000), (0, 100_000)):
            yield Case('llama', sharding, 2, *shapes[2], lora, bucket=bucket)
        yield Case('llama', sharding, 2, *shapes[3], method='dpo')
    for model in ('llama', 'llama, many words', 'qwen3'):
        yield Case(model, 'zero3', 4, *shapes[2], method='dpo')
    yield Case('llama', 'zero3', 4, *shapes[2], 8, method='dpo')
    for model in ('llama', 'qwen3'):
        for sharding in ('zero2', 'zero3'):
            yield Case(model, sharding, 2, *shapes[2], 8, method='whole, embed_tokens, lm_head')
            yield Case(model, sharding, 2, *shapes[3], 8, method='whole, lm_head')
    yield Case('llama', 'zero3', 4, *shapes[3], method='kto')
    for model in ('llama', 'llama, many words', 'qwen3'):
        for sharding in ('zero1', 'zero2', 'zero3'):
            yield Case(model, sharding, 4, *shapes[2], 8, quantization='nf4_double')
            yield Case(model, sharding, 2, *shapes[3], 8, quantization='nf4')


def predicted(case, program):
    config = json.loads(json.dumps({**config_of(case).to_dict(), **described(case)}, default=str))
    args = {'model': {'config': config}, 'gpus': ['a100_80gb'], 'what_ifs': False,
            'target_effective_batch': case.batch * case.cards * case.accumulation, 'training': training_of(case),
            'cluster': {'cards': case.cards, 'sharding': case.sharding}}
    if case.bucket:
        args['cluster']['reduce_bucket_size'] = case.bucket
    if case.offload == 'none':
        args['training']['optimizer_kernel'] = 'fused'
    else:
        args['cluster']['offload'] = case.offload
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        json.dump(args, file)
        file.flush()
        ran = subprocess.run([program, '--json', 'estimate', file.name], capture_output=True, text=True)
    if not ran.stdout:
        raise SystemExit(f'{case}: {ran.stderr}')
    return json.loads(ran.stdout)['gpus'][0]


def settings_of(card, case):
    """The configuration to paste. Its optimizer, whose kernel needs a GPU, becomes PyTorch's with one kernel. A bucket
    larger than what is trained is made of two, where DeepSpeed overlaps them."""
    settings = json.loads(card['snippets']['deepspeed'])
    assert settings.pop('optimizer')['type'] == 'AdamW'
    zero = settings['zero_optimization']
    if case.bucket and case.sharding != 'zero3':
        zero.update(reduce_bucket_size=zero['reduce_bucket_size'] // 2, overlap_comm=True)
    return {**settings, 'zero_allow_untested_optimizer': True, 'zero_force_ds_cpu_optimizer': False}


class Peaks(Live):
    def __init__(self):
        super().__init__()
        self.phases = collections.Counter()
        self.on_host = False  # what is made now

    def watch(self, tensor):
        storage = tensor.untyped_storage()
        if self.on_host and storage.nbytes() and storage._cdata not in self.known:
            self.known[storage._cdata] = None
            weakref.finalize(storage, self.gone, storage._cdata)
        super().watch(tensor)

    def move_to_host(self, tensor):
        key = tensor.untyped_storage()._cdata
        if block := self.known.get(key):
            self.allocator.release(block)
            self.known[key] = None

    def working_on_host(self, function):
        def call(*args, **kwargs):
            self.on_host = True
            try:
                return function(*args, **kwargs)
            finally:
                self.on_host = False
        return call

    def phase(self, name):
        self.phases[name] = max(self.phases[name], self.allocator.peak)
        self.allocator.peak = self.allocator.allocated


def arrives(tensor):
    """From the host: a copy, which this CPU would not make."""
    kept = type(tensor).narrow
    tensor.to = lambda *args, **kwargs: torch.Tensor.to(tensor.clone(), *args, **kwargs)
    tensor.narrow = lambda *args: arrives(kept(tensor, *args))
    return tensor


def offload(live, optimizer, model, parameters):
    """What would lie in the host's memory does not count, and what comes from there is copied."""
    host = []
    if hasattr(optimizer, 'fp32_partitioned_groups_flat'):  # stage 3
        masters = optimizer.fp32_partitioned_groups_flat
        partitions = optimizer._DeepSpeedZeroOptimizer_Stage3__param_id_to_grad_partition
        for key in partitions:
            partitions[key] = arrives(partitions[key])
        host += partitions.values()
        if parameters:
            host += [arrives(parameter.ds_tensor) for parameter in model.parameters()]
    else:
        masters = optimizer.single_partition_of_fp32_groups
        host += [*optimizer.param_buffer_of_bit16_for_cpu_offload_groups, optimizer.temp_grad_buffer_for_cpu_offload]
        optimizer.async_accumulate_grad_in_cpu_via_gpu = live.working_on_host(optimizer.async_accumulate_grad_in_cpu_via_gpu)
    for master in masters:
        host += [master, master.grad]
    for tensor in host:
        live.move_to_host(tensor)
    optimizer.optimizer.step = live.working_on_host(optimizer.optimizer.step)


def measured(case, settings):
    preferences.Accelerator.device = 'cpu'
    model, reference = build(case), reference_of(case)
    preferences.fuse_heads(case, model, reference)
    live = Peaks()
    for one in filter(None, (model, reference)):
        for tensor in (*one.parameters(), *one.buffers(), *packed_states(one)):
            live.watch(tensor)
    with live, preferences.patches():
        optimizer = torch.optim.AdamW(trained(model), lr=1e-6, fused=True)
        engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=settings, dist_init_required=False)
        if case.offload != 'none':
            offload(live, engine.optimizer, model, case.offload == 'parameters')
        if reference:
            plugin = types.SimpleNamespace(deepspeed_config={**settings, 'optimizer': {}})
            reference = prepare_deepspeed(reference, types.SimpleNamespace(state=types.SimpleNamespace(deepspeed_plugin=plugin)))
        outputs_of = outputs_by(case, model, engine, reference)
        del model, optimizer
        live.phase('setup')
        for step in range(3):
            for micro in range(case.accumulation):
                outputs = outputs_of()
                live.phase('forward')
                engine.backward(outputs.loss)
                live.phase('backward')
                engine.step()
                live.phase('optimizer')
                del outputs  # as a Trainer does
    assert engine.optimizer.overflow is False
    return live.phases


def worst_rank(case):
    """The card with the most gradients of its own: with stages 1 and 2, one that lies in two parts is whole in both."""
    if case.sharding == 'zero3':
        return 0
    sizes = [parameter.numel() for parameter in trained(build(case))]
    part = -(-sum(sizes) // case.cards)
    own, at = [0] * case.cards, 0
    for size in sizes:
        for rank in range(at // part, min((at + size - 1) // part + 1, case.cards)):
            own[rank] += size
        at += size
    return own.index(max(own))


def run_one(case, program):
    """In a process of its own: a group has one size."""
    os.environ.update(RANK=str(worst_rank(case)), WORLD_SIZE=str(case.cards))
    dist.all_gather_into_tensor = gathered(dist.all_gather_into_tensor)
    dist.init_process_group('fake', store=FakeStore(), rank=worst_rank(case), world_size=case.cards)
    card = predicted(case, program)
    real = measured(case, settings_of(card, case))
    print('MEASURED', json.dumps({**case._asdict(), 'config': described(case), 'phases': real,
                                  'peak': max(real[phase] for phase in ('forward', 'backward', 'optimizer'))}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--plimsoll', default=ROOT / 'build/release/bin/plimsoll', type=pathlib.Path)
    parser.add_argument('--only', default='', help='cases whose description holds this')
    parser.add_argument('--record', action='store_true', help=f'write {DATA.relative_to(ROOT)}')
    parser.add_argument('--one', type=int, help='measure the case of this number')
    options = parser.parse_args()
    all_cases = list(cases())
    if options.one is not None:
        return run_one(all_cases[options.one], options.plimsoll)
    errors, rows = [], []
    for number, case in enumerate(all_cases):
        name = ' '.join(f'{key}={value}' for key, value in case._asdict().items())
        if options.only not in name:
            continue
        ran = subprocess.run([sys.executable, __file__, '--one', str(number), '--plimsoll', options.plimsoll],
                             capture_output=True, text=True)
        line = next((line for line in ran.stdout.splitlines() if line.startswith('MEASURED ')), None)
        if not line:
            raise SystemExit(f'{name}: {ran.stdout[-2000:]}{ran.stderr[-2000:]}')
        row = json.loads(line.removeprefix('MEASURED '))
        memory = predicted(case, options.plimsoll)['memory']
        errors.append((memory['peak_allocated_bytes'] / row['peak'] - 1) * 100)
        rows.append(row)
        print(f"{errors[-1]:+6.2f} %  {name}  {row['peak']:,} ({memory['moment']['phase']})", flush=True)
    inside = sum(-1 <= error <= 6 for error in errors)
    print(f'\n{inside} of {len(errors)} within -1 … +6 %; from {min(errors):+.2f} to {max(errors):+.2f} %')
    if options.record:
        record(DATA, rows, Case._fields, Case._field_defaults)
    return 0 if inside == len(errors) else 1


if __name__ == '__main__':
    sys.exit(main())
