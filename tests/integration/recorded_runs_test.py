"""Memory snapshots of PyTorch beside the estimates of their runs: on the command line and over the API."""

import contextlib
import json
import os
import pathlib
import pickle
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.parse
import xml.etree.ElementTree

import harness

BERT = {"model": {"preset": "bert-base"}, "training": {"sequence_length": 128}, "what_ifs": False}


def recording():
    """What PyTorch records of two steps on its second device."""
    def entry(action, at, size, *frames):
        return {"action": action, "addr": 4096 + (at << 30), "size": size, "stream": 0, "time_us": 1, "frames": [
            {"name": name, "filename": file, "line": 7} for name, file in frames]}
    forward, step = ("forward", "/lib/transformers/modeling_bert.py"), ("step", "/lib/torch/optim/adamw.py")
    mib = 1 << 20
    one = [entry("alloc", 2, 64 * mib, forward), entry("alloc", 3, 8 * mib), entry("free_completed", 2, 64 * mib),
           entry("free_completed", 3, 8 * mib, step)]
    return {"device_traces": [[], [entry("segment_alloc", 1, 512 * mib), *one, *one]], "allocator_settings": {"x": 0.5},
            "segments": [{"device": 1, "total_size": 612 * mib, "active_size": 100 * mib, "segment_pool_id": (0, 0),
                          "blocks": [{"size": 100 * mib, "state": "active_allocated", "frames": []}]}]}


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server(training__snapshot_mib=1).start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def test_a_snapshot_of_pytorch_lies_beside_the_estimate(self):
        mib = 1 << 20
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "snapshot.pickle"
            call = ("compare-memory", file, "--preset", "bert-base", "--gpu", "h100")
            for protocol in (2, 3, 4, 5):
                file.write_bytes(pickle.dumps(recording(), protocol))
                told = json.loads(self.server.run(*call, "--batch", "8", "--json").stdout)
                step = told["recorded"].pop("step")
                self.assertEqual(step["allocations"], [0, 2])  # as many as a drawing has columns
                self.assertEqual(step["gradients_bytes"], [0, 8 * mib])
                self.assertEqual(told["recorded"], {
                    "peak_allocated_bytes": 172 * mib, "peak_reserved_bytes": 612 * mib, "stage": "backward",
                    "parts_bytes": {"state": 100 * mib, "gradients": 8 * mib, "activations": 64 * mib, "temporary": 0}})
                self.assertEqual(told["parting"]["recorded"]["where"], "forward (modeling_bert.py:7)")
            self.assertIn("they part", self.server.run(*call, "--batch", "8").stdout)
            picture = pathlib.Path(folder) / "memory.svg"
            self.server.run(*call, "--batch", "8", "--picture", picture)
            texts = [text.text for text in xml.etree.ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")]
            self.assertIn("recorded: 0.17 GiB at most", texts)
            self.assertTrue(any(text.startswith("They part here: 0.06 GiB, forward (modeling_bert.py:7)") for text in texts), texts)
            for wrong in ("memory.txt", "missing/memory.svg"):
                self.assertIn("--picture", self.server.run(*call, "--batch", "8", "--picture", f"{folder}/{wrong}", check=False).stderr)
            self.assertIn("--batch", self.server.run(*call, check=False).stderr)
            file.write_bytes(pickle.dumps({"device_traces": subprocess.run}))
            self.assertIn("nothing in it is run", self.server.run(*call, "--batch", "8", check=False).stderr)

    def compare(self, body, job=None, api=None, query="?batch=8&gpu=h100"):
        return (api or self.api).post(f"/v1/jobs/{job or self.recorded_job()}/memory-comparisons{query}", body,
                                      headers={"Content-Type": "application/octet-stream"})

    def recorded_job(self):
        if not hasattr(Recorded, "job"):
            spec = {"kind": "training-config", "args": {**BERT, "gpus": ["rtx_4090", "h100"], "goal": "knee"}}
            Recorded.job = self.api.post("/v1/jobs", spec).json["id"]
        return Recorded.job

    def test_a_snapshot_is_compared_with_a_job_as_by_the_command(self):
        body = pickle.dumps(recording())
        compared = self.compare(body)
        self.assertEqual(compared.status, 200, compared.body[:500])
        with tempfile.TemporaryDirectory() as folder:
            snapshot, args = pathlib.Path(folder) / "snapshot.pickle", pathlib.Path(folder) / "args.json"
            snapshot.write_bytes(body)
            args.write_text(json.dumps({**BERT, "gpus": ["h100"]}))
            told = self.server.run("compare-memory", snapshot, args, "--batch", "8", "--json").stdout
        self.assertEqual(compared.json, json.loads(told))
        self.assertNotEqual(self.compare(body, query="?batch=16").json["predicted"], compared.json["predicted"])
        unnamed = self.api.post("/v1/jobs", {"kind": "training-config", "args": {"model": {"preset": "minilm-l6"}}}).json["id"]
        self.assertEqual(self.compare(body, unnamed, query="?batch=8").status, 200, "the default GPU")
        for query, status in (("", 400), ("?batch=0", 400), ("?batch=8&gpu=h1000", 422)):
            self.assertEqual(self.compare(body, query=query).status, status, query)

    def test_who_may_read_the_job_may_compare_it(self):
        self.server.admin("add-team", "divers")
        self.server.admin("set-member", "--user", "admin", "--team", "divers", "--role", "owner")
        body, job = pickle.dumps(recording()), self.recorded_job()
        self.assertEqual(self.compare(body, job, self.server.api("admin", "divers")).status, 404)
        self.assertEqual(self.compare(body, job, self.server.api("admin", "main", ("reports:read",))).status, 403)
        self.assertEqual(self.compare(body, job, harness.Api(self.server.base)).status, 401)
        self.assertEqual(self.compare(body, self.api.submit_texts(["calm"])).status, 404)

    def test_what_is_no_snapshot_is_refused_with_the_reason(self):
        whole = pickle.dumps(recording())
        endless = b"\x80\x04" + b"](" * 10_000
        for body, why in ((b"PK\x03\x04", "is no pickle"), (b"", "is no pickle"), (b"\x80\x06.", "newer protocol"),
                          (pickle.dumps({"segments": [], "device_traces": [[]]}), "_record_memory_history"),
                          (pickle.dumps({"device_traces": subprocess.run}), "nothing in it is run"),
                          (whole[:-100], "cut off or damaged"), (endless, "cut off or damaged"),
                          (endless + b"." , "no memory snapshot"), (b"\x80\x04X\xff\xff\xff\xff", "cut off or damaged"),
                          (whole.replace(b"modeling", b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8"), None)):
            reply = self.compare(body)
            self.assertEqual(reply.status, 422 if why else 200, reply.body[:300])
            if why:
                self.assertEqual(reply.json["type"], "/docs/problems/unreadable-file")
                self.assertIn(why, reply.json["detail"])
        self.assertIn("at most 1 MiB", self.compare(bytes(1 << 20) + b".").json["detail"])

    def test_an_upload_that_stalls_keeps_nobody_else_out_for_long_and_leaves_nothing(self):
        body, job = pickle.dumps(recording()), self.recorded_job()
        address = urllib.parse.urlsplit(self.server.base)
        with socket.create_connection((address.hostname, address.port)) as stalled:
            stalled.sendall((f"POST /v1/jobs/{job}/memory-comparisons?batch=8 HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: 400000\r\n"
                             f"Content-Type: application/octet-stream\r\nAuthorization: Bearer {self.api.token}\r\n\r\n").encode() + bytes(300_000))
            self.until(lambda: self.compare(body).status == 503, "a place that is taken")
            self.assertTrue(self.unnamed_files())
        self.until(lambda: self.compare(body).status == 200, "the place of one that is cut")
        self.until(lambda: not self.unnamed_files(), "no temporary file")

    def unnamed_files(self):
        links = []
        for entry in pathlib.Path(f"/proc/{self.server.process.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                links.append(os.readlink(entry))
        return [link for link in links if link.endswith("(deleted)") and "/memfd:" not in link]

    def until(self, true, what):
        end = time.monotonic() + harness.PATIENCE
        while not true():
            self.assertLess(time.monotonic(), end, what)


if __name__ == "__main__":
    unittest.main()
