"""Processes that die or hang: nothing is lost, nothing is recorded twice."""

import contextlib
import ctypes
import os
import pathlib
import signal
import time
import unittest

from harness import PATIENCE, Server, command_line, descendants

PR_SET_CHILD_SUBREAPER = 36


def state_of(pid):
    """A letter as in ps."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def waits_for(pid, number):
    """Whether a stopped process will get the signal when it continues."""
    pending = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("ShdPnd"))
    return int(pending.split()[1], 16) >> number - 1 & 1


class Faults(unittest.TestCase):
    def setUp(self):
        self.server = Server().start()
        self.addCleanup(self.server.remove)
        self.api = self.server.api()

    def check_exact(self, job, texts):
        ended = self.api.wait(job)
        self.assertEqual(ended["state"], "succeeded", ended)
        rows = self.api.results(job)
        self.assertEqual([row["index"] for row in rows], list(range(texts)))
        self.assertTrue(all(row["error"] is None for row in rows))
        report = self.api.get(f"/v1/jobs/{job}/report").json
        self.assertEqual(report["items"], {"total": texts, "ok": texts, "failed": 0})

    def workers(self):
        return self.server.children("plimsoll-engine", "worker", "host")

    def test_a_killed_worker_loses_and_duplicates_no_text(self):
        jobs = [self.api.submit_texts([f"good day number {i}, bad night" for i in range(10_000)]) for _ in range(8)]
        while not (old := self.workers()):  # it comes after the server is ready
            pass
        os.kill(old[0], signal.SIGKILL)
        for job in jobs:
            self.check_exact(job, 10_000)
        self.assertNotEqual(self.workers(), old)

    def test_all_jobs_are_there_after_the_server_was_killed(self):
        jobs = [self.api.submit_texts(["good", "bad"] * 500) for _ in range(20)]
        token = self.api.token
        self.server.kill()
        self.server.start()
        self.api.base = self.server.base
        self.api.token = token
        for job in jobs:
            self.check_exact(job, 1000)

    def test_a_stopped_database_is_503_and_recovers_without_a_restart(self):
        job = self.api.submit_texts(["before"])
        self.api.wait(job)
        # The postmaster and its backends stand still, as on a machine that hangs. It first: then it makes no others.
        postmaster = self.server.postmaster()
        os.kill(postmaster, signal.SIGSTOP)
        backends = descendants(postmaster)
        for pid in backends:
            os.kill(pid, signal.SIGSTOP)
        try:
            reply = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["x"]}})
            self.assertEqual(reply.status, 503, reply.body)
            self.assertTrue(int(reply.headers["Retry-After"]) >= 1)
            self.assertEqual(self.api.get("/readyz").status, 503)
            self.assertEqual(self.api.get("/healthz").status, 200)
        finally:
            for pid in (postmaster, *backends):
                os.kill(pid, signal.SIGCONT)
        self.check_recovery()

    def test_a_database_that_refuses_is_503_and_recovers_without_a_restart(self):
        # Immediate shutdown, as after a crash; the server starts its private PostgreSQL again.
        os.kill(self.server.postmaster(), signal.SIGQUIT)
        self.check_recovery()

    def test_a_database_that_cannot_start_at_once_is_started_later(self):
        # A backend that outlives its postmaster: PostgreSQL refuses to start beside it.
        postmaster = self.server.postmaster()
        os.kill(postmaster, signal.SIGSTOP)
        backends = descendants(postmaster)
        for pid in backends:
            os.kill(pid, signal.SIGSTOP)
        os.kill(postmaster, signal.SIGKILL)
        try:
            self.server.logged("cannot start the private PostgreSQL")
        finally:
            for pid in backends:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
        self.check_recovery()

    def test_a_database_that_recovers_from_a_crash_is_adopted(self):
        self.server.kill()
        parts = {command_line(pid).rpartition(": ")[2].strip(): pid for pid in descendants(self.server.postmaster())}
        # PostgreSQL restarts after the death of a part, and refuses connections until all others have ended.
        os.kill(parts["checkpointer"], signal.SIGSTOP)
        os.kill(parts["background writer"], signal.SIGKILL)
        self.server.start()
        self.api.base = self.server.base
        self.check_recovery()

    def test_an_acknowledged_job_outlives_a_database_that_writes_its_log_only_when_it_must(self):
        parts = {command_line(pid).rpartition(": ")[2].strip(): pid for pid in descendants(self.server.postmaster())}
        os.kill(parts["walwriter"], signal.SIGSTOP)
        jobs = [self.api.submit_texts(["good"] * (n + 1)) for n in range(3)]
        os.kill(parts["background writer"], signal.SIGKILL)
        while not waits_for(parts["walwriter"], signal.SIGQUIT):
            pass
        os.kill(parts["walwriter"], signal.SIGCONT)
        self.check_recovery()
        for texts, job in enumerate(jobs, 1):
            self.check_exact(job, texts)

    def test_a_killed_database_is_restarted_even_if_it_is_a_zombie(self):
        # As in a container without an init: PostgreSQL's parent is gone, and the process that inherits its children never reaps them.
        self.assertEqual(ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0)
        self.server.kill()
        os.kill(self.server.postmaster(), signal.SIGKILL)
        self.server.start()  # a postmaster that falls to us when it is orphaned
        self.api.base = self.server.base
        self.bury_nobody()
        self.check_recovery()
        self.server.kill()
        self.bury_nobody()
        self.server.start()
        self.api.base = self.server.base
        self.check_recovery()

    def bury_nobody(self):
        killed = self.server.postmaster()
        os.kill(killed, signal.SIGKILL)
        while state_of(killed) != "Z":
            pass

    def check_recovery(self):
        deadline = time.monotonic() + PATIENCE
        body = {"kind": "sentiment", "args": {"texts": ["good"] * 100}}
        while (reply := self.api.post("/v1/jobs", body)).status != 202:
            self.assertEqual(reply.status, 503, reply.body)
            self.assertGreaterEqual(int(reply.headers["Retry-After"]), 1)
            self.assertLess(time.monotonic(), deadline, "the server did not recover")
        self.check_exact(reply.json["id"], 100)
        self.assertEqual(self.api.get("/readyz").status, 200)


if __name__ == "__main__":
    unittest.main()
