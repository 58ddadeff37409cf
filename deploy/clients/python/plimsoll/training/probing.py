"""Finds the largest batch that runs: doubles until memory runs out, then bisects."""

import gc
import logging
import statistics
import time
from dataclasses import dataclass, field

from . import gpu
from .monitor import what_was_trained
from .server import Server, ServerError

log = logging.getLogger('plimsoll.training')
STEPS = 3  # the second can reserve more than the first; the third confirms it


@dataclass
class Trial:
    """Three steps at one batch."""
    batch: int
    fits: bool
    measured: dict = field(default_factory=dict)
    clean: bool = True  # the allocator did not have to release memory


@dataclass
class ProbeResult:
    largest_batch: int  # 0: even the first failed
    trials: list
    answer: dict = None  # the server's: the measurement beside the prediction

    def __str__(self):
        if not self.answer:
            return f'largest batch {self.largest_batch}'
        predicted, measured = self.answer['predicted'], self.answer['measured']
        return (f"largest batch {self.largest_batch}, predicted {predicted['max_batch']} within the margin; "
                f"at batch {self.answer['batch']} {measured['peak_reserved_bytes'] / 2**30:.2f} GiB reserved, "
                f"predicted {predicted['peak_reserved_bytes'] / 2**30:.2f} ({self.answer['ratio']:.3f}x)")


def probe(step, *, job=None, args=None, first=1, most=65536, server=None):
    """Finds the largest batch up to `most` at which `step(batch)` runs, and reports it.

    `step` makes one real training step: gradients set to None, forward, backward, optimizer. Raises NoGpu if PyTorch
    has no CUDA device, since the probe would exhaust the machine's memory.
    """
    what = what_was_trained(job, args)
    if not 1 <= first <= most:
        raise ValueError(f'Batches from first={first} to most={most} are tried: 1 <= first <= most is required.')
    if without := gpu.missing():
        raise gpu.NoGpu(f'{without}: there is no GPU memory to fill. Run the probe where the training will run.')
    server = server or Server()
    trials = []

    def runs(batch):
        trials.append(_attempt(step, batch))
        return trials[-1].fits

    low, high = 0, None  # low runs (or is 0), high does not
    batch = first
    while high is None and batch <= most:
        if runs(batch):
            low, batch = batch, min(2 * batch, most) if batch < most else most + 1
        else:
            high = batch
    while high is not None and high - low > 1:
        middle = (low + high) // 2
        if runs(middle):
            low = middle
        else:
            high = middle
    result = ProbeResult(low, trials)
    ran = [trial for trial in trials if trial.fits]
    if ran:
        # If the allocator released memory, less is reserved than the run could use.
        best = max([trial for trial in ran if trial.clean] or ran, key=lambda trial: trial.batch)
        try:
            result.answer = server.report({
                **what, 'source': 'probe', 'gpu': gpu.describe(), 'batch': best.batch,
                'measured': {**best.measured, 'max_batch': low}})
        except ServerError as refused:  # the result took minutes: keep it
            log.warning('the measurement was not stored: %s', refused)
    return result


def _attempt(step, batch):
    _clear()
    before = gpu.retries()
    gpu.begin()
    times = []
    try:
        for _ in range(STEPS):
            started = time.perf_counter()
            step(batch)
            gpu.synchronize()
            times.append(time.perf_counter() - started)
    except Exception as error:
        if not gpu.is_out_of_memory(error):
            raise
        out_of_memory = True
    else:
        out_of_memory = False
    # Outside the handler: the exception's traceback kept the step's tensors alive.
    if out_of_memory:
        _clear()
        return Trial(batch, fits=False)
    measured = {**gpu.peak(), 'step_seconds': statistics.median(times)}
    return Trial(batch, True, measured, clean=gpu.retries() == before)


def _clear():
    gc.collect()
    gpu.torch.cuda.empty_cache()
