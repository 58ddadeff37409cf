"""What PyTorch reports about its CUDA device. Needs only `torch`."""

import torch


class NoGpu(RuntimeError):
    """PyTorch has no CUDA device."""


def missing():
    """Why nothing can be measured here; None if something can."""
    if torch.cuda.is_available():
        return None
    version = getattr(torch, 'version', None)
    without = version and version.cuda is None and getattr(version, 'hip', None) is None
    return f"PyTorch {torch.__version__} {'was built without CUDA' if without else 'finds no CUDA device'}"


def describe():
    """The GPU, in the format of the server."""
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    return {'name': properties.name, 'total_bytes': properties.total_memory}


def context_bytes():
    """Memory that the driver counts as used beyond what PyTorch reserves: the context, and other processes."""
    free, total = torch.cuda.mem_get_info()
    return max(0, total - free - torch.cuda.memory_reserved())


def begin():
    torch.cuda.reset_peak_memory_stats()


def synchronize():
    torch.cuda.synchronize()


def peak():
    return {'peak_reserved_bytes': torch.cuda.max_memory_reserved(),
            'peak_allocated_bytes': torch.cuda.max_memory_allocated(),
            'context_bytes': context_bytes()}


def sample(step):
    """Memory and GPU use now. Utilization needs NVIDIA's management library and is omitted without it."""
    free, total = torch.cuda.mem_get_info()
    found = {'step': step, 'allocated_bytes': torch.cuda.memory_allocated(),
             'reserved_bytes': torch.cuda.memory_reserved(),
             'memory_percent': round(100 * (total - free) / total, 1)}
    try:
        found['gpu_percent'] = float(torch.cuda.utilization())
    except Exception:  # the library's bindings may raise anything if it is missing
        pass
    return found


def retries():
    """How often the allocator had to release cached memory to get more."""
    return torch.cuda.memory_stats().get('num_alloc_retries', 0)


def is_out_of_memory(error):
    known = getattr(torch.cuda, 'OutOfMemoryError', None)
    return (known is not None and isinstance(error, known)) or 'out of memory' in str(error).lower()
