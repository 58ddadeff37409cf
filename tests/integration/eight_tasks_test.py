"""The first hour as a walk through eight tasks, in a pseudo-terminal of 80 and of 60 columns.

Each step is what a new user types, with only the README and the program's help, and what they expect in the output.
Lists fit the terminal's width.
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

import harness

sys.path.insert(0, str(harness.ROOT / "tests/clients"))
from samples_test import wheels  # noqa: E402

# Written from the types of the generated client.
ESTIMATE = """import os

from plimsoll_client import AuthenticatedClient
from plimsoll_client.api.advice import create_estimate
from plimsoll_client.models import TrainingConfigArgs, TrainingConfigEstimateSpec, TrainingModel

client = AuthenticatedClient(os.environ["PLIMSOLL_SERVER"], os.environ["PLIMSOLL_TOKEN"])
args = TrainingConfigArgs(model=TrainingModel(preset="bert-base"), gpus=["rtx_3090"])
estimate = create_estimate.sync(client=client, body=TrainingConfigEstimateSpec(kind="training-config", args=args))
for card in estimate.summary.gpus:
    print(card.gpu.id, card.batch)
"""

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Walk:
    """A person at a terminal of so many columns."""

    def __init__(self, server, folder, columns):
        self.server, self.folder, self.columns = server, folder, columns

    def types(self, *words, status=0):
        """What the screen shows until the command ends."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 40, self.columns, 0, 0))
            environment = {**self.server.environment(), "NO_COLOR": "1"}
            os.execve(harness.BIN / "plimsoll", ["plimsoll", *map(str, words)], environment)
        shown = b""
        deadline = time.monotonic() + harness.PATIENCE
        while True:
            if not select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                os.kill(pid, 9)
                raise AssertionError(f"{words} did not end: {shown[-500:]}")
            try:
                piece = os.read(terminal, 1 << 16)
            except OSError:  # what Linux says when the other side has closed
                break
            if not piece:
                break
            shown += piece
        os.close(terminal)
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        screen = ESCAPES.sub("", shown.decode()).replace("\r\n", "\n")
        assert ended == status, (words, ended, screen)
        return screen

    def lists(self, *words, status=0):
        """The same for a list, none of whose lines the terminal has to break."""
        screen = self.types(*words, status=status)
        for line in screen.splitlines():
            assert len(line) <= self.columns, (words, self.columns, line)
        return screen


