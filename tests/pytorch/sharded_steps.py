#!/usr/bin/env python3
"""The peak of whole training steps on one of several cards: Plimsoll's tape against PyTorch's FSDP2 and DistributedDataParallel.

    tests/pytorch/sharded_steps.py [--plimsoll build/release/bin/plimsoll] [--only WORD] [--record]

Real models of Transformers on this CPU, in a process group that sends nothing. The memory of the steps is counted in
the blocks that PyTorch's CUDA allocator would return. Eager attention and models without dropout run the same
operations here as on a GPU; autocast does not, so precisions are fp32 and weights in bf16. What a kernel allocates and
frees within one operation is not seen.
"""

import argparse
import collections
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
import transformers as tf
import trl.trainer.utils as trl_utils
import preferences
import ring
import selective
from live_blocks import LiveBlocks
from parallel_plans import divide
from recorded import record
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
SIZES = dict(num_hidden_layers=6, hidden_size=512, num_attention_heads=8, num_key_value_heads=4, head_dim=64,
             intermediate_size=1536, max_position_embeddings=2048)
MODELS = {'llama': dict(SIZES, model_type='llama', vocab_size=8192),
          'llama, many words': dict(SIZES, model_type='llama', vocab_size=65536, tie_word_embeddings=True),
          'qwen3': dict(SIZES, model_type='qwen3', vocab_size=16384, tie_word_embeddings=True),
          'gemma': dict(SIZES, model_type='gemma', vocab_size=16384),
          'gpt_neox': dict(SIZES, model_type='gpt_neox', vocab_size=16384),
          'phi3': dict(SIZES, model_type='phi3', vocab_size=16384, pad_token_id=0),
          'bert': dict(SIZES, model_type='bert', vocab_size=16384, num_labels=5, hidden_dropout_prob=0.0,
                       attention_probs_dropout_prob=0.0)}
OTHERS = ('gpt_neox', 'phi3', 'bert')  # families that have fewer rows
ADAPTED = {'llama': ['q_proj', 'v_proj'], 'qwen3': ['q_proj', 'v_proj'], 'bert': ['query', 'value']}  # with LoRA
DIVIDED = ('llama', 'llama, many words', 'qwen3')  # by tensor parallelism
Case = collections.namedtuple('Case', 'model sharding precision batch length checkpointing lora replicas method tensor context selective',
                              defaults=[0, 1, 'supervised', 1, 1, False])


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


def cases():
    for model in MODELS:
        for sharding in ('none', 'ddp', 'fsdp'):
            yield Case(model, sharding, 'fp32', 4, 256, False)
            yield Case(model, sharding, 'bf16', 2, 128, True)
            if model not in OTHERS:
                yield Case(model, sharding, 'bf16', 4, 256, False)
                yield Case(model, sharding, 'fp32', 1, 64, False)
    for model in ADAPTED:
        for sharding in ('none', 'ddp', 'fsdp'):
            yield Case(model, sharding, 'bf16', 4, 256, False, 8)
            yield Case(model, sharding, 'fp32', 2, 128, True, 8)
    for model in ('llama', 'llama, many words', 'qwen3', 'bert'):
        yield Case(model, 'fsdp_grad_op', 'fp32', 4, 256, False)
        yield Case(model, 'fsdp_grad_op', 'bf16', 2, 128, True)
        if model in ADAPTED:
            yield Case(model, 'fsdp_grad_op', 'bf16', 4, 256, False, 8)
        yield Case(model, 'fsdp', 'fp32', 4, 256, False, replicas=2)
        yield Case(model, 'fsdp', 'bf16', 2, 128, True, replicas=4)
    for model in ('llama', 'llama, many words', 'qwen3'):
        for sharding in ('fsdp', 'fsdp_grad_op'):
            yield Case(model, sharding, 'bf16', 2, 128, True, method='dpo')
            if model in ADAPTED:
                yield Case(model, sharding, 'bf16', 2, 256, True, 8, method='dpo')
        yield Case(model, 'fsdp', 'fp32', 2, 256, False, method='dpo')
        yield Case(model, 'fsdp', 'bf16', 2, 256, False, method='dpo, by_layer')
        yield Case(model, 'fsdp', 'bf16', 4, 256, True, method='kto')
    yield Case('llama', 'ddp', 'bf16', 2, 128, True, method='dpo')
    yield Case('llama', 'ddp', 'fp32', 2, 256, False, method='dpo')
    for model in DIVIDED:
        for tensor in (2, 4):
            yield Case(model, 'fsdp', 'fp32', 4, 256, False, tensor=tensor)
            yield Case(model, 'fsdp', 'bf16', 2, 128, True, tensor=tensor)
            yield Case(model, 'fsdp', 'bf16', 4, 256, False, tensor=tensor)
    for model in ('llama', 'qwen3'):
        yield Case(model, 'fsdp', 'fp32', 4, 256, False, replicas=2, tensor=2)
        yield Case(model, 'fsdp', 'bf16', 2, 128, True, replicas=2, tensor=2)


    for model in DIVIDED:
        for context in (2, 4):
            yield Case(model, 'fsdp', 'bf16', 2, 2048, True, context=context)
            yield Case(model, 'fsdp', 'bf16', 1, 1024, False, context=context)
    for model in ('llama', 'qwen3'):
        yield Case(model, 'fsdp', 'bf16', 2, 2048, True, 8, context=2)
        yield Case(model, 'fsdp', 'bf16', 2, 2048, False, replicas=2, context=2)
        yield Case(model, 'fsdp', 'bf16', 2, 2048, True, tensor=2, context=2)
        yield Case(model, 'fsdp', 'bf16', 2, 2048, False, tensor=2, context=4)


    for model in DIVIDED:
        for sharding in ('none', 'fsdp'):
            yield Case(model, sharding, 'bf16', 2, 256, True, selective=True)
            yield Case(model, sharding, 'bf16', 1, 1024, True, selective=True)


