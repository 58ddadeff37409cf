#!/usr/bin/env python3
"""The peak of whole steps of TRL's trainers of preferences and rewards: Plimsoll's tape against their own code, without a GPU.

    tests/pytorch/preference_steps.py [--plimsoll build/release/bin/plimsoll] [--only WORD] [--record]

As whole_steps.py, with the losses that DPOTrainer, KTOTrainer, ORPOTrainer and RewardTrainer compute; a trainer is stood
in for by what its loss reads. Of LLaMA-Factory's DPO, the part that holds the logits is repeated here. Every token
counts as one of an answer, since which do cannot be read from fake tensors. Of GRPO, half of a text is the answer, which
generate() of transformers makes first.
"""

import contextlib
import functools
import itertools
import sys
import types
from unittest import mock

import whole_steps  # starts again with a device
import saved_tensors as saved
import torch
import trl.trainer.utils as utils
import transformers
from accelerate.utils.operations import convert_to_fp32
from fake_cuda import autocast
from preferences import dpo, fuse_heads, ids, kto, patches, trainer
from torch._subclasses.fake_tensor import FakeTensorMode
from trl.experimental.orpo.orpo_trainer import ORPOTrainer
from trl.models.utils import disable_gradient_checkpointing
from trl.trainer.grpo_trainer import GRPOTrainer
from trl.trainer.reward_trainer import RewardTrainer

aten = torch.ops.aten
DATA = saved.ROOT / 'tests/unit/engine/training/data/trl_1_16_preference_steps.json'
MODELS = ('llama-1b', 'gemma-2-2b', 'gpt2')
MANY = 64  # answers that are generated at once, for each of a batch


