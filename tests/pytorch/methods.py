"""Kernels that need a GPU: what they allocate and keep, according to their source: flash-attn 2.8, and Liger's loss
with its own Python around a kernel that computes nothing.

PyTorch has a copy of flash-attn's kernels. What a forward pass keeps is compared with that operator and its derivative,
which are PyTorch's own (`pytorch_has_the_kernel`); it keeps an unused number of eight bytes besides. Its backward pass
is one operation, so whole steps take the sums of flash-attn's.
"""

import contextlib
import functools
import os
from unittest import mock

os.environ['FLA_DISABLE_TENSOR_CACHE'] = '1'  # tensors of the last calls, of a few bytes each

import bitsandbytes
import torch
import transformers.modeling_flash_attention_utils as flash_utils
import triton
from fake_cuda import Packed
from fla.ops.common import chunk_o
from fla.ops.gated_delta_rule import chunk
from fla.utils import decorators
from peft.tuners.lora import dora
from transformers import masking_utils

aten = torch.ops.aten


def rounded(number, multiple):
    return -(-number // multiple) * multiple


class Flash(torch.autograd.Function):
    """FlashAttnFunc and FlashAttnVarlenFunc of flash_attn_interface.py; the sums are those of csrc/flash_api.cpp."""

    @staticmethod
    def forward(ctx, q, k, v, lengths):
        rows = q.shape[:-2]
        out = torch.empty_like(q)
        statistics = torch.empty(q.size(-2), *rows, dtype=torch.float32, device=q.device)
        random = torch.empty(2, dtype=torch.int64, device=q.device)
        ctx.save_for_backward(q, k, v, out, statistics, random, *([] if lengths is None else [lengths]))
        return out

    @staticmethod
    def backward(ctx, gradient):
        q, k, v, *_, last = ctx.saved_tensors
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        heads, width = q.shape[-2:]
        by_lengths = last.dtype == torch.int32
        rows = (q.size(0) + 128 * (last.numel() - 1) if by_lengths else q.size(0) * rounded(q.size(1), 128))
        scratch = functools.partial(torch.empty, dtype=torch.float32, device=q.device)
        sums, accumulated = scratch(heads * rows), scratch(heads * rows * (rounded(width, 32) if width <= 192 else 256))
        if k.size(-2) != heads:
            grouped = [torch.empty(*k.shape[:-2], heads, width, dtype=k.dtype, device=k.device) for _ in range(2)]
            del grouped
        del sums, accumulated
        return dq, dk, dv, None


def flash_attention(q, k, v, **_):
    return Flash.apply(q, k, v, None)


def flash_attention_by_lengths(q, k, v, cu_seqlens_q, **_):
    return Flash.apply(q, k, v, cu_seqlens_q)


def pytorchs_flash_attention(q, k, v, **_):
    return aten._flash_attention_forward(q, k, v, None, None, q.size(1), k.size(1), 0.0, True, False)[0]


def pytorchs_flash_attention_by_lengths(q, k, v, cu_seqlens_q, cu_seqlens_k, **_):
    return aten._flash_attention_forward(q, k, v, cu_seqlens_q, cu_seqlens_k, q.size(0), k.size(0), 0.0, True, False)[0]


pytorch_has_the_kernel = False
padded = False  # the batch that is measured


def nothing(*_, **__):
    """What Triton's kernels compute here. Their callers' Python makes all tensors."""


def packed_indices(position_ids):
    """find_packed_sequence_indices, which looks into its result."""
    first = position_ids[:, :1] - 1
    return (torch.diff(position_ids, prepend=first, dim=-1) != 1).cumsum(-1)


@contextlib.contextmanager
def patches(case):
    with contextlib.ExitStack() as stack:
        patch = functools.partial(mock.patch.object, autospec=False)
        kernels = ((pytorchs_flash_attention, pytorchs_flash_attention_by_lengths) if pytorch_has_the_kernel else
                   (flash_attention, flash_attention_by_lengths))
        functions = (*kernels, None, flash_utils._pad_input, flash_utils._unpad_input)
        stack.enter_context(patch(flash_utils, 'lazy_import_flash_attention', lambda *_, **__: (
            functions, lambda **__: {})))
        # Whether nothing is padded cannot be read from fake tensors.
        stack.enter_context(mock.patch.dict(masking_utils.ALL_MASK_ATTENTION_FUNCTIONS._global_mapping,
                                            flash_attention_2=lambda *_, **__: None))
        unpacked = dora.dequantize_module_weight
        stack.enter_context(patch(dora, 'dequantize_module_weight', lambda layer: (
            bitsandbytes.functional.dequantize_4bit(layer.weight, layer.weight.quant_state)
            if isinstance(layer, Packed) else unpacked(layer))))
        # flash-linear-attention asks the card's size, as Ampere and later have it, and sets the device.
        stack.enter_context(patch(triton.runtime.jit.KernelInterface, '__getitem__', lambda *_: nothing))
        stack.enter_context(patch(chunk, 'prepare_chunk_indices', lambda starts, *_, **__: starts.chunks))
        stack.enter_context(patch(chunk_o, 'check_shared_mem', lambda *_: True))
        stack.enter_context(patch(decorators, 'custom_device_ctx', lambda *_: contextlib.nullcontext()))
        if case.method == 'fused_loss':
            stack.enter_context(patch(torch, 'equal', lambda *_: True))
            tensor = torch.tensor  # of a number it would ask the device
            stack.enter_context(patch(torch, 'tensor', lambda value, **kind: (
                torch.full((), value, **kind) if isinstance(value, float) else tensor(value, **kind))))
            addmm = torch.addmm  # PyTorch's description of it does not know `out_dtype`
            stack.enter_context(patch(torch, 'addmm', lambda *args, out=None, out_dtype=None: (
                addmm(*args) if out is None else out)))
            stack.enter_context(patch(torch.Tensor, 'item', lambda *_: 1))
        yield


def fuse_loss(model):
    from liger_kernel.transformers import _apply_liger_kernel_to_instance
    base = model.get_base_model() if hasattr(model, 'get_base_model') else model
    _apply_liger_kernel_to_instance(model=base, fused_linear_cross_entropy=True, rms_norm=False, rope=False, swiglu=False,
                                    geglu=False)
