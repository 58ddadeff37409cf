"""What DistributedDataParallel allocates besides a model's own tensors: the buckets that gradients are sent in.

Real DistributedDataParallel on this CPU, with a process group that sends nothing. Prints the buckets' bytes once the
model is wrapped, the highest sum while they are rebuilt in the order in which gradients arrived, and the bytes of
later steps, in units of all gradients, as tests/unit/engine/training/communication_test.cpp expects them.
"""

import torch
import torch.distributed as dist
from fsdp_buffers import LAYER_BYTES, Live, Net
from torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks import noop_hook
from torch.nn.parallel import DistributedDataParallel
from torch.testing._internal.distributed.fake_pg import FakeStore


class Buckets(Live):
    """Sums only what is neither a gradient nor smaller than one: the buckets."""

    def __init__(self, net):
        super().__init__()
        self.gradients = {parameter.shape for parameter in net.parameters()}

    def watch(self, tensor):
        if tensor.dim() == 1 and tensor.numel() * tensor.itemsize >= LAYER_BYTES // 100:
            super().watch(tensor)


def main():
    dist.init_process_group('fake', store=FakeStore(), rank=0, world_size=8)
    net = Net()
    all_gradients = sum(parameter.numel() * parameter.itemsize for parameter in net.parameters())
    ids = torch.randint(0, 4096, (1, 4))
    with Buckets(net) as live:
        wrapped = DistributedDataParallel(net)
        wrapped.register_comm_hook(None, noop_hook)  # the group sends nothing
        print(f'wrapped {live.now / all_gradients:.3f}')
        for step in range(3):
            live.peak = live.now
            wrapped(ids).float().sum().backward()
            net.zero_grad()
            print(f'step {step + 1}: highest {live.peak / all_gradients:.3f}, after {live.now / all_gradients:.3f}')


if __name__ == '__main__':
    main()
