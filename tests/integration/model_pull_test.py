"""`plimsoll model pull` against a stand-in for the hub."""

import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import hub
from harness import BIN, ROOT
from tiny_model import MAKE


class Pull(unittest.TestCase):
    """`plimsoll model pull`, which needs no server of ours."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-"))
        self.addCleanup(shutil.rmtree, self.folder)
        subprocess.run([sys.executable, "-B", MAKE, self.folder / "published"], check=True)
        self.hub = hub.start(self, self.folder / "published")

    def pull(self, *arguments, status=0, address=None, hosts="", largest_file=None):
        limit = largest_file and (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file)))
        # Python ignores the signal that the limit sends, and so does the program then: it sees the error.
        done = subprocess.run([BIN / "plimsoll", "--json", "model", "pull", *arguments], capture_output=True, text=True, env={
            **os.environ, "PLIMSOLL_HUB": address or f"http://127.0.0.1:{self.hub.server_port}", "HF_TOKEN": "secret",
            "PLIMSOLL_HUB_HOSTS": hosts, "PLIMSOLL_MODELS": str(self.folder / "models")}, preexec_fn=limit, restore_signals=False)
        if status is None:  # any failure
            self.assertNotEqual(done.returncode, 0)
        else:
            self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        return json.loads(done.stdout if status == 0 else done.stderr.splitlines()[-1])

    def left(self):
        return sorted(path.name for path in (self.folder / "models").iterdir()) if (self.folder / "models").exists() else []

    def test_a_model_is_fetched_and_installed(self):
        model = self.pull("desk/tiny", "--name", "tiny")
        self.assertEqual((model["source"], model["licence"]), ("desk/tiny@c0ffee", "apache-2.0"))
        self.assertEqual(sorted(file["name"] for file in model["files"]),
                         ["README.md", "config.json", "model.safetensors", "vocab.txt"])
        self.assertEqual(self.left(), ["tiny"])
        self.assertTrue(all(token == "Bearer secret" for _, token, _ in self.hub.asked))
        self.assertIn("already installed", self.pull("desk/tiny", "--name", "tiny", status=2)["error"]["message"])

    def test_an_estimate_fetches_the_configuration_alone(self):
        asks = [BIN / "plimsoll", "--json", "estimate", "--model", "desk/tiny", "--gpu", "t4"]
        for hub_files, status in ((self.hub.files, 0), ({}, 2)):
            self.hub.files = hub_files
            done = subprocess.run(asks, capture_output=True, text=True, env={
                **os.environ, "PLIMSOLL_HUB": f"http://127.0.0.1:{self.hub.server_port}", "HF_HOME": str(self.folder / "cache")})
            self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertEqual(self.hub.asked[0][0], "/desk/tiny/resolve/main/config.json")
        self.assertEqual(len(self.hub.asked), 2)
        self.assertIn("has no model", done.stderr)

    def test_a_broken_download_resumes(self):
        self.hub.tricks["cut"] = 50_000
        self.pull("desk/tiny", "--name", "tiny")
        ranges = [asked for path, _, asked in self.hub.asked if path == "/moved/model.safetensors"]
        self.assertEqual(ranges, [None, "bytes=50000-"])

    def test_two_pulls_of_the_same_files_do_not_collide(self):
        held = {"reached": threading.Event(), "release": threading.Event()}
        self.addCleanup(held["release"].set)
        self.hub.tricks["hold"] = held
        with concurrent.futures.ThreadPoolExecutor() as pool:
            first = pool.submit(self.pull, "desk/tiny", "--name", "tiny")
            held["reached"].wait()
            refused = self.pull("desk/tiny", "--name", "other", status=2)
            self.assertIn("Another pull on this machine is downloading these files", refused["error"]["message"])
            held["release"].set()
            self.assertEqual(first.result()["source"], "desk/tiny@c0ffee")
        self.assertEqual(self.left(), ["tiny"])

    def test_the_lines_of_the_documentation(self):
        page = (ROOT / "web/src/routes/docs/topics/troubleshooting.md").read_text("utf-8")
        pull, add, verify = re.search(r"^```sh\n(plimsoll model pull .*?)^```", page, re.S | re.M)[1].splitlines()
        # The name stands for a repository of the real hub, and one model has it: the second is added in its place.
        for line in (pull.replace("pull distilbert", "pull desk/tiny --name distilbert"), verify, "plimsoll model remove distilbert --force",
                     add.replace("FOLDER", str(self.folder / "published")), verify):
            done = subprocess.run(["bash", "-euc", line], capture_output=True, text=True, env={
                **os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "PLIMSOLL_HUB": f"http://127.0.0.1:{self.hub.server_port}",
                "PLIMSOLL_MODELS": str(self.folder / "models")})
            self.assertEqual(done.returncode, 0, line + "\n" + done.stderr)

    def test_a_file_that_differs_from_the_hubs_hash_is_not_kept(self):
        self.hub.tricks["sha256"] = "0" * 64
        self.assertIn("does not match the hub's hash", self.pull("desk/tiny", "--name", "tiny", status=2)["error"]["message"])
        self.assertNotIn("tiny", self.left())
        self.hub.tricks.clear()
        self.pull("desk/tiny", "--name", "tiny")

    def test_the_token_is_sent_only_to_allowed_hosts(self):
        for location in ("http://127.0.0.1:1/x", "https://example.com/x", "https://huggingface.co.example.com/x",
                         "file:///etc/passwd", "//example.com/x", "http://[::1"):
            self.hub.tricks["location"] = location
            told = self.pull("desk/tiny", "--name", "tiny", status=None)["error"]["message"]
            self.assertRegex(told, "not allowed|invalid URL", location)
            self.assertNotIn("token", told)
            self.assertEqual([path for path, _, _ in self.hub.asked if path.startswith("/moved")], [])

    def test_an_allowed_host_may_not_lead_to_a_private_address(self):
        self.hub.tricks["location"] = "https://localhost:9/x"
        told = self.pull("desk/tiny", "--name", "tiny", status=None, hosts="localhost")["error"]["message"]
        self.assertIn("has no address on the public internet", told)
        self.assertEqual(self.left(), [])

    def test_a_full_disk_is_reported_and_nothing_is_left(self):
        folder = self.folder / "models/.pull-c0ffee"
        folder.mkdir(parents=True)
        (folder / "model.safetensors.part").symlink_to("/dev/full")
        told = self.pull("desk/tiny", "--name", "tiny", status=4)["error"]["message"]
        self.assertEqual(told, "model.safetensors.part cannot be written: No space left on device.")
        self.assertEqual(self.left(), [])
        # What is fetched already fits, its copy does not.
        folder.mkdir(parents=True)
        for name, data in self.hub.files.items():
            (folder / name).write_bytes(data)
        told = self.pull("desk/tiny", "--name", "tiny", status=4, largest_file=20_000)["error"]["message"]
        self.assertEqual(told, "model.safetensors cannot be written: File too large.")
        self.assertEqual(self.left(), [])
        self.hub.tricks["size"] = 1 << 60
        told = self.pull("desk/tiny", "--name", "tiny", status=4)["error"]["message"]
        self.assertRegex(told, r"^desk/tiny needs \S+ MB in \S+ while it is added; \S+ MB is free\.$")
        self.assertEqual(self.left(), [])
        self.hub.tricks.clear()
        self.pull("desk/tiny", "--name", "tiny")

    def test_answers_and_headers_meant_to_harm_are_refused(self):
        self.hub.tricks["nested"] = 1_000_000
        self.assertIn("does not respond like a model hub", self.pull("desk/tiny", status=None)["error"]["message"])
        self.hub.tricks.clear()
        header = b'{"a":' + b"[" + b"{}," * 30_000_000 + b"0]}"
        self.hub.files["model.safetensors"] = len(header).to_bytes(8, "little") + header
        self.assertIn("limit of 4 MB", self.pull("desk/tiny", "--name", "tiny", status=None)["error"]["message"])
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(f"a header of 90 MB: {most} MB", flush=True)
        if "PLIMSOLL_SANITIZED" not in os.environ:  # AddressSanitizer's own memory counts
            self.assertLess(most, 300)

    def test_errors_are_reported(self):
        self.assertIn("has no model", self.pull("desk/other", "--name", "x", status=2)["error"]["message"])
        self.assertIn("OWNER/NAME", self.pull("../../x", status=2)["error"]["message"])
        self.hub.tricks["status"] = 401
        self.assertIn("HF_TOKEN", self.pull("desk/tiny", "--name", "x", status=3)["error"]["message"])
        self.hub.tricks.clear()
        del self.hub.files["config.json"]
        self.assertIn("config.json", self.pull("desk/tiny", "--name", "x", status=2)["error"]["message"])
        self.assertIn("plimsoll model add", self.pull("finbert", status=4, address="http://127.0.0.1:9")["error"]["message"])


if __name__ == "__main__":
    unittest.main()
