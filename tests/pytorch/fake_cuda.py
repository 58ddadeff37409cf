"""PyTorch as it runs on a CUDA device, with tensors that claim to be on one and have no memory."""

import collections
import contextlib
import functools

import bitsandbytes
import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten


def on_device(function, out):
    """The results that are on a real card."""
    if function is aten._scaled_dot_product_efficient_attention.default:
        return out[:2]  # the seed and its offset lie in host memory
    if function is aten._flash_attention_forward.default:
        return out[:3]  # flash-attn has no unused number
    return out


class Storages(TorchDispatchMode):
    """Follows every storage that an operation makes: its bytes, the layer whose code made it, whether it is a copy of
    a parameter in another type."""

    def __init__(self, weights, others):
        super().__init__()
        self.layer = -1
        # Held, for bitsandbytes replaces biases, and the address of a storage that is gone is used again.
        weights = list(weights)
        self.held = [tensor.untyped_storage() for tensor in weights]
        self.weights = {self._key(tensor) for tensor in weights}
        self.before = self.weights | {self._key(tensor) for tensor in others}  # buffers and the batch
        self.made = {}  # StorageWeakRef.cdata -> (reference, bytes, layer, is a weight's copy)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        copies = function is aten._to_copy.default and self._key(args[0]) in self.weights
        for tensor in torch.utils._pytree.tree_leaves(on_device(function, out)):
            if not isinstance(tensor, torch.Tensor) or tensor.device.type != 'cuda':
                continue
            reference = StorageWeakRef(tensor.untyped_storage())
            known = self.made.get(reference.cdata)
            # An address is used again once its storage is gone.
            if reference.cdata not in self.before and (known is None or known[0].expired()):
                self.made[reference.cdata] = (reference, tensor.untyped_storage().nbytes(), self.layer, copies)
        return out

    @staticmethod
    def _key(tensor):
        return StorageWeakRef(tensor.untyped_storage()).cdata

    def alive(self):
        """(bytes of activations, bytes of weights' copies, bytes of activations by layer)"""
        activations, copies, layers = 0, 0, collections.Counter()
        for reference, size, layer, is_copy in self.made.values():
            if reference.expired():
                continue
            if is_copy:
                copies += size
                continue
            activations += size
            layers[layer] += size
        return activations, copies, layers


def fused_attention(gpu):
    """scaled_dot_product_attention as CUDA dispatches it: its choice of a kernel asks the driver, so it is made here."""

    def attend(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
        if torch.is_autocast_enabled('cuda'):
            query, key, value = (t.to(torch.get_autocast_dtype('cuda')) for t in (query, key, value))
        with torch._C._DisableAutocast():
            return chosen(query, key, value, bias_of(attn_mask, query), dropout_p, is_causal, scale, enable_gqa)

    def bias_of(mask, query):
        if mask is None:
            return None
        if mask.dtype == torch.bool:
            bias = torch.zeros_like(mask, dtype=query.dtype).masked_fill_(mask.logical_not(), -torch.inf)
        else:
            bias = mask.to(query.dtype)
        keys = mask.size(-1)
        bias = torch.nn.functional.pad(bias, (0, -keys % 8))[..., :keys] if keys % 8 else bias
        return bias.expand(*query.shape[:2], query.size(2), keys)

    def chosen(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
        half, grouped = query.dtype != torch.float32, enable_gqa and query.size(-3) != key.size(-3)
        wants = attn_mask is not None and attn_mask.requires_grad
        if half and gpu == 'h200' and not wants:
            return aten._scaled_dot_product_cudnn_attention(query, key, value, attn_mask, True, dropout_p, is_causal,
                                                            False, scale=scale)[0]
        if half and gpu == 'a100_80gb' and attn_mask is None and query.size(-1) == value.size(-1):
            return aten._scaled_dot_product_flash_attention(query, key, value, dropout_p, is_causal, False,
                                                            scale=scale)[0]
        if grouped or (query.dtype == torch.bfloat16 and gpu == 't4'):
            return aten._scaled_dot_product_attention_math(query, key, value, attn_mask, dropout_p, is_causal, None,
                                                           scale=scale, enable_gqa=enable_gqa)[0]
        return aten._scaled_dot_product_efficient_attention(query, key, value, attn_mask, True, dropout_p, is_causal,
                                                            scale=scale)[0]
    return attend


def grouped_product(rows, weights, *_, offs, **__):
    """What CUDA's grouped product returns. It takes every type; PyTorch's own description of it takes bf16 alone."""
    if rows.dim() == 2 and weights.dim() == 2:
        return rows.new_empty(offs.size(0), rows.size(0), weights.size(1))
    return rows.new_empty(rows.size(0), weights.size(-1))


@contextlib.contextmanager
def autocast(precision, always=False):
    """torch.autocast("cuda") switches itself off where no GPU is; these are its own calls."""
    if not precision.endswith('autocast') and precision != 'fp16' and not always:
        yield
        return
    before = torch.is_autocast_enabled('cuda'), torch.get_autocast_dtype('cuda')
    torch.set_autocast_enabled('cuda', True)
    torch.set_autocast_dtype('cuda', torch.float16 if precision == 'fp16' else torch.bfloat16)
    torch.autocast_increment_nesting()
    try:
        yield
    finally:
        if torch.autocast_decrement_nesting() == 0:
            torch.clear_autocast_cache()
        torch.set_autocast_enabled('cuda', before[0])
        torch.set_autocast_dtype('cuda', before[1])


class Packed(bitsandbytes.nn.Linear4bit):
    """bitsandbytes' layer, of a weight that fake tensors can hold."""

    def __init__(self, layer, double):
        torch.nn.Module.__init__(self)
        self.in_features, self.out_features, self.bias = layer.in_features, layer.out_features, layer.bias
        self.compute_dtype, self.compute_type_is_set = torch.bfloat16, True
        blocks = layer.weight.numel() // 64
        packed = torch.empty(layer.weight.numel() // 2, 1, dtype=torch.uint8)
        state = functools.partial(bitsandbytes.functional.QuantState, code=torch.empty(16), dtype=torch.bfloat16)
        outer = state(absmax=torch.empty(blocks // 256), blocksize=256, code=torch.empty(256), dtype=torch.float32)
        state = state(absmax=torch.empty(blocks, dtype=torch.uint8 if double else torch.float32), blocksize=64,
                      quant_type='nf4', shape=layer.weight.shape, offset=torch.empty(()) if double else None,
                      state2=outer if double else None)
        self.weight = torch.nn.Parameter(packed, requires_grad=False)
        self.weight.quant_state = self.quant_state = state
        self.weight.compress_statistics, self.weight.quant_type = double, 'nf4'


class Packed8(bitsandbytes.nn.Linear8bitLt):
    """The layer of LLM.int8, without outliers: how many there are, only data says."""

    def __init__(self, layer):
        torch.nn.Module.__init__(self)
        self.in_features, self.out_features, self.bias = layer.in_features, layer.out_features, layer.bias
        self.weight = torch.nn.Parameter(torch.empty(layer.weight.shape, dtype=torch.int8), requires_grad=False)
        self.weight.CB = self.weight.SCB = self.index = None
        self.state = bitsandbytes.MatmulLtState()
        self.state.threshold, self.state.has_fp16_weights = 0.0, False
        self.state.CB, self.state.SCB = self.weight.data, torch.empty(layer.out_features)
