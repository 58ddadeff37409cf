"""Exceptions."""


class ProblemError(Exception):
    """The server refused or failed: RFC 9457 problem details.

    `status`, `title`, `detail` and `request_id` as sent; `errors` lists every invalid place, each with `pointer` or
    `parameter` and `detail`.
    """

    def __init__(self, status, problem=None):
        problem = problem or {}
        self.status = status
        self.type = problem.get("type", "about:blank")
        self.title = problem.get("title", "The server failed")
        self.detail = problem.get("detail") or ""
        self.errors = problem.get("errors") or []
        self.request_id = problem.get("request_id", "")
        places = "".join(f"\n  {error.get('pointer') or error.get('parameter') or ''}: {error.get('detail')}"
                         for error in self.errors)
        super().__init__(f"{status} {self.title}: {self.detail}{places} ({self.request_id})")


class JobFailed(Exception):
    """The awaited job did not succeed. `job` is its last state."""

    def __init__(self, job):
        self.job = job
        super().__init__(f"{job.id} {job.state}: {job.error or 'no reason was given'}")
