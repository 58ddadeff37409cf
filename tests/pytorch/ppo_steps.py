#!/usr/bin/env python3
"""The peak of whole steps of TRL's PPOTrainer: Plimsoll's tape against its own code, without a GPU.

    PYTHONPATH=FOLDER tests/pytorch/ppo_steps.py [--plimsoll build/release/bin/plimsoll] [--only WORD] [--record]

FOLDER holds TRL 1.12, the last release that has the trainer (pip install --no-deps --target FOLDER trl==1.12). As
preference_steps.py: its train() runs, of a trainer that is stood in for by what it reads. Two updates of one epoch each;
half of a text is the answer. Value and reward models are as large as the policy.
"""

import contextlib
import itertools
import sys
import types
from unittest import mock

import whole_steps  # starts again with a device
import saved_tensors as saved
import torch
import transformers
from accelerate.utils.operations import convert_to_fp32
from fake_cuda import autocast
from torch._subclasses.fake_tensor import FakeTensorMode
from trl.experimental.ppo import ppo_trainer
from trl.trainer.utils import disable_dropout_in_model

aten = torch.ops.aten
DATA = saved.ROOT / 'tests/unit/engine/training/data/trl_1_12_ppo_steps.json'
MODELS = ('llama-1b', 'gemma-2-2b', 'gpt2')
MANY = 8  # micro-batches of a step


class Live(whole_steps.Live):
    def __torch_dispatch__(self, function, types_, args=(), kwargs=None):
        if function is aten._local_scalar_dense.default:  # numbers that are looked at are 1
            return 1
        return super().__torch_dispatch__(function, types_, args, kwargs)


def cases():
    for model in MODELS:
        for method, precision, shape, lora, checkpointing in (
                ('ppo', 'bf16', (8, 32), 0, False), ('ppo', 'bf16', (32, 32), 0, True), ('ppo', 'bf16_autocast', (8, 32), 0, False),
                ('ppo', 'fp32', (16, 32), 0, False), ('ppo', 'bf16', (8, 32), 8, False), ('ppo', 'bf16_autocast', (16, 32), 8, True),
                ('ppo', 'bf16', (128, 32), 8, False), ('ppo', 'fp32', (64, 32), 8, True),
                ('ppo, many', 'bf16', (8, 32), 0, False), ('ppo, many', 'bf16', (16, 32), 8, False)):
            yield saved.Case(model, precision, 'sdpa', *shape, lora, checkpointing, False, 'a100_80gb', method=method)


def steps_of(case):
    return MANY if case.method.endswith('many') else 1


def scored(case):
    """A model with a number for every token."""
    task, values = saved.MODELS[case.model]
    with mock.patch.dict(saved.MODELS, {case.model: ('sequence', {**values, 'num_labels': 1, 'pad_token_id': 0})}):
        return saved.build(case._replace(lora=0))


class Accelerator:
    """Its optimizer updates after the last micro-batch of a step alone."""

    device = 'cuda'

    def __init__(self, optimizer, micros):
        self.optimizer, self.micros, self.micro = optimizer, micros, 0

    def __getattr__(self, name):  # gather_for_metrics, unwrap_model
        return lambda one, **_: one

    @contextlib.contextmanager
    def accumulate(self, model):
        self.micro += 1
        yield

    def step(self):
        if self.micro % self.micros == 0:
            self.optimizer.step()

    def zero_grad(self):
        if self.micro % self.micros == 0:
            self.optimizer.zero_grad()

    def backward(self, loss):
        loss.backward()

    def print(self, *_):
        pass


