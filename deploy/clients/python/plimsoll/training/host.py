"""What can be measured of a run without a CUDA device: the memory of the process. The same calls as `gpu`."""

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
    """Peak of the process, in bytes; 0 if the system does not report it."""
    if resource is None:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == 'darwin' else 1024 * most
