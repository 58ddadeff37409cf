"""torch, as far as memory is concerned: tensors are bytes, and the caching allocator keeps freed memory."""

from . import cuda

__version__ = '2.11.0'
