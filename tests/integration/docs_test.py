"""The commands of the documentation, run as a reader would: page by page, block by block.

tests/architecture/test_docs.py lists the test that runs each page's blocks. backup_test.py runs the commands of
operating that back up and upgrade, own_database_test.py those of nodes, models_test.py those of models.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from certificate import make_authority, make_certificate
from harness import BIN, PATIENCE, ROOT, Server, answers

TOPICS = ROOT / "web/src/routes/docs/topics"


def blocks(path, language="sh"):
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text("utf-8"), re.S | re.M)


class Docs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def environment(self):
        return {**self.server.environment(), "PATH": f"{BIN}:{os.environ['PATH']}",
                "PLIMSOLL_SERVER": self.server.base, "PLIMSOLL_TOKEN": self.api.token}

    def run_page(self, path, fill=lambda block: block):
        folder = self.server.folder / path.stem
        shutil.copytree(ROOT / "deploy/samples", folder / "deploy/samples")
        env = self.environment()
        printed = {}
        for block in map(fill, blocks(path)):
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, env=env, capture_output=True,
                                  text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, f"{path}:\n{block}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            printed[block] = done.stdout + done.stderr
        return folder, printed

    def device(self):
        """The node and the name of a device that computes."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for device in self.api.get("/v1/devices").json["items"]:
                if device["device"] != "host" and device["state"] == "ready":
                    return device["node"], device["device"]
            time.sleep(0.1)  # workers tell with heartbeats, and nobody announces it
        raise AssertionError("no device is ready")

    def test_quick_start(self):
        folder, printed = self.run_page(TOPICS / "quick-start.md")
        self.assertGreater(len(printed), 7)
        self.assertEqual((folder / "scores.csv").read_text().count("\n"), 4, "a heading and three rows")
        told = next(text for block, text in printed.items() if "apply advice.json" in block)
        self.assertIn("+bf16: true", told)
        self.assertIn("bf16: false", (folder / "training.yaml").read_text(), "a dry run changes nothing")

    def test_training_runs(self):
        _, printed = self.run_page(TOPICS / "training.md")
        self.assertIn("+per_device_train_batch_size: 2", "".join(printed.values()))

    def test_data_schedules_and_teams(self):
        _, printed = self.run_page(TOPICS / "data-and-teams.md")
        self.assertIn("succeeded: 1 ok, 0 failed", "".join(printed.values()))

    def test_troubleshooting(self):
        node, device = self.device()

        def fill(block):
            if block.startswith("plimsoll model pull"):
                return "true"  # needs a hub: models_test.py has one
            return block.replace("NODE DEVICE", f"'{node}' '{device}'")

        _, printed = self.run_page(TOPICS / "troubleshooting.md", fill)
        self.assertGreater(len(printed), 18)
        self.assertIn("Freed", "".join(printed.values()))

    def test_the_readme(self):
        folder = self.server.folder / "readme"
        (folder / "build/release/bin").mkdir(parents=True)
        (folder / "build/release/bin/plimsoll").symlink_to(BIN / "plimsoll")
        job = self.api.submit_texts(["good"])
        (folder / "JOB.json").write_text('{"kind": "sentiment", "args": {"texts": ["calm"]}}')
        (folder / "FILE.csv").write_text("text\ncalm\n")
        shutil.copytree(ROOT / "deploy/samples", folder / "deploy/samples")
        commands, call = blocks(ROOT / "README.md")
        call = call.replace("http://127.0.0.1:7272", self.server.base)
        for block in (commands.replace("why JOB ", f"why {job} ").replace("add nightly", "add readme"), call + "\n"):
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, capture_output=True, text=True,
                                  env={**self.environment(), "plimsoll": str(BIN / "plimsoll")}, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, f"{block}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        self.assertEqual(json.loads(done.stdout)["kind"], "sentiment")

    def test_the_problem_that_is_explained_is_one_of_the_contract(self):
        [problem] = blocks(TOPICS / "problems.md", "json")
        contract = answers.contract_of(self.server.base)
        self.assertIsNone(contract.mismatch("#/components/schemas/Problem", True, problem))

    def test_the_index_of_tests(self):
        second, = blocks(ROOT / "tests/README.md")
        done = subprocess.run(["bash", "-euc", second], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_servers_of_operating(self):
        """Each `plimsoll serve` with flags, on a port and on data of its own, until it is ready."""
        lines = [block for block in blocks(ROOT / "deploy/OPERATING.md") if block.startswith("plimsoll serve --")]
        self.assertEqual(len(lines), 3)
        for line in lines:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-"))
            folder.chmod(0o755)
            self.addCleanup(shutil.rmtree, folder, True)
            chain, key = make_certificate(folder, make_authority(folder))
            shutil.copy(chain, folder / "chain.pem")
            shutil.copy(key, folder / "key.pem")
            # What the reader adds last: 0.0.0.0 would open a port of this machine to others.
            there = line.strip().replace("0.0.0.0", "127.0.0.1") + " --port 0 --engine.local false --data data"
            server = subprocess.Popen(["bash", "-euc", "exec " + there], cwd=folder, env=self.environment(), text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            try:
                scheme = "https" if "tls" in line else "http"
                self.assertTrue(any(said.startswith(f"ready {scheme}://") for said in server.stdout), line)
            finally:
                server.terminate()
                server.stdout.close()
                self.assertEqual(server.wait(PATIENCE), 0)

    def run_sample(self, name):
        folder = self.server.folder / "samples" / name
        shutil.copytree(ROOT / "deploy/samples" / name, folder)
        done = subprocess.run(["./run.sh"], cwd=folder, env=self.environment(), capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return folder, done.stdout

    def test_the_sample_of_the_profile_guide(self):
        folder, _ = self.run_sample("profile")
        self.assertEqual(len(list(folder.glob("out/profiling/gpu_profile_*.json"))), 2)

    def test_the_sample_of_policies_and_comparisons(self):
        folder, told = self.run_sample("desk")
        self.assertIn("rule 2: market regular", told)
        self.assertIn("instead of distilbert", told)
        self.assertIn("No model is recommended", told)
        self.assertTrue((folder / "to-label.jsonl").exists())

    def test_the_reference_of_commands_and_settings_is_current(self):
        done = subprocess.run([ROOT / "deploy/build/reference", "--check"], capture_output=True, text=True, check=False,
                              env={**os.environ, "PLIMSOLL_BIN": str(BIN)})
        self.assertEqual(done.returncode, 0, "run deploy/build/reference:\n" + done.stdout[-3000:])

    def test_the_type_of_a_problem_is_a_url_of_the_server(self):
        problem = self.api.get("/v1/jobs/job_juggle").json
        self.assertTrue(problem["type"].startswith("/docs/problems/"), problem)
        page = self.api.get(problem["type"])
        self.assertEqual(page.status, 200)
        self.assertIn(b"<title>", page.body)


if __name__ == "__main__":
    unittest.main()