class EightTasks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def walks(self):
        for columns in (80, 60):
            with tempfile.TemporaryDirectory() as folder:
                yield Walk(self.server, pathlib.Path(folder), columns)

    def test_1_a_batch_for_bert_on_a_card(self):
        for walk in self.walks():
            self.assertIn("estimate", walk.lists("--help"))
            self.assertIn("rtx_3090", walk.lists("gpu-profiles", "list"))
            told = walk.types("estimate", "--preset", "bert-base", "--gpu", "RTX 3090")
            self.assertRegex(told, r"batch \d+ \(largest \d+\), accumulation \d+")
            self.assertIn("per_device_train_batch_size=", told)
            self.assertIn("Assumed (change with the flag", told)
            self.assertNotIn("Training utilization guide", told)
            self.assertLess(len(told.splitlines()), 45)
            self.assertIn("fragmentation", walk.types("estimate", "--preset", "bert-base", "--gpu", "RTX 3090", "--details"))
            self.assertIn("train_micro_batch_size_per_gpu",
                          walk.types("estimate", "--preset", "bert-base", "--gpu", "RTX 3090", "--paste", "deepspeed"))

    def test_2_adapters_for_a_llama(self):
        for walk in self.walks():
            wrong = walk.types("estimate", "--preset", "llama-3-8bb", "--gpu", "A100", status=2)
            self.assertIn("Did you mean", wrong)
            told = walk.types("estimate", "--preset", "llama-8b", "--gpu", "a100_80gb", "--lora", "16")
            self.assertIn("LoRA of rank 16", told)
            self.assertRegex(told, r"batch \d+")

    def test_3_apply_to_a_configuration(self):
        for walk in self.walks():
            report = json.loads(self.server.run("estimate", "--preset", "bert-base", "--gpu", "rtx_3090", "--json").stdout)
            (walk.folder / "report.json").write_text(json.dumps(report))
            config = walk.folder / "train.yaml"
            config.write_text("per_device_train_batch_size: 8\ngradient_accumulation_steps: 4\nlearning_rate: 5.0e-5\nnum_train_epochs: 3\n")
            walk.types("apply", "report.json", "train.yaml")
            self.assertIn(f"per_device_train_batch_size: {report['gpus'][0]['batch']}", config.read_text())

    def test_4_score_a_file_with_odd_columns(self):
        for walk in self.walks():
            (walk.folder / "reviews.csv").write_text("region;ticket;comment\nEU;7;wonderful\nUS;8;awful\n")
            wrong = walk.types("submit", "sentiment", "reviews.csv", status=2)
            self.assertIn("--column text=COLUMN", wrong)
            told = walk.types("submit", "sentiment", "reviews.csv", "--column", "text=comment", "--column",
                              "custom_id=ticket", "--group-by", "region", "--keep", "region", "--watch")
            self.assertIn('separator: ";"', told)
            self.assertIn("succeeded: 2 ok, 0 failed", told)
            job = re.search(r"job_\w+", told)[0]
            short = job[-8:].lstrip("0")
            self.assertEqual(len(walk.lists("jobs").splitlines()), 1 + len(self.api.get("/v1/jobs").json["items"]))
            # Below it, what a device needs: "node device: why".
            devices = [line for line in walk.lists("devices").splitlines() if ": " not in line]
            self.assertEqual(len(devices), 1 + len(self.api.get("/v1/devices").json["items"]))
            self.assertRegex(walk.lists("jobs"), rf"(?m)^{short} .* [0-9]+s ago\b")
            self.assertIn("short ID", walk.types("report", "zzz", status=2))
            report = walk.types("report", short)
            self.assertRegex(report, r"(?m)^ *EU +1\b")
            self.assertRegex(report, r"(?m)^ *US +1\b")
            header, first, *_ = walk.types("results", job, "--format", "csv").splitlines()
            row = dict(zip(header.split(","), first.split(",")))
            self.assertEqual((row["custom_id"], row["text"], row["region"]), ("7", "wonderful", "EU"))

    def test_5_waves_of_a_price_file(self):
        sample = harness.ROOT / "deploy/samples/european_closes.csv"
        for walk in self.walks():
            self.assertIn("complete: yes", walk.types("waves", sample))
            told = walk.types("submit", "waves", sample, "--set", "days=200", "--watch")
            self.assertIn("succeeded: 4 ok, 0 failed", told)
            job = re.search(r"job_\w+", told)[0]
            shown = walk.types("report", job)
            self.assertIn("DAX", shown)
            ranking = shown[:shown.index("Rarity is")]
            self.assertTrue(all(len(line) <= walk.columns for line in ranking.splitlines()), ranking)

    def test_6_a_schedule(self):
        for walk in self.walks():
            (walk.folder / "job.json").write_text(json.dumps({"kind": "sentiment", "args": {"texts": ["calm"]}}))
            name = f"nightly-{walk.columns}"
            walk.types("schedules", "add", name, "--cron", "30 2 * * mon-fri", "--time-zone", "Europe/Berlin", "--job",
                       "job.json")
            self.assertIn(name, walk.lists("schedules", "list"))
            walk.types("schedules", "run", name)
            self.assertIn("job_", walk.lists("schedules", "runs", name))
            self.assertEqual(len(walk.lists("schedules", "next", "@daily").splitlines()), 5)

    def test_7_a_second_user_in_a_second_team_with_a_quota(self):
        data = ("--data", self.server.folder / "data")
        for walk in self.walks():
            team, user = f"research-{walk.columns}", f"ada-{walk.columns}"
            walk.types("admin", *data, "add-team", team)
            walk.types("admin", *data, "add-user", user)
            walk.types("admin", *data, "set-member", "--team", team, "--user", user, "--role", "member")
            self.assertIn(user, walk.lists("admin", *data, "users"))
            walk.types("queue", "share", team, "cpu", "--quota-seconds", "3600", "--quota-period", "day")
            walk.types("queue", "limit", team, "--queued-jobs", "100")
            self.assertIn(team, walk.lists("queue", "show"))
            link = walk.types("admin", *data, "sign-in-link", "--user", user, "--base-url", self.server.base)
            self.assertIn("/#/sign-in/plm_signin_", link)

    def test_8_a_script_in_python(self):
        """With a token of its own, on a client that is generated from the server as the documentation says."""
        for walk in self.walks():
            self.assertNotIn("tokens", walk.types("--help"))
            self.assertIn("tokens", walk.types("help", "all"))
            told = walk.types("tokens", "add", f"script-{walk.columns}")
            token = re.search(r"^plm_api_\S+$", told, re.MULTILINE)[0]
            self.assertIn(f"script-{walk.columns}", walk.lists("tokens", "list"))
        environment = {**os.environ, "PLIMSOLL_SERVER": self.api.base, "PLIMSOLL_TOKEN": token, "PIP_NO_INDEX": "1",
                       "PIP_FIND_LINKS": wheels(), "PIP_NO_COMPILE": "1"}
        with tempfile.TemporaryDirectory() as folder:
            for file in ("run.sh", "score.py"):
                shutil.copy(harness.ROOT / "deploy/samples/python" / file, folder)
            told = subprocess.run(["./run.sh"], cwd=folder, env=environment, check=True, capture_output=True, text=True,
                                  timeout=600).stdout
            (pathlib.Path(folder) / "estimate.py").write_text(ESTIMATE)
            card = subprocess.run([".venv/bin/python", "estimate.py"], cwd=folder, env=environment, check=True,
                                  capture_output=True, text=True, timeout=harness.PATIENCE).stdout
        self.assertRegex(told, r"(?m)^\+0\.\d{4}  h-1  Shares soar")
        self.assertRegex(card, r"^rtx_3090 \d+\n$")

    def test_errors_are_reported(self):
        for walk in self.walks():
            # Whether this machine has little memory left is no matter here.
            status = self.server.run("doctor", check=False).returncode
            self.assertIn("Signed in to", walk.lists("doctor", status=status))
            self.assertIn("Did you mean", walk.types("estimat", status=2))


if __name__ == "__main__":
    unittest.main()
