#!/usr/bin/env python3
"""The peak of whole training steps on one of several cards: Plimsoll's tape against PyTorch's FSDP2 and DistributedDataParallel.

    tests/pytorch/sharded_steps.py [--plimsoll build/release/bin/plimsoll] [--only WORD] [--record]

Real models of Transformers on this CPU, in a process group that sends nothing. The memory of the steps is counted in
the blocks that PyTorch's CUDA allocator would return. Eager attention and models without dropout run the same
operations here as on a GPU; autocast does not, so precisions are fp32 and weights in bf16. What a kernel allocates and
frees within one operation is not seen.
"""

import argparse
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import weakref

import peft
import torch
import torch.distributed as dist
import torch.distributed.fsdp._fully_shard._fsdp_param as fsdp_param
import torch.distributed.fsdp._fully_shard._fsdp_param_group as fsdp_group
import transformers as tf
import trl.trainer.utils as trl_utils
import expert_plans
import pipelined
import preferences
import ring
import selective
from live_blocks import LiveBlocks, packed_states
from parallel_plans import divide
from recorded import record
from sharded_cases import ADAPTED, MODELS, Case, attention_of, cases, config_of, quantized, whole_modules
from torch._subclasses.fake_tensor import FakeTensor
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks import noop_hook
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import OffloadPolicy, fully_shard
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import loss_parallel
from torch.nn.parallel import DistributedDataParallel
from torch.testing._internal.distributed.fake_pg import FakeStore
from trl.models.utils import prepare_fsdp

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / 'tests/unit/engine/training/data/pytorch_2_11_sharded_steps.json'
CARDS = 8


class Live(LiveBlocks):
    """FSDP resizes some storages in place."""

    def __init__(self, inside=False):
        super().__init__()
        self.resized = {}
        self.inside, self.of_parts = inside, False

    def watch(self, tensor):
        tensor = tensor._local_tensor if isinstance(tensor, DTensor) else tensor
        if isinstance(tensor, FakeTensor):  # DTensor asks what an operation would return
            return
        if tensor.untyped_storage()._cdata not in self.resized:
            super().watch(tensor)

    def gone(self, key):
        if key in self.known:
            super().gone(key)
        elif block := self.resized.pop(key, None):
            self.allocator.release(block)

    def resize(self, tensor, to):
        """What FSDP's alloc_storage and free_storage do."""
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self.known and key not in self.resized:
            weakref.finalize(storage, self.gone, key)
        held = self.resized.pop(key, None) or self.known.pop(key, None)
        if held and not to:
            self.allocator.release(held)
            held = None
        self.resized[key] = held or (self.allocator.allocate(to) if to else None)

    def begin_sum(self, function, args, out):
        """The engine adds gradients of DTensors out of place."""
        if function is torch.ops.aten.add.Tensor and self.of_parts and not isinstance(out, FakeTensor):
            self.of_parts = False
        else:
            super().begin_sum(function, args, out)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if self.inside and any(issubclass(kind, (DTensor, AsyncCollectiveTensor)) for kind in types):
            self.of_parts = function is torch.ops.aten.add.Tensor
            return NotImplemented  # what they do comes here
        return super().__torch_dispatch__(function, types, args, kwargs)

    def thread(self):
        return torch._C._current_graph_task_id() >= 0  # a GPU's backward pass has a thread of its own


def layers_of(model):
    return max((module for module in model.modules() if isinstance(module, torch.nn.ModuleList)), key=len)


