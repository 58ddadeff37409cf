"""The clients."""

import importlib
import json
import os

import httpx

from . import steps
from .core import AuthenticatedClient
from .core.models import Problem
from .errors import ProblemError
from .retries import AsyncTransport, Retries, Transport

_TIMEOUT = httpx.Timeout(90)  # longer than the longest poll


def _setting(given, name):
    value = given or os.environ.get(name)
    if not value:
        raise ValueError(f"Set {name}, or pass it to the client.")
    return value


def _module(operation):
    return importlib.import_module(f"{__package__}.core.api.{operation}") if isinstance(operation, str) else operation


def _checked(response):
    """The parsed response. Raises ProblemError unless the call succeeded."""
    if response.status_code >= 400 or isinstance(response.parsed, Problem):
        try:
            problem = json.loads(response.content)
        except ValueError:
            problem = None
        raise ProblemError(int(response.status_code), problem)
    return response.parsed


class _Base:
    def __init__(self, server=None, token=None, *, retries=Retries(), timeout=_TIMEOUT, transport=None):
        """`server` and `token` default to PLIMSOLL_SERVER and PLIMSOLL_TOKEN. `core` makes every other call:
        its operations take it as `client`."""
        transport = self._retrying(transport, retries)
        self.core = AuthenticatedClient(
            _setting(server, "PLIMSOLL_SERVER").rstrip("/"), _setting(token, "PLIMSOLL_TOKEN"), timeout=timeout,
            httpx_args={"transport": transport})


class Client(_Base):
    """Calls block until they have a response. A context manager, which closes the connections."""

    @staticmethod
    def _retrying(transport, retries):
        return Transport(transport or httpx.HTTPTransport(), retries)

    def __enter__(self):
        self.core.__enter__()
        return self

    def __exit__(self, *error):
        self.core.__exit__(*error)

    def call(self, operation, **arguments):
        """Calls any operation of the API by its name in `plimsoll.core.api`, such as "jobs.cancel_job"."""
        return _checked(_module(operation).sync_detailed(client=self.core, **arguments))

    def _run(self, calls):
        try:
            operation, arguments = next(calls)
            while True:
                operation, arguments = calls.send(self.call(operation, **arguments))
        except StopIteration as done:
            return done.value

    def _pages(self, step, position):
        while position is not None:
            items, position = self._run(step(position))
            yield from items

    def submit(self, kind, args, *, key=None, **settings):
        """Stores a job and returns it. `settings`: name, labels, priority, run_at and so on, as in the contract.
        Calls with the same `key` create one job; without it, only retries of this call do."""
        return self._run(steps.submit(kind, args, key, settings))

    def wait(self, job_id, *, timeout=None, on_progress=None, check=True):
        """Waits until the job has ended, and returns it. `on_progress` is called with the job at every change. Raises
        JobFailed unless it succeeded or `check` is false, and TimeoutError after `timeout` seconds."""
        return self._run(steps.wait(job_id, timeout, on_progress, check))

    def report(self, job_id):
        return self._run(steps.report(job_id))

    def results(self, job_id):
        """Iterates over all rows, which are read in pages."""
        return self._pages(lambda position: steps.rows(job_id, position), 0)

    def jobs(self, **filters):
        """Iterates over the team's jobs, newest first; `filters` are those of GET /v1/jobs."""
        return self._pages(lambda cursor: steps.jobs(filters, cursor), "")


class AsyncClient(_Base):
    """Like `Client`, with coroutines and asynchronous iterators."""

    @staticmethod
    def _retrying(transport, retries):
        return AsyncTransport(transport or httpx.AsyncHTTPTransport(), retries)

    async def __aenter__(self):
        await self.core.__aenter__()
        return self

    async def __aexit__(self, *error):
        await self.core.__aexit__(*error)

    async def call(self, operation, **arguments):
        return _checked(await _module(operation).asyncio_detailed(client=self.core, **arguments))

    async def _run(self, calls):
        try:
            operation, arguments = next(calls)
            while True:
                operation, arguments = calls.send(await self.call(operation, **arguments))
        except StopIteration as done:
            return done.value

    async def _pages(self, step, position):
        while position is not None:
            items, position = await self._run(step(position))
            for item in items:
                yield item

    async def submit(self, kind, args, *, key=None, **settings):
        return await self._run(steps.submit(kind, args, key, settings))

    async def wait(self, job_id, *, timeout=None, on_progress=None, check=True):
        return await self._run(steps.wait(job_id, timeout, on_progress, check))

    async def report(self, job_id):
        return await self._run(steps.report(job_id))

    def results(self, job_id):
        return self._pages(lambda position: steps.rows(job_id, position), 0)

    def jobs(self, **filters):
        return self._pages(lambda cursor: steps.jobs(filters, cursor), "")
