"""What can be seen of a run where PyTorch has no CUDA device: the process's memory. The same calls as `gpu`."""

import sys

try:
    import resource
except ImportError:  # Windows
    resource = None


def begin():
    pass


def synchronize():
    pass


def peak():
    return {'peak_resident_bytes': _most_resident()}


def sample(step):
    return {'step': step, 'peak_resident_bytes': _most_resident()}


def _most_resident():
    """Of the process since it began, in bytes; 0 where the system does not say."""
    if resource is None:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == 'darwin' else 1024 * most