def trainer(case, model, reference, reward, optimizer):
    answer = case.length // 2
    micros = steps_of(case)
    control = types.SimpleNamespace(should_save=False)
    args = types.SimpleNamespace(
        response_length=answer, temperature=0.7, num_ppo_epochs=1, num_mini_batches=1, gradient_accumulation_steps=micros,
        num_total_batches=2, total_episodes=1, logging_steps=None, eval_steps=None, save_steps=None, batch_size=case.batch * micros,
        local_batch_size=case.batch * micros, local_mini_batch_size=case.batch * micros, per_device_train_batch_size=case.batch,
        local_rollout_forward_batch_size=64, ds3_gather_for_generation=True, missing_eos_penalty=None, kl_estimator='k1',
        kl_coef=0.05, whiten_rewards=False, gamma=1.0, lam=0.95, cliprange=0.2, cliprange_value=0.2, vf_coef=0.1,
        num_sample_generations=0)
    queries = torch.ones(case.batch * micros, case.length - answer, dtype=torch.long, device='cuda')
    accelerator = Accelerator(optimizer, micros)
    self = types.SimpleNamespace(
        args=args, accelerator=accelerator, optimizer=accelerator, model=model, ref_model=reference, reward_model=reward,
        processing_class=types.SimpleNamespace(pad_token_id=0, eos_token_id=1), dataloader=[{'input_ids': queries}],
        state=types.SimpleNamespace(), control=control, train_dataset_len=1, stop_token_id=None, is_deepspeed_enabled=False,
        callback_handler=types.SimpleNamespace(on_train_begin=lambda *_: control, on_step_end=lambda *_: control,
                                               on_train_end=lambda *_: control),
        lr_scheduler=types.SimpleNamespace(step=lambda: None, get_last_lr=lambda: [0]), log=lambda *_: None,
        is_peft_model=bool(case.lora), ref_adapter_name=None, model_adapter_name=None)
    self.null_ref_context = types.MethodType(ppo_trainer.PPOTrainer.null_ref_context, self)
    return self, queries


@contextlib.contextmanager
def patches(case):
    length = case.length // 2
    more = itertools.cycle([True] * length + [False])

    @contextlib.contextmanager
    def unwrapped(model, *_, **__):
        yield model

    with contextlib.ExitStack() as stack:
        for one in (mock.patch.object(transformers.GenerationMixin, '_has_unfinished_sequences', lambda *_, **__: next(more)),
                    mock.patch.object(ppo_trainer, 'unwrap_model_for_generation', unwrapped),
                    mock.patch.object(ppo_trainer, 'empty_cache', lambda: None),
                    # Looks into its mask.
                    mock.patch.object(ppo_trainer, 'masked_whiten', lambda values, *_, **__: values * 1)):
            stack.enter_context(one)
        yield


def measured(case, live_of=Live):
    with saved.patches(case), patches(case), FakeTensorMode():
        policy, value, reward = saved.build(case), scored(case), scored(case._replace(checkpointing=False)).eval()
        reference = None if case.lora else saved.build(case._replace(checkpointing=False)).eval()
        models = [one for one in (policy, value, reward, reference) if one]
        for one in models:
            disable_dropout_in_model(one)
            one.config.use_cache = True  # the models' own default
        model = ppo_trainer.PolicyAndValueWrapper(policy, value)
        forward = model.forward

        def wrapped(*args, **kwargs):
            with autocast(case.precision):
                out = forward(*args, **kwargs)
            torch.clear_autocast_cache()
            return convert_to_fp32(out) if case.precision.endswith('autocast') else out

        model.forward = wrapped
        model.train()
        optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], foreach=True)
        self, queries = trainer(case, model, reference, reward, optimizer)
        live = live_of(itertools.chain(*((*one.parameters(), *one.buffers()) for one in models), [queries]), case.gpu)
        with live:
            ppo_trainer.PPOTrainer.train(self)
    return live.allocator.peak


def arguments(case):
    args = saved.arguments(case._replace(method='none'))
    args['training'] |= {'method': 'ppo', 'target_length': case.length // 2, 'clip': False}
    args['training'].get('lora', {}).pop('dropout', None)
    args['target_effective_batch'] *= steps_of(case)
    return args


if __name__ == '__main__':
    sys.exit(whole_steps.main(cases, measured, arguments, DATA))
