"""torchtitan's selective checkpoints, and a kernel for attention that only allocates, as FlashAttention does on a GPU."""

import contextlib

import ring
import torch
from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts


@torch.library.custom_op('plimsoll::attention', mutates_args=())
def fused(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    random = query.new_empty(2, dtype=torch.int64), query.new_empty(1, dtype=torch.int64)
    return *ring.kernel(query, key, value), *random


def contexts():
    """Results of attention and of every second product are kept."""
    products = [0, 0]

    def policy(context, function, *_, **__):
        if function is torch.ops.aten.mm.default:
            products[context.is_recompute] += 1
            keeps = products[context.is_recompute] % 2 == 1
        else:
            keeps = function is torch.ops.plimsoll.attention.default
        return CheckpointPolicy.MUST_SAVE if keeps else CheckpointPolicy.PREFER_RECOMPUTE
    return create_selective_checkpoint_contexts(policy)


@contextlib.contextmanager
def attention(allocator):
    """In place of scaled_dot_product_attention."""

    def keep(ctx, inputs, output):
        ctx.save_for_backward(*inputs, *output)

    def backward(ctx, gradient, *_):
        return ring.backward_kernel(allocator)(*ctx.saved_tensors[:3])

    torch.library.register_autograd('plimsoll::attention', backward, setup_context=keep)
    before = torch.nn.functional.scaled_dot_product_attention
    torch.nn.functional.scaled_dot_product_attention = lambda query, key, value, **_: fused(query, key, value)[0]
    try:
        yield
    finally:
        torch.nn.functional.scaled_dot_product_attention = before
