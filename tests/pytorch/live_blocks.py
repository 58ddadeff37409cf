"""The blocks of all storages that live while operations run."""

import threading
import weakref

import torch
from caching_allocator import CachingAllocator
from fake_cuda import on_device
from torch.utils._python_dispatch import TorchDispatchMode

PRODUCTS = [getattr(torch.ops.aten, name).default for name in ('mm', 'bmm', 'addmm', 'baddbmm')]


class LiveBlocks(TorchDispatchMode):
    """A block for each storage from the operation that makes it until its last reference is gone."""

    def __init__(self, workspace=8_519_680):
        super().__init__()
        self.known, self.allocator, self.workspaces = {}, CachingAllocator(), set()
        self.workspace = workspace  # of cuBLAS
        self.sum = None  # (the first summand's storage, the sum's)

    def watch(self, tensor):
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self.known or tensor.device.type == 'meta':
            return
        if storage.nbytes():
            self.known[key] = None if self.sum and storage is self.sum[1] else self.allocator.allocate(storage.nbytes())
            weakref.finalize(storage, self.gone, key)

    def gone(self, key):
        block = self.known.pop(key)
        if self.sum and self.sum[0] == key:
            self.known[self.sum[1]._cdata] = block
            self.sum = None
        elif block:
            self.allocator.release(block)

    # Of two gradients of one tensor the engine adds the second to the first, in place where nobody else, such as
    # a view's base, has that; in a dispatch mode it never does. So a sum takes the block of a first summand that goes
    # at once.
    def begin_sum(self, function, args, out):
        if function is torch.ops.aten.add.Tensor and not torch.is_grad_enabled() and not args[0]._is_view():
            first = args[0].untyped_storage()
            if first._cdata in self.known and first.nbytes() == out.untyped_storage().nbytes():
                self.sum = (first._cdata, out.untyped_storage())

    def end_sum(self):
        if self.sum:
            storage, self.sum = self.sum[1], None
            self.known[storage._cdata] = self.allocator.allocate(storage.nbytes())

    def thread(self):
        return threading.get_ident()

    def make_workspaces(self, function):
        """cuBLAS keeps one for each thread that multiplies, cuBLASLt another for products with a bias."""
        thread = self.thread()
        if function in PRODUCTS and thread not in self.workspaces:
            self.workspaces.add(thread)
            self.allocator.allocate(self.workspace)
        if function is torch.ops.aten.addmm.default and ('lt', thread) not in self.workspaces:
            self.workspaces.add(('lt', thread))
            self.allocator.allocate(1 << 20)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.end_sum()
        self.make_workspaces(function)
        out = function(*args, **(kwargs or {}))
        self.begin_sum(function, args, out)
        for tensor in torch.utils._pytree.tree_leaves(on_device(function, out)):
            if isinstance(tensor, torch.Tensor):
                self.watch(tensor)
        return out


def packed_states(model):
    """The scales of bitsandbytes' layers, which are no parameters."""
    for module in model.modules():
        state = getattr(getattr(module, 'weight', None), 'quant_state', None)
        for one in (state, getattr(state, 'state2', None)):
            if one is not None:
                yield from (one.absmax, one.code, *((one.offset,) if one.offset is not None else ()))
        eight = getattr(module, 'state', None)
        if getattr(eight, 'SCB', None) is not None:
            yield eight.SCB
