"""Measures a training run and reports it at its end."""

import logging
import statistics
import time

from . import gpu, host
from .server import Server, ServerError

log = logging.getLogger('plimsoll.training')

MOST_SAMPLES = 500  # the server's limit


def what_was_trained(job, args):
    if (job is None) == (args is None):
        raise ValueError('Set either job="job_…", the job of a report, or args={…}: what is trained.')
    return {'job_id': job} if job else {'args': args}


class RunMonitor:
    """Call `begin` before the first optimizer step, `step` after each one, and `end` after the last.

    `batch` is the micro-batch, `accumulation` the micro-batches of an optimizer step. Nothing here raises once the run
    has begun: a server that cannot be reached is a warning in the log, and the measurement stays available in
    `measurement`. Without a CUDA device the log says so: step times and the process's memory are measured, and nothing
    is sent, because they say nothing about a GPU's memory.
    """

    def __init__(self, batch, accumulation=1, *, job=None, args=None, every=100, server=None):
        self._what = what_was_trained(job, args)
        without = gpu.missing()
        self._device = host if without else gpu
        self._server = None if without else server or Server()
        if without:
            log.warning('%s: step times and host memory are measured, nothing is sent', without)
        self.batch, self.accumulation, self.every = batch, accumulation, every
        self.steps = 0
        self.samples = []
        self.measurement = None
        self.answer = None  # the server's: the measurement beside the prediction
        self._windows = []  # seconds per step, over `every` steps each
        self._window = None  # (steps done, time) at the beginning of the current window

    def begin(self):
        if not log.hasHandlers():  # in a program that configures no logging, lines print all the same
            log.addHandler(logging.StreamHandler())
            log.setLevel(logging.INFO)
        self._device.begin()

    def step(self):
        self.steps += 1
        if self.steps == 1:  # the first step creates the optimizer's state and warms up
            self._start_window()
        elif self.steps - self._window[0] >= self.every:
            self._close_window()
            self._sample()

    def end(self):
        if self.steps == 0:
            return
        if self.steps > self._window[0]:
            self._close_window()
            self._sample()
        measured = self._device.peak()
        if self._windows:
            measured['step_seconds'] = statistics.median(self._windows)
        self.measurement = {**self._what, 'source': 'run', 'batch': self.batch, 'accumulation': self.accumulation,
                            'measured': measured, 'samples': self.samples}
        if self._device is host:
            log.info('%.3f s per step, at most %.2f GiB resident', measured.get('step_seconds', float('nan')),
                     measured['peak_resident_bytes'] / 2**30)
            return
        self.measurement['gpu'] = gpu.describe()
        try:
            self.answer = self._server.report(self.measurement)
            log.info('peak reserved memory: %.3f times the prediction', self.answer['ratio'])
        except ServerError as refused:
            log.warning('the measurement was not stored: %s', refused)

    def _start_window(self):
        self._device.synchronize()  # once per window: kernels run asynchronously
        self._window = (self.steps, time.perf_counter())

    def _close_window(self):
        before, started = self._window
        self._start_window()
        self._windows.append((self._window[1] - started) / (self.steps - before))

    def _sample(self):
        if len(self.samples) == MOST_SAMPLES:  # a long run: keep every other sample from here on
            self.samples = self.samples[::2]
            self.every *= 2
        sample = self._device.sample(self.steps)
        self.samples.append(sample)
        gib = {name: bytes_ / 2**30 for name, bytes_ in sample.items() if name.endswith('_bytes')}
        memory = ('%.2f GiB allocated, %.2f GiB reserved' % (gib['allocated_bytes'], gib['reserved_bytes'])
                  if 'reserved_bytes' in gib else '%.2f GiB resident' % gib['peak_resident_bytes'])
        use = 'GPU %.0f %% | ' % sample['gpu_percent'] if 'gpu_percent' in sample else ''
        log.info('step %d: %.3f s | %s%s', self.steps, self._windows[-1], use, memory)
