"""The clients' logic without I/O: each generator yields calls, (operation, arguments), receives their responses, and
returns its result. `Client` makes the calls synchronously, `AsyncClient` asynchronously."""

import math
import time
import uuid

from .core.api.jobs import create_job, get_job, get_job_report, get_job_results, list_jobs
from .errors import JobFailed

_ENDED = ("succeeded", "failed", "cancelled")
_LONGEST_POLL = 60  # seconds, of the contract
_ROWS = 5000


class _Spec:
    """A job of any kind for the core to send: the server knows the kinds and checks their arguments."""

    def __init__(self, members):
        self._members = members

    def to_dict(self):
        return self._members


def submit(kind, args, key, settings):
    spec = _Spec({"kind": kind, "args": args, **settings})
    return (yield create_job, {"body": spec, "idempotency_key": key or str(uuid.uuid4())})


def wait(job_id, timeout, on_progress, check):
    until = None if timeout is None else time.monotonic() + timeout
    job = yield get_job, {"job_id": job_id}
    while True:
        if on_progress:
            on_progress(job)
        if job.state in _ENDED:
            if check and job.state != "succeeded":
                raise JobFailed(job)
            return job
        left = _LONGEST_POLL if until is None else until - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"{job_id} is still {job.state} after {timeout} s.")
        job = yield get_job, {"job_id": job_id, "wait": min(_LONGEST_POLL, math.ceil(left))}


def report(job_id):
    return (yield get_job_report, {"job_id": job_id})


def rows(job_id, offset):
    """A page of rows; the last one is shorter than `_ROWS`."""
    results = yield get_job_results, {"job_id": job_id, "offset": offset, "limit": _ROWS}
    return results.items, offset + _ROWS if len(results.items) == _ROWS else None


def jobs(filters, cursor):
    page = yield list_jobs, {**filters, **({"cursor": cursor} if cursor else {})}
    return page.items, page.next_cursor
