"""Measures training runs and reports them to a Plimsoll server; see README.md."""

from .callbacks import lightning_callback, transformers_callback
from .gpu import NoGpu
from .monitor import RunMonitor
from .probing import ProbeResult, Trial, probe
from .server import Server, ServerError

__all__ = ['NoGpu', 'ProbeResult', 'RunMonitor', 'Server', 'ServerError', 'Trial', 'lightning_callback', 'probe',
           'transformers_callback']
