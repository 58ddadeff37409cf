"""torch, as far as memory is concerned: tensors are bytes, and the caching allocator keeps what it was given."""

from . import cuda

__version__ = '2.11.0'
