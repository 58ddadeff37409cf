"""Processes that die or stand still: nothing is lost, nothing is recorded twice."""

import os
import signal
import time
import unittest

from harness import Server, descendants


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

    def test_a_killed_worker_costs_no_text_and_doubles_none(self):
        jobs = [self.api.submit_texts([f"good day number {i}, bad night" for i in range(10_000)]) for _ in range(8)]
        old = self.workers()
        self.assertEqual(len(old), 1)
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
        # The postmaster and its backends stand still, as on a machine that hangs.
        postmaster = self.server.postmaster()
        family = [postmaster, *descendants(postmaster)]
        for pid in family:
            os.kill(pid, signal.SIGSTOP)
        try:
            began = time.monotonic()
            reply = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["x"]}})
            self.assertEqual(reply.status, 503, reply.body)
            self.assertTrue(int(reply.headers["Retry-After"]) >= 1)
            self.assertLess(time.monotonic() - began, 20)
            self.assertEqual(self.api.get("/readyz").status, 503)
            self.assertEqual(self.api.get("/healthz").status, 200)
        finally:
            for pid in family:
                os.kill(pid, signal.SIGCONT)
        self.until_ready()
        self.check_exact(self.api.submit_texts(["good"] * 100), 100)

    def test_a_database_that_refuses_is_503_and_recovers_without_a_restart(self):
        # Immediate shutdown, as after a crash; the server starts its private PostgreSQL again.
        os.kill(self.server.postmaster(), signal.SIGQUIT)
        statuses = set()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            reply = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["x"]}})
            statuses.add(reply.status)
            if reply.status == 202:
                break
            self.assertEqual(reply.status, 503, reply.body)
            self.assertTrue(int(reply.headers["Retry-After"]) >= 1)
        self.assertIn(202, statuses)
        self.check_exact(self.api.submit_texts(["good"] * 100), 100)

    def until_ready(self):
        deadline = time.monotonic() + 60
        while self.api.get("/readyz").status != 200:
            self.assertLess(time.monotonic(), deadline, "the server did not recover")


if __name__ == "__main__":
    unittest.main()
