"""The commands of the documentation, run as a reader would: page by page, each block in the order that it stands there.

A block whose first line says `no-run` needs a device, a network or another machine; tests/architecture/test_docs.py looks
at those, too. Those of operating are run by backup_test.py.
"""

import os
import re
import shutil
import subprocess
import unittest

from harness import BIN, PATIENCE, ROOT, Server

TOPICS = ROOT / "web/src/routes/docs/topics"


def blocks(name):
    return re.findall(r"^```sh\n(.*?)^```", (TOPICS / f"{name}.md").read_text("utf-8"), re.S | re.M)


class Docs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def environment(self):
        return {**self.server.environment(), "PATH": f"{BIN}:{os.environ['PATH']}",
                "PLIMSOLL_SERVER": self.server.base, "PLIMSOLL_TOKEN": self.api.token}

    def run_page(self, name):
        folder = self.server.folder / name
        shutil.copytree(ROOT / "deploy/samples", folder / "deploy/samples")
        env = self.environment()
        printed = {}
        for block in blocks(name):
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, env=env, capture_output=True,
                                  text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, f"{name}:\n{block}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            printed[block] = done.stdout + done.stderr
        return folder, printed

    def test_quick_start(self):
        folder, printed = self.run_page("quick-start")
        self.assertGreater(len(printed), 7)
        self.assertEqual((folder / "scores.csv").read_text().count("\n"), 4, "a heading and three rows")
        told = next(text for block, text in printed.items() if "apply advice.json" in block)
        self.assertIn("+bf16: true", told)
        self.assertIn("bf16: false", (folder / "training.yaml").read_text(), "a dry run changes nothing")

    def test_troubleshooting(self):
        _, printed = self.run_page("troubleshooting")
        self.assertGreater(len(printed), 15)

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

    def test_the_type_of_a_problem_is_an_address_of_the_server(self):
        problem = self.api.get("/v1/jobs/job_juggle").json
        self.assertTrue(problem["type"].startswith("/docs/problems/"), problem)
        page = self.api.get(problem["type"])
        self.assertEqual(page.status, 200)
        self.assertIn(b"<title>", page.body)


if __name__ == "__main__":
    unittest.main()
