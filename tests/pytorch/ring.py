"""PyTorch's own ring attention (context parallelism) around a kernel that only allocates, as FlashAttention does on a GPU."""

import contextlib
import types

import torch
import torch.distributed as dist
import torch.distributed.tensor.experimental._context_parallel._attention as ring


def rounded(number, to):
    return -(-number // to) * to


def kernel(query, key, value, **_):
    return torch.empty_like(query), query.new_empty(query.shape[:-1], dtype=torch.float32)


def backward_kernel(allocator):
    """Gradients, and what the kernel allocates and frees (flash_api.cpp, mha_bwd)."""

    def run(query, key, value, **_):
        out = torch.empty_like(query), torch.empty_like(key), torch.empty_like(value)
        pairs, length, width = query.shape[0] * query.shape[1], rounded(query.shape[2], 128), query.shape[3]
        sizes = [4 * pairs * length, 4 * pairs * length * rounded(width, 32)]
        if key.shape[1] != query.shape[1]:
            sizes.append(2 * 2 * pairs * key.shape[2] * width)
        for block in [allocator.allocate(size) for size in sizes]:
            allocator.release(block)
        return out
    return run


@contextlib.contextmanager
def attention(group, allocator):
    """Of one of the group's cards, in place of scaled_dot_product_attention: the one that has most to hold."""
    size = dist.get_world_size(group)
    rank = (size - 1) // 2

    class Attention(torch.autograd.Function):
        """What DTensor's dispatcher calls for a kernel and for its derivative, which keeps what autograd's does."""

        @staticmethod
        def forward(ctx, query, key, value):
            out, sums = ring._templated_ring_attention(group, 2, kernel, query, key, value, is_causal=True)
            ctx.save_for_backward(query, key, value, out, sums)
            return out

        @staticmethod
        def backward(ctx, gradient):
            query, key, value, out, sums = ctx.saved_tensors
            return ring._templated_ring_attention_backward(group, 2, backward_kernel(allocator), gradient, 'grad_out', query,
                                                           key, value, out, sums, is_causal=True)

    before = ring.dist, torch.nn.functional.scaled_dot_product_attention
    ring.dist = types.SimpleNamespace(ProcessGroup=dist.ProcessGroup, get_world_size=dist.get_world_size,
                                      get_rank=lambda _: rank)
    torch.nn.functional.scaled_dot_product_attention = lambda query, key, value, **_: Attention.apply(query, key, value)
    try:
        yield
    finally:
        ring.dist, torch.nn.functional.scaled_dot_product_attention = before
