"""Callbacks for Transformers and Lightning. Each library is imported only when its callback is requested."""

import logging
import os

from . import gpu
from .monitor import RunMonitor, what_was_trained
from .server import Server

log = logging.getLogger('plimsoll.training')


def _is_first_process():
    return os.environ.get('RANK', '0') == '0'


def _server():
    """Called before the training, so that a missing address stops it immediately. Without a GPU, nothing is sent."""
    return None if gpu.missing() else Server()


def transformers_callback(*, job=None, args=None, every=100, server=None):
    """A `transformers.TrainerCallback` that reports the run of its Trainer."""
    from transformers import TrainerCallback

    what_was_trained(job, args)
    server = server or _server()

    class PlimsollCallback(TrainerCallback):
        monitor = None

        def on_train_begin(self, arguments, state, control, **kwargs):
            if _is_first_process():
                self.monitor = RunMonitor(arguments.per_device_train_batch_size,
                                          arguments.gradient_accumulation_steps,
                                          job=job, args=args, every=every, server=server)
                self.monitor.begin()

        def on_step_end(self, arguments, state, control, **kwargs):
            if self.monitor:
                self.monitor.step()

        def on_train_end(self, arguments, state, control, **kwargs):
            if self.monitor:
                self.monitor.end()

    return PlimsollCallback()


def lightning_callback(*, job=None, args=None, every=100, batch=None, server=None):
    """A `lightning.pytorch.Callback` that reports the run of its Trainer. `batch` is the micro-batch; needed if the
    data loader does not provide it."""
    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback

    what_was_trained(job, args)
    server = server or _server()

    class PlimsollCallback(Callback):
        monitor = None
        _seen = 0

        def on_train_start(self, trainer, pl_module):
            if not trainer.is_global_zero:
                return
            size = batch or getattr(trainer.train_dataloader, 'batch_size', None)
            if not size:
                log.warning('the batch is unknown: pass it to lightning_callback(batch=…); nothing is measured')
                return
            self.monitor = RunMonitor(size, trainer.accumulate_grad_batches, job=job, args=args, every=every,
                                      server=server)
            self._seen = trainer.global_step
            self.monitor.begin()

        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
            # global_step counts optimizer steps.
            if self.monitor and trainer.global_step > self._seen:
                self._seen = trainer.global_step
                self.monitor.step()

        def on_train_end(self, trainer, pl_module):
            if self.monitor:
                self.monitor.end()

    return PlimsollCallback()
