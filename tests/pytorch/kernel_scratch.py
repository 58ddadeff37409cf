"""What CUDA kernels allocate and free within one operation, invisible from outside: from PyTorch 2.11's source."""

import math

import torch

aten = torch.ops.aten
A100 = dict(multiprocessors=108, threads=2048)
CARDS = {'h200': dict(multiprocessors=132, threads=2048), 't4': dict(multiprocessors=40, threads=1024)}


def below(number):
    return 1 << (number.bit_length() - 1)


def sum_over_rows(rows, columns, multiprocessors, threads):
    """Partial sums of blocks that share a column (Reduce.cuh, setReduceConfig and reduce_kernel)."""
    vector = 4 if columns % 4 == 0 else 2 if columns % 2 == 0 else 1
    most, across = 512 // vector, columns // vector
    fitting = lambda number: max(1, below(number)) if number < most else most  # noqa: E731
    width = min(fitting(across), 32)
    height = min(fitting(rows), most // width)
    width = min(fitting(across), most // height)
    if rows < min(16 * height, 256):
        return 0
    values, grid = -(-rows // height), -(-across // width)
    target = multiprocessors * (threads // (width * height))
    if values < 256 or grid > target:
        return 0
    blocks = max(min(-(-target // grid), -(-values // 16)), -(-values // 256))
    return 4 * columns * blocks * width * vector if blocks > 1 else 0


def bytes_of(tensor):
    return tensor.numel() * tensor.element_size()


def scratch_of(function, args, card=A100):
    if function is aten._softmax_backward_data.default:
        return bytes_of(args[0])  # grad * output (SoftMax.cu)
    if function is aten._log_softmax.default:
        return 0 if args[0].is_contiguous() else bytes_of(args[0])  # rows without gaps (SoftMax.cu)
    if function is aten.native_layer_norm.default:  # copies what is not contiguous (layer_norm_kernel.cu)
        return 0 if args[0].is_contiguous() else bytes_of(args[0])
    if function is aten.native_layer_norm_backward.default:
        return 0 if args[1].is_contiguous() else bytes_of(args[1])
    if function is aten.sum.dim_IntList and args[0].is_contiguous():
        over = sorted(dimension % args[0].dim() for dimension in args[1] or ())
        if over == list(range(len(over))) and 0 < len(over) < args[0].dim():  # one sum over rows to the kernel
            return sum_over_rows(math.prod(args[0].shape[:len(over)]), math.prod(args[0].shape[len(over):]), **card)
    return 0