class Live(whole_steps.Live):
    """Masks pick everything, or `answer` tokens of each text, and numbers that are looked at are 1."""

    answer = 0

    def __torch_dispatch__(self, function, types_, args=(), kwargs=None):
        if function is aten._local_scalar_dense.default:
            return 1
        picked = None
        if function is aten.index.Tensor and args[1][0] is not None and args[1][0].dtype == torch.bool:
            mask = args[1][0]
            rows = mask.shape[0] * self.answer if self.answer and mask.dim() == 2 else mask.numel()
            picked = args[0].new_empty((rows, *args[0].shape[mask.dim():]))
        if function is aten.masked_select.default:
            picked = args[0].new_empty(args[0].numel())
        if function is aten.nonzero.default:
            picked = torch.empty(max(1, args[0].numel() // 2), args[0].dim(), dtype=torch.long, device='cuda')
        if picked is None:
            return super().__torch_dispatch__(function, types_, args, kwargs)
        self.end_sum()
        self.watch(picked)
        return picked


def cases():
    for model in MODELS:
        small, long = (1, 512), (2, 512)
        for method, precision, shape, lora, checkpointing in (
                ('dpo', 'bf16', long, 0, False), ('dpo', 'bf16_autocast', small, 0, True), ('dpo', 'fp32', small, 0, False),
                ('dpo', 'bf16', long, 8, True), ('dpo', 'bf16_autocast', long, 8, False),
                ('dpo, none', 'bf16', long, 0, True), ('dpo, none', 'bf16_autocast', small, 0, False),
                ('dpo, whole', 'bf16', long, 8, True), ('dpo, whole', 'bf16_autocast', small, 0, False),
                ('kto', 'bf16', long, 0, True), ('kto', 'bf16_autocast', long, 8, False),
                ('orpo', 'bf16', long, 0, False), ('orpo', 'bf16_autocast', long, 8, True),
                ('reward', 'bf16', long, 0, False), ('reward', 'bf16_autocast', long, 0, True),
                ('grpo, vllm', 'bf16', (8, 256), 0, False), ('grpo, vllm', 'bf16_autocast', (8, 256), 8, True),
                ('grpo, reference', 'bf16', (8, 256), 0, True), ('grpo, reference', 'bf16_autocast', (8, 256), 8, False),
                ('grpo', 'bf16', (8, 64), 0, True), ('grpo, many', 'bf16', (4, 64), 8, True),
                ('grpo, many', 'bf16_autocast', (4, 64), 8, True)):
            yield saved.Case(model, precision, 'sdpa', *shape, lora, checkpointing, False, 'a100_80gb', method=method)


def prepared(model, precision, method):
    """As Accelerate wraps forward, and what autocast returns becomes fp32."""
    if not method.startswith('grpo'):
        utils.disable_dropout_in_model(model)
    forward = model.forward

    @functools.wraps(forward)
    def wrapped(*args, **kwargs):
        with autocast(precision):
            out = forward(*args, **kwargs)
        torch.clear_autocast_cache()
        return convert_to_fp32(out) if precision.endswith('autocast') else out

    model.forward = wrapped
    return model


def orpo(case, model, _):
    self = trainer(model, None, is_encoder_decoder=False, padding_value=0)
    for name in ('concatenated_forward', 'odds_ratio_loss', 'concatenated_inputs', 'get_batch_logps'):
        method = ORPOTrainer.__dict__[name]
        setattr(self, name, method.__func__ if isinstance(method, staticmethod) else types.MethodType(method, self))
    batch = ids(case.batch, case.length, *(f'{of}_{what}' for of in ('chosen', 'rejected')
                                           for what in ('input_ids', 'attention_mask', 'labels')))
    return batch, lambda: ORPOTrainer.get_batch_loss_metrics(self, model, batch)[0]


def reward(case, model, _):
    self = trainer(model, None)
    batch = ids(2 * case.batch, case.length, 'input_ids', 'attention_mask')
    return batch, lambda: RewardTrainer.compute_loss(self, model, dict(batch))


def generates(case):
    return case.method in ('grpo', 'grpo, many')


def generated(model, texts, length):
    inputs = ids(texts, length - length // 2, 'input_ids', 'attention_mask')
    config = transformers.GenerationConfig(max_new_tokens=length // 2, do_sample=True, top_k=0, pad_token_id=0, eos_token_id=1,
                                           use_cache=True)  # the models' own default
    more = [True] * (length // 2) + [False]
    with (torch.no_grad(), disable_gradient_checkpointing(model),
          mock.patch.object(transformers.GenerationMixin, '_has_unfinished_sequences', lambda *_, **__: more.pop(0))):
        model.generate(**inputs, generation_config=config)


def grpo(case, model, reference):
    how = case.method.partition(', ')[2]
    steps = 2 if how == 'many' else 1
    answer = case.length // 2
    self = trainer(model, reference, top_entropy_quantile=1.0, off_policy_mask_threshold=None, importance_sampling_level='token',
                   loss_type='dapo', epsilon_low=0.2, epsilon_high=0.2, use_vllm=not generates(case), _entropy_bonus_enabled=False,
                   vllm_importance_sampling_correction=True, current_gradient_accumulation_steps=steps)
    self.beta = 0.04 if how == 'reference' else 0.0
    self.args.__dict__.update(delta=None, use_bias_correction_kl=True, steps_per_generation=steps)
    self._get_per_token_logps_and_entropies = types.MethodType(GRPOTrainer._get_per_token_logps_and_entropies, self)

    def scored(one, batch):
        every = [torch.cat([batch['prompt_' + name], batch['completion_' + name]], dim=1) for name in ('ids', 'mask')]
        with torch.no_grad(), disable_gradient_checkpointing(one):
            return self._get_per_token_logps_and_entropies(one, *every, answer, batch_size=case.batch)[0]

    def answers():
        texts = case.batch * (MANY if how == 'many' else 1)
        if generates(case) and next(step):  # slow, and the first step has no state of the optimizer
            generated(model, texts, case.length)
        batch = ids(texts, case.length - answer, 'prompt_ids', 'prompt_mask')
        batch |= ids(texts, answer, 'completion_ids', 'completion_mask')
        if not generates(case):
            batch |= {'old_per_token_logps': scored(model, batch), 'importance_sampling_ratio': torch.ones(texts, 1, device='cuda')}
        if how == 'reference':
            with contextlib.nullcontext() if reference else model.disable_adapter():
                batch['ref_per_token_logps'] = scored(reference or model, batch)
        batch |= {'advantages': torch.ones(texts, device='cuda')}
        return [{**{name: value[i * case.batch:(i + 1) * case.batch] for name, value in batch.items()},
                 'num_items_in_batch': torch.ones((), device='cuda')} for i in range(steps)]
    step = itertools.count()
    return {}, lambda: [functools.partial(GRPOTrainer._compute_loss, self, model, one) for one in answers()]


def factory(case, model, reference):
    """concatenated_forward and get_batch_logps of LLaMA-Factory 0.9, and DPO's loss."""
    batch = ids(2 * case.batch, case.length, 'input_ids', 'attention_mask', 'labels')

    def answers(one):
        inputs = {name: value.clone() for name, value in batch.items()}
        labels = inputs.pop('labels')
        logits = one(**inputs, use_cache=False).logits.to(torch.float32)
        labels = labels[:, 1:].clone()
        picked = torch.gather(logits[:, :-1].log_softmax(-1), dim=2, index=labels.unsqueeze(2)).squeeze(2)
        return (picked * (labels != -100)).sum(-1), logits

    def loss():
        mine, logits = answers(model)
        with torch.no_grad(), contextlib.nullcontext() if reference else model.disable_adapter():
            theirs, held = answers(reference or model)
        del held
        chosen, rejected = (mine - theirs).split(case.batch)
        return -torch.nn.functional.logsigmoid(0.1 * (chosen - rejected)).mean()
    return batch, loss


LOSSES = {'dpo': dpo, 'dpo, none': dpo, 'dpo, whole': factory, 'kto': kto, 'orpo': orpo, 'reward': reward, 'grpo': grpo,
          'grpo, many': grpo, 'grpo, reference': grpo, 'grpo, vllm': grpo}


def as_model(case):
    """The model as its trainer loads it."""
    task, values = saved.MODELS[case.model]
    return ('sequence', {**values, 'num_labels': 1, 'pad_token_id': 0}) if case.method == 'reward' else (task, values)


def measured(case):
    with (mock.patch.dict(saved.MODELS, {case.model: as_model(case)}), saved.patches(case), patches(), FakeTensorMode()):
        model = prepared(saved.build(case), case.precision, case.method)
        copied = not case.lora and case.method in ('dpo', 'dpo, whole', 'kto', 'grpo, reference')
        reference = (prepared(saved.build(case._replace(checkpointing=False)).eval(), case.precision, case.method) if copied
                     else None)
        fuse_heads(case, model, reference)
        batch, loss_of = LOSSES[case.method](case, model, reference)
        optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], foreach=True)
        models = [one for one in (model, reference) if one]
        live = Live(itertools.chain(*((*one.parameters(), *one.buffers()) for one in models), saved.tensors_of(batch)),
                    case.gpu)
        live.answer = case.length // 2 if case.method.startswith('grpo') else 0
        with live:
            for _ in range(2):
                for one in loss_of() if live.answer else [loss_of]:
                    loss = one()
                    loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        del loss
    return live.allocator.peak


def arguments(case):
    method, _, how = case.method.partition(', ')
    with mock.patch.dict(saved.MODELS, {case.model: as_model(case)}):
        args = saved.arguments(case._replace(method='none'))
    args['training'] |= {'method': method, 'reference': 'none' if how == 'none' else 'model', 'whole_logits': how == 'whole'}
    if method == 'grpo':
        args['training'] |= {'target_length': case.length // 2, 'reference': 'model' if how == 'reference' else 'none',
                             'generation': 'transformers' if generates(case) else 'vllm'}
        args['target_effective_batch'] *= MANY if how == 'many' else 1
        del args['training']['whole_logits']
    else:
        args['training'].get('lora', {}).pop('dropout', None)
    if method in ('orpo', 'reward'):
        del args['training']['reference'], args['training']['whole_logits']
    return args


if __name__ == '__main__':
    sys.exit(whole_steps.main(cases, measured, arguments, DATA))
