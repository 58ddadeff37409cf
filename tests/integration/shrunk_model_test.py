"""A model's file is truncated while a worker reads it: the worker dies of it, and nothing else is lost."""

import contextlib
import os
import pathlib
import time
import unittest

import tiny_model
from harness import PATIENCE, Server

WORDS = 3_000_000  # 384 MB: loading takes long enough to be met in the middle


class ShrunkModel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        tiny_model.write_large(cls.server.folder / "large", WORDS)
        cls.server.run("model", "add", cls.server.folder / "large", "--name", "large")
        tiny_model.install(cls.server, cls.api, "steady", there=("large",))
        cls.weights = cls.server.folder / "models/large/model.safetensors"
        tiny_model.until(cls.left_alone, "idle workers prove its forms")

    @classmethod
    def left_alone(cls):
        """Idle workers leave it to others for an hour after a trial that did not end."""
        [device] = [one["device"] for one in cls.api.get("/v1/devices").json["items"] if one["device"] != "host"]
        mark = cls.weights.parent / f"proving-{device}"
        mark.touch()
        return not cls.readers() and mark.exists()

    @classmethod
    def readers(cls):
        """The workers that have the file in their memory."""
        found = []
        for pid in cls.server.children("plimsoll-engine", "worker"):
            with contextlib.suppress(OSError):
                if str(cls.weights) in pathlib.Path(f"/proc/{pid}/maps").read_text():
                    found.append(pid)
        return found

    def submit(self, model, texts):
        return self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"model": model, "texts": texts}}).json["id"]

    def reader(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if readers := self.readers():
                return readers[0]
        raise AssertionError("no worker reads the model")

    def test_it_costs_a_worker_and_the_job_says_why(self):
        before = self.submit("steady", ["good news"])
        self.assertEqual(self.api.wait(before)["state"], "succeeded")
        job = self.submit("large", ["good news", "bad news"])
        pid = self.reader()
        os.truncate(self.weights, 100_000)
        after = self.submit("steady", ["good news", "bad news"])
        ended = self.api.wait(job)
        self.assertFalse(pathlib.Path(f"/proc/{pid}").exists(), "the worker that read it")
        self.assertEqual(ended["state"], "failed", ended)
        self.assertRegex(ended["error"], "model.safetensors")
        attempts = self.api.get(f"/v1/jobs/{job}/attempts").json["items"]
        self.assertEqual([one["outcome"] for one in attempts], ["worker_died", "quarantined"], attempts)
        self.assertEqual(self.api.wait(after)["state"], "succeeded")
        self.assertEqual([row["label"] for row in self.api.results(after)], ["positive", "negative"])
        self.assertEqual(self.api.results(before)[0]["compound"], self.api.results(after)[0]["compound"])


if __name__ == "__main__":
    unittest.main()