def attention_of(case):
    return 'sdpa' if getattr(case, 'context', 1) > 1 or getattr(case, 'selective', False) else 'eager'


def config_of(case):
    values = dict(MODELS[case.model])
    return tf.AutoConfig.for_model(values.pop('model_type'), **values, attn_implementation=attention_of(case), use_cache=False)


def layers_of(model):
    return max((module for module in model.modules() if isinstance(module, torch.nn.ModuleList)), key=len)


def build(case):
    torch.manual_seed(0)
    kind = torch.bfloat16 if case.precision == 'bf16' else torch.float32
    head = tf.AutoModelForSequenceClassification if case.model == 'bert' else tf.AutoModelForCausalLM
    model = head.from_config(config_of(case), dtype=kind)
    if case.lora:
        adapters = peft.LoraConfig(r=case.lora, lora_alpha=16, bias='none', target_modules=ADAPTED[case.model])
        # FSDP and DeepSpeed train weights of one type.
        model = peft.get_peft_model(model, adapters, autocast_adapter_dtype=case.sharding in ('none', 'ddp'))
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
    if case.context > 1:  # a card's part stays in the memory of the whole
        return {name: text[:, :case.length // case.context] for name, text in batch.items()}
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
    if case.method == 'supervised':
        return lambda: wrapped(**batch_of(case))
    loss = preferences.dpo if case.method.startswith('dpo') else preferences.kto
    return lambda: types.SimpleNamespace(loss=loss(case, model, reference, wrapped)[1]())


def measured(case):
    preferences.Accelerator.device = 'cpu'
    model, reference = build(case), reference_of(case)
    preferences.fuse_heads(case, model, reference)
    models = [one for one in (model, reference) if one]
    live = Live(case.tensor > 1 or case.context > 1)
    fsdp = case.sharding.startswith('fsdp')

    def watch():
        for one in models:
            for tensor in (*one.parameters(), *one.buffers()):
                live.watch(tensor)
    if not fsdp:
        watch()
    with live:
        wrapped = shard(model, case)
        if fsdp and reference:
            shard_reference(reference, case)
    if fsdp:
        watch()
        live.allocator.peak = live.allocator.allocated
    allocate, free = fsdp_param.alloc_storage, fsdp_param.free_storage

    def seen_allocate(tensor):
        live.resize(tensor, tensor.numel() * tensor.itemsize)
        allocate(tensor)

    def seen_free(tensor):
        live.resize(tensor, 0)
        free(tensor)

    outputs_of = outputs_by(case, model, wrapped, reference)
    optimizer = torch.optim.AdamW(trained(model), foreach=True)
    fsdp_param.alloc_storage, fsdp_param.free_storage = seen_allocate, seen_free
    try:
        nothing = contextlib.nullcontext()
        with (live, preferences.patches(), loss_parallel() if case.tensor > 1 else nothing,
              ring.attention(context_of(case), live.allocator) if case.context > 1 else nothing,
              selective.attention(live.allocator) if case.selective else nothing):
            for _ in range(3):
                outputs = outputs_of()
                outputs.loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
                del outputs  # as a Trainer does
    finally:
        fsdp_param.alloc_storage, fsdp_param.free_storage = allocate, free
    return live.allocator.peak


def described(case):
    head = 'ForSequenceClassification' if case.model == 'bert' else 'ForCausalLM'
    return {**MODELS[case.model], 'architectures': [head]}


def training_of(case):
    training = {'precision': case.precision, 'attention': attention_of(case), 'batch': case.batch, 'clip': True,
                'sequence_length': case.length, 'checkpointing': case.checkpointing}
    if getattr(case, 'selective', False):
        training['selective_checkpointing'] = True
    if case.lora:
        training['lora'] = {'rank': case.lora, 'dropout': 0.0}
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
                           'context_parallel': context}
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
        real = measured(case)
        ours, phase = predicted(case, options.plimsoll)
        errors.append((ours / real - 1) * 100)
        rows.append({**case._asdict(), 'cards': CARDS, 'config': described(case), 'peak': real})
        print(f'{errors[-1]:+6.2f} %  {name}  {real:,} ({phase})', flush=True)
    inside = sum(-1 <= error <= 6 for error in errors)
    print(f'\n{inside} of {len(errors)} within -1 … +6 %; from {min(errors):+.2f} to {max(errors):+.2f} %')
    if options.record:
        record(DATA, rows, Case._fields, Case._field_defaults)
    return 0 if inside == len(errors) else 1


if __name__ == '__main__':
    sys.exit(main())