def build(case):
    torch.manual_seed(0)
    kind = torch.bfloat16 if case.precision == 'bf16' else torch.float32
    head = tf.AutoModelForSequenceClassification if case.model == 'bert' else tf.AutoModelForCausalLM
    model = head.from_config(config_of(case), dtype=kind)
    if case.quantization != 'none':
        model = quantized(model, case).requires_grad_(False)
    if case.lora:
        adapters = peft.LoraConfig(r=case.lora, target_modules=ADAPTED.get(case.model, ['q_proj', 'v_proj']), modules_to_save=whole_modules(case))
        # FSDP and DeepSpeed train weights of one type.
        model = peft.get_peft_model(model, adapters, autocast_adapter_dtype=case.sharding in ('none', 'ddp'))
    if getattr(case, 'expert', 1) > 1:
        expert_plans.replace_experts(model)
    if case.checkpointing and case.lora:
        model.enable_input_require_grads()
    if case.checkpointing:
        selects = {'context_fn': selective.contexts} if getattr(case, 'selective', False) else {}
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={'use_reentrant': False, **selects})
    return model.train()


def mesh_of(case):
    """Cards that divide a text shard the weights, too."""
    return init_device_mesh('cpu', (case.replicas, CARDS // case.replicas // case.tensor, case.tensor),
                            mesh_dim_names=('replicate', 'shard', 'tensor'))


def context_of(case):
    mesh = init_device_mesh('cpu', (CARDS // case.context // case.tensor, case.context, case.tensor),
                            mesh_dim_names=('data', 'context', 'tensor'))
    return mesh['context'].get_group()


def shard(model, case, root=None):
    if case.expert > 1:
        return expert_plans.shard(model, case, CARDS)
    if case.tensor > 1:
        mesh = mesh_of(case)
        divide(model, mesh['tensor'])
        for part in (*layers_of(model), model):
            fully_shard(part, mesh=mesh['replicate', 'shard'] if case.replicas > 1 else mesh['shard'])
        return model
    if case.sharding.startswith('fsdp'):
        mesh = init_device_mesh('cpu', (case.replicas, CARDS // case.replicas), mesh_dim_names=('replicate', 'shard')) \
            if case.replicas > 1 else None
        for layer in layers_of(model):
            fully_shard(layer, reshard_after_forward=case.sharding == 'fsdp', mesh=mesh)
        fully_shard(model, reshard_after_forward=root, mesh=mesh)
    if case.sharding == 'ddp':
        model = DistributedDataParallel(model)
        model.register_comm_hook(None, noop_hook)
    return model


def trained(model):
    return [parameter for parameter in model.parameters() if parameter.requires_grad]


def batch_of(case):
    ids = torch.randint(0, 1000, (case.batch, case.length))
    labels = torch.randint(0, 5, (case.batch,)) if case.model == 'bert' else ids.clone()
    batch = {'input_ids': ids, 'attention_mask': torch.ones_like(ids), 'labels': labels}
    if getattr(case, 'context', 1) > 1:  # a card's part stays in the memory of the whole
        length = case.length // case.context
        return {name: text.flatten()[:case.batch * length].view(case.batch, length) for name, text in batch.items()}
    return batch


def reference_of(case):
    """TRL's copy of the model, which it does not train; with adapters there is none."""
    if case.lora or not case.method.startswith(('dpo', 'kto')):
        return None
    model = build(case._replace(checkpointing=False)).eval()
    trl_utils.disable_dropout_in_model(model)
    return model


def shard_reference(model, case):
    if case.method.endswith('by_layer'):
        return shard(model, case, root=True)  # as Accelerate sets it
    plugin = types.SimpleNamespace(fsdp_version=2, reshard_after_forward=case.sharding == 'fsdp', cpu_offload=OffloadPolicy(),
                                   mixed_precision_policy=None, ignored_modules=None)
    return prepare_fsdp(model, types.SimpleNamespace(state=types.SimpleNamespace(fsdp_plugin=plugin), device='cpu'))


def outputs_by(case, model, wrapped, reference):
    """What runs the forward pass of a step, on a new batch."""
    if not case.method.startswith(('dpo', 'kto')):
        return lambda: wrapped(**batch_of(case))
    loss = preferences.dpo if case.method.startswith('dpo') else preferences.kto
    return lambda: types.SimpleNamespace(loss=loss(case, model, reference, wrapped)[1]())


@contextlib.contextmanager
def distributed(live, models, case):
    """FSDP makes shards of weights that had been in the host's memory."""
    fsdp = case.sharding.startswith('fsdp')

    def watch():
        for model in models:
            for tensor in (*model.parameters(), *model.buffers(), *packed_states(model)):
                live.watch(tensor)
    if not fsdp:
        watch()
    with live:
        yield
    if fsdp:
        watch()
        live.allocator.peak, live.allocator.peak_requested = live.allocator.allocated, live.allocator.requested


@contextlib.contextmanager
def streams(allocator):
    """FSDP's own ones, on which it receives; a CPU has none."""

    @contextlib.contextmanager
    def stream(its):
        before, allocator.stream = allocator.stream, its
        try:
            yield
        finally:
            allocator.stream = before
    before, torch.cpu.stream = torch.cpu.stream, stream
    try:
        yield
    finally:
        torch.cpu.stream = before


def contexts_of(case, live):
    yield preferences.patches()
    yield streams(live.allocator)
    if case.tensor > 1:
        yield loss_parallel()
    if case.context > 1:
        yield ring.attention(context_of(case), live.allocator)
    if case.selective:
        yield selective.attention(live.allocator)
    if case.expert > 1:
        yield expert_plans.on_a_cpu()


def peak_of(case, live, models, step, contexts):
    """Of three steps; what `step` returns stays until the next, as a Trainer's outputs do."""
    allocate, free = fsdp_param.alloc_storage, fsdp_param.free_storage

    def seen_allocate(tensor):
        live.resize(tensor, tensor.numel() * tensor.itemsize)
        allocate(tensor)

    def seen_free(tensor):
        live.resize(tensor, 0)
        free(tensor)
    weights = [weight for model in models for weight in trained(model)]
    clip = expert_plans.clip if case.expert > 1 else torch.nn.utils.clip_grad_norm_
    optimizer = torch.optim.AdamW(weights, foreach=True)
    fsdp_param.alloc_storage, fsdp_param.free_storage = seen_allocate, seen_free
    fsdp_group.alloc_storage = seen_allocate  # of a single shard
    try:
        with contextlib.ExitStack() as stack:
            for context in (live, *contexts):
                stack.enter_context(context)
            for _ in range(3):
                outputs = step()
                clip(weights, 1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
                del outputs
    finally:
        fsdp_param.alloc_storage, fsdp_param.free_storage = allocate, free
        fsdp_group.alloc_storage = allocate
    return live.allocator


def measured_in_a_pipeline(case):
    """All micro-batches' ids and labels are on every card, as torchtitan's loop puts them there."""
    stages = case.pipeline * (2 if case.schedule.startswith('interleaved') else 1)
    mesh = init_device_mesh('cpu', (case.pipeline, CARDS // case.pipeline // case.tensor, case.tensor),
                            mesh_dim_names=('pipeline', 'shard', 'tensor'))
    models = [pipelined.Stage(build(case), index, stages) for index in range(case.rank, stages, case.pipeline)]
    live = Live(case.tensor > 1 or case.context > 1)
    with distributed(live, models, case):
        for model in models if case.sharding != 'none' else ():
            pipelined.shard(model, case, mesh)

    def loss(logits, labels):
        return tf.loss.loss_utils.ForCausalLMLoss(logits, labels, logits.shape[-1])
    schedule = pipelined.schedule_of(case, models, mesh, loss)
    whole = case._replace(batch=case.batch * case.microbatches)

    def step():
        batch = batch_of(whole)
        schedule.step(*((batch['input_ids'],) if case.rank == 0 else ()), target=batch['labels'], return_outputs=False)
    return peak_of(case, live, models, step, [*contexts_of(case, live), pipelined.messages()])


def measured(case):
    if case.pipeline > 1:
        return measured_in_a_pipeline(case)
    preferences.Accelerator.device = 'cpu'
    model, reference = build(case), reference_of(case)
    preferences.fuse_heads(case, model, reference)
    models = [one for one in (model, reference) if one]
    live = Live(case.tensor > 1 or case.context > 1)
    with distributed(live, models, case):
        wrapped = shard(model, case)
        if reference and case.sharding.startswith('fsdp'):
            shard_reference(reference, case)
    outputs_of = outputs_by(case, model, wrapped, reference)

    def step():
        outputs = outputs_of()
        outputs.loss.backward()
        return outputs
    return peak_of(case, live, [model], step, contexts_of(case, live))


def described(case):
    head = 'ForSequenceClassification' if case.model == 'bert' else 'ForCausalLM'
    return {**MODELS[case.model], 'architectures': [head]}


def training_of(case):
    training = {'precision': case.precision, 'attention': attention_of(case), 'batch': case.batch, 'clip': True,
                'sequence_length': case.length, 'checkpointing': case.checkpointing}
    if getattr(case, 'selective', False):
        training['selective_checkpointing'] = True
    if case.quantization != 'none':
        training['quantization'] = case.quantization
    if case.lora:
        training['lora'] = {'rank': case.lora, 'dropout': 0.0}
    if whole_modules(case):
        return training | {'lora': training['lora'] | {'modules_to_save': whole_modules(case)}}
    method, _, how = getattr(case, 'method', 'supervised').partition(', ')
    if method != 'supervised':
        training['method'] = method
    if how:
        training['reference'] = how
    return training


def predicted(case, program):
    config = json.loads(json.dumps({**config_of(case).to_dict(), **described(case)}, default=str))
    args = {'model': {'config': config}, 'gpus': ['a100_80gb'], 'what_ifs': False, 'target_effective_batch': case.batch,
            'training': {**training_of(case), 'optimizer_kernel': 'foreach'}}
    if case.sharding != 'none':
        tensor, context = getattr(case, 'tensor', 1), getattr(case, 'context', 1)
        args['cluster'] = {'cards': CARDS, 'sharding': case.sharding, 'replicas': case.replicas, 'tensor_parallel': tensor,
                           'context_parallel': context, 'expert_parallel': getattr(case, 'expert', 1)}
        args['target_effective_batch'] *= CARDS // tensor // context
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        json.dump(args, file)
        file.flush()
        ran = subprocess.run([program, '--json', 'estimate', file.name], capture_output=True, text=True)
    if not ran.stdout:
        raise SystemExit(f'{case}: {ran.stderr}')
    card = json.loads(ran.stdout)['gpus'][0]
    return card['memory']['peak_allocated_bytes'], card['memory']['moment']['phase']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--plimsoll', default=ROOT / 'build/release/bin/plimsoll', type=pathlib.Path)
    parser.add_argument('--only', default='', help='cases whose description holds this')
    parser.add_argument('--record', action='store_true', help=f'write {DATA.relative_to(ROOT)}')
    options = parser.parse_args()
    dist.init_process_group('fake', store=FakeStore(), rank=0, world_size=CARDS)
    errors, rows = [], []
    for case in cases():
        name = ' '.join(f'{key}={value}' for key, value in case._asdict().items())
        if options.only not in name:
            continue
        allocator = measured(case)
        real = allocator.peak
        ours, phase = predicted(case, options.plimsoll)
        errors.append((ours / real - 1) * 100)
        rows.append({**case._asdict(), 'cards': CARDS, 'config': described(case), 'peak': real,
                     'requested': allocator.peak_requested})
        print(f'{errors[-1]:+6.2f} %  {name}  {real:,} ({phase})', flush=True)
    inside = sum(-1 <= error <= 6 for error in errors)
    print(f'\n{inside} of {len(errors)} within -1 … +6 %; from {min(errors):+.2f} to {max(errors):+.2f} %')
    if options.record:
        record(DATA, rows, Case._fields, Case._field_defaults)
    return 0 if inside == len(errors) else 1


if __name__ == '__main__':
    sys.exit(main())
