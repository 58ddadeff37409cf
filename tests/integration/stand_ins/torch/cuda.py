"""torch.cuda with a card of 8 GiB, of which other users hold 512 MiB. Blocks are whole 2 MiB; freed ones stay reserved until
empty_cache() or until memory is short, which counts as a retry, as in PyTorch."""

import types

MIB = 1 << 20
TOTAL = 8 << 30
CONTEXT = 512 * MIB

_allocated = _reserved = _most_allocated = _most_reserved = _retries = 0


class OutOfMemoryError(RuntimeError):
    pass


class Tensor:
    size = 0
    def __init__(self, size):
        self.size = _allocate(size)

    def __del__(self):
        global _allocated
        _allocated -= self.size


def _allocate(size):
    global _allocated, _reserved, _most_allocated, _most_reserved, _retries
    size = -(-size // (2 * MIB)) * 2 * MIB
    if _allocated + size > TOTAL - CONTEXT:
        raise OutOfMemoryError(f'CUDA out of memory. Tried to allocate {size} bytes.')
    if _allocated + size > _reserved:
        if _reserved + size > TOTAL - CONTEXT:
            _retries += 1
            _reserved = _allocated
        _reserved = max(_reserved, _allocated + size)
    _allocated += size
    _most_allocated, _most_reserved = max(_most_allocated, _allocated), max(_most_reserved, _reserved)
    return size


def is_available():
    return True


def empty_cache():
    global _reserved
    _reserved = _allocated


def reset_peak_memory_stats():
    global _most_allocated, _most_reserved
    _most_allocated, _most_reserved = _allocated, _reserved


def memory_allocated():
    return _allocated


def memory_reserved():
    return _reserved


def max_memory_allocated():
    return _most_allocated


def max_memory_reserved():
    return _most_reserved


def memory_stats():
    return {'num_alloc_retries': _retries}


def mem_get_info():
    return TOTAL - CONTEXT - _reserved, TOTAL


def synchronize():
    pass


def current_device():
    return 0


def get_device_properties(device):
    assert device == 0
    return types.SimpleNamespace(name='NVIDIA GeForce RTX 4090', total_memory=TOTAL)


def utilization():
    return 87
