"""What PyTorch's FSDP2 allocates besides a model's own tensors: gathered shards, full weights, gradients and what it
sends.

Real fully_shard on this CPU, with a process group that sends nothing. Prints the highest sum in forward and in
backward, in units of one layer's fp32 weights, as tests/unit/engine/training/communication_test.cpp expects them;
with --mixed for 16-bit weights and sums, as Accelerate sets them for bf16; with --mixed --wide for sums in fp32, as
torchtitan sets them.
"""
import sys
import weakref

import torch
import torch.distributed as dist
import torch.distributed.fsdp._fully_shard._fsdp_param as fsdp_param
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

CARDS, LAYERS, WIDTH, WORDS = 8, 6, 1024, 4096
LAYER_BYTES = 8 * WIDTH * WIDTH * 4


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH, bias=False), nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


class Net(nn.Module):
    """The weights outside the layers, two of half a layer each, are together one layer's."""

    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
        self.layers = nn.ModuleList(Block() for _ in range(LAYERS))

    def forward(self, ids):
        x = self.words(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Live(TorchDispatchMode):
    """Bytes of new storages while they live, and of full weights, whose storages FSDP resizes."""

    def __init__(self):
        super().__init__()
        self.storages, self.now, self.peak = {}, 0, 0

    def change(self, amount):
        self.now += amount
        self.peak = max(self.peak, self.now)

    def watch(self, tensor):
        storage = tensor.untyped_storage()
        key, size = storage._cdata, storage.nbytes()
        if size < LAYER_BYTES // 100 or key in self.storages:
            return
        self.storages[key] = size
        self.change(size)
        weakref.finalize(storage, lambda: self.change(-self.storages.pop(key)))

    def __torch_dispatch__(self, call, types, args=(), kwargs=None):
        result = call(*args, **(kwargs or {}))
        if call not in (torch.ops.aten.detach.default, torch.ops.aten.view.default):
            tree_map_only(torch.Tensor, self.watch, result)
        return result


def main():
    dist.init_process_group('fake', store=FakeStore(), rank=0, world_size=CARDS)
    live = Live()
    allocate, free = fsdp_param.alloc_storage, fsdp_param.free_storage

    def seen(real, sign, was_empty):
        def call(tensor):
            if (tensor.untyped_storage().size() == 0) == was_empty:
                live.storages[tensor.untyped_storage()._cdata] = 0  # counted here
                live.change(sign * tensor.numel() * tensor.itemsize)
            real(tensor)
        return call

    net = Net()
    half = torch.bfloat16 if '--mixed' in sys.argv else None
    policy = MixedPrecisionPolicy(param_dtype=half, reduce_dtype=torch.float32 if '--wide' in sys.argv else half)
    for layer in net.layers:
        fully_shard(layer, mp_policy=policy)
    fully_shard(net, mp_policy=policy)
    ids = torch.randint(0, WORDS, (1, 4))
    net(ids).float().sum().backward()  # the first step makes the weights' storages
    net.zero_grad()
    known = {p.untyped_storage()._cdata for p in net.parameters()}
    fsdp_param.alloc_storage = seen(allocate, 1, True)
    fsdp_param.free_storage = seen(free, -1, False)
    live.storages.update((key, 0) for key in known)
    with live:
        loss = net(ids).float().sum()
        print(f'forward {live.peak / LAYER_BYTES:.3f}')
        live.peak = live.now
        loss.backward()
        print(f'backward {live.peak / LAYER_BYTES:.3f}')
        print(f'after {live.now / LAYER_BYTES:.3f}')


if __name__ == '__main__':
    main()
