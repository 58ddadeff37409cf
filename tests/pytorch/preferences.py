"""What TRL's trainers of preferences compute, on a model and a batch: their own losses, of trainers that are stood in for
by what a loss reads. Kernels that need a GPU compute nothing."""

import collections
import contextlib
import functools
import types
from unittest import mock

import torch
import trl.kernels.chunked_logprob as chunked
import trl.kernels.logprob_entropy as whole
import trl.trainer.utils as utils
from trl.trainer.dpo_trainer import DPOTrainer
from trl.trainer.kto_trainer import KTOTrainer

OUTPUTS = {'dpo': ('log_probs', 'entropy', 'mean_logits', 'is_top1'), 'kto': ('log_probs', 'entropy', 'mean_logits'),
           'grpo': ('log_probs', 'entropy')}


class NoKernel:
    """Its results are zeros, so that real numbers stay finite."""

    def __getitem__(self, grid):
        def run(*args, **kwargs):
            for one in (*args, *kwargs.values()):
                if isinstance(one, torch.Tensor) and one.is_floating_point():
                    one.zero_()
        return run


@contextlib.contextmanager
def patches():
    with contextlib.ExitStack() as stack:
        patch = functools.partial(mock.patch.object, autospec=False)
        for kernels in (chunked, whole):
            for name in ('_forward_kernel', '_backward_kernel'):
                stack.enter_context(patch(kernels, name, NoKernel()))
        for module in (chunked, utils):
            stack.enter_context(patch(module, '_use_triton', lambda *_: True))
        # A GPU widens the product's sum in its kernel.
        stack.enter_context(patch(chunked, '_addmm_fp32', lambda sum_, *_: sum_.zero_()))
        yield


class Accelerator:
    device = 'cuda'
    parallelism_config = None
    num_processes = 1

    def __getattr__(self, name):  # gather, gather_for_metrics, reduce, unwrap_model
        return lambda one, **_: one

    def autocast(self):
        return contextlib.nullcontext()  # forward has its own


def trainer(model, reference, **more):
    return types.SimpleNamespace(
        model=model, ref_model=reference, accelerator=Accelerator(), aux_loss_enabled=False, ld_alpha=None,
        f_divergence_type='reverse_kl', beta=0.1, label_smoothing=0.0, use_weighting=False, _tp_size=1,
        _total_train_tokens=0, _metrics=collections.defaultdict(lambda: collections.defaultdict(list)),
        args=types.SimpleNamespace(gradient_checkpointing_kwargs=None, center_rewards_coefficient=None), **more)


def ids(batch, length, *names):
    return {name: torch.ones(batch, length, dtype=torch.long, device=Accelerator.device) for name in names}


def fuse_heads(case, model, reference=None):
    """As the trainers do before anything wraps a model."""
    outputs = next((names for method, names in OUTPUTS.items() if case.method.startswith(method)), ())
    if not outputs or case.method.endswith('whole'):
        return
    utils.add_fused_lm_head(model.get_base_model() if case.lora else model, outputs=outputs)
    if reference:
        utils.add_fused_lm_head(reference)


def dpo(case, model, reference, wrapped=None):
    self = trainer(model, reference, precompute_ref_logps=case.method.endswith('none'), loss_types=['sigmoid'],
                   loss_weights=[1.0])
    batch = ids(2 * case.batch, case.length, 'input_ids', 'attention_mask', 'completion_mask')
    if self.precompute_ref_logps:
        batch |= {f'ref_{of}_logps': torch.ones(case.batch, device=Accelerator.device) for of in ('chosen', 'rejected')}
    return batch, lambda: DPOTrainer._compute_loss(self, wrapped or model, batch, False)


def kto(case, model, reference, wrapped=None):
    self = trainer(model, reference, precompute_ref_logps=False, calculate_KL=True, loss_type='kto', desirable_weight=1.0,
                   undesirable_weight=1.0)
    self._compute_kl_logps = types.MethodType(KTOTrainer._compute_kl_logps, self)
    batch = ids(case.batch, case.length, 'input_ids', 'attention_mask', 'completion_mask', 'KL_input_ids', 'KL_attention_mask',
                'KL_completion_mask') | {'label': torch.ones(case.batch, dtype=torch.bool, device=Accelerator.device)}
    return batch, lambda: KTOTrainer._compute_loss(self, wrapped or model, batch, False)
