"""Runs deploy/samples/ as users do: clients are generated from a running server and then call it. pip installs
previously fetched and checked packages (wheels); npm uses its registry.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))
from harness import BIN, Server  # noqa: E402, F401
from contract_proxy import ContractProxy  # noqa: E402

# The order of these headlines by VADER's score, which every sample prints.
BEST_NEWS_FIRST = ["h-1", "h-3", "h-2"]


def wheels():
    return subprocess.run([ROOT / "tests/clients/wheels"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.wheels = wheels()
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        cls.proxy = ContractProxy(cls.server.base)
        cls.addClassCleanup(cls.proxy.finish)

    def folder(self, sample):
        """A copy of the sample's folder, and the environment that its commands are read in."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-sample-"))
        self.addCleanup(shutil.rmtree, folder)
        for file in (ROOT / "deploy/samples" / sample).iterdir():
            if file.is_file():  # not what somebody's own run has left
                shutil.copy(file, folder)
        env = {**os.environ, "PLIMSOLL_SERVER": self.proxy.base, "PLIMSOLL_TOKEN": self.api.token,
               "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": self.wheels, "PIP_NO_COMPILE": "1",
               "NPM_CONFIG_FETCH_RETRIES": "5", "NPM_CONFIG_AUDIT": "false", "NPM_CONFIG_FUND": "false"}
        return folder, env

    def call(self, *command, fails=False, **where):
        done = subprocess.run(command, capture_output=True, text=True, timeout=1200, **where)
        self.assertEqual(done.returncode != 0, fails, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        return done

    def scores(self, output):
        lines = [line.split() for line in output.splitlines() if line[:1] in "+-" and "  h-" in line]
        return [line[1] for line in lines], [float(line[0]) for line in lines]

    def check_scores(self, output):
        order, scores = self.scores(output)
        self.assertEqual(order, BEST_NEWS_FIRST, output)
        self.assertEqual(scores, sorted(scores, reverse=True))
        job = self.api.get("/v1/jobs?limit=1").json["items"][0]
        self.assertEqual(scores, sorted((round(row["compound"], 4) for row in self.api.results(job["id"])),
                                        reverse=True))

    def test_curl(self):
        folder, env = self.folder("curl")
        done = self.call("./run.sh", cwd=folder, env=env)
        report, *table = done.stdout.splitlines()
        self.assertEqual(json.loads(report)["items"], {"total": 1, "ok": 1, "failed": 0})
        self.assertEqual(len(table), 2, "a heading and one row")
        again = self.call("./run.sh", cwd=folder, env=env)
        self.assertEqual(again.stdout, done.stdout, "its key makes no second job")
        refused = self.call("./run.sh", cwd=folder, env={**env, "PLIMSOLL_TOKEN": "plm_api_wrong"}, fails=True)
        self.assertIn("401", refused.stderr)

    def test_python(self):
        folder, env = self.folder("python")
        done = self.call("./run.sh", cwd=folder, env=env)
        self.assertNotIn("warning", done.stdout.lower(), "the contract generates cleanly")
        self.check_scores(done.stdout)
        # Errors come as typed problems.
        wrong = self.call(".venv/bin/python", "score.py", cwd=folder,
                          env={**env, "PLIMSOLL_TOKEN": "plm_api_wrong"}, fails=True)
        self.assertRegex(wrong.stderr, r"401 Unauthenticated: .* \(req_")
        sample = (folder / "score.py").read_text().replace('kind="sentiment"', 'kind="sentiment", priority=99')
        (folder / "eager.py").write_text(sample)
        refused = self.call(".venv/bin/python", "eager.py", cwd=folder, env=env, fails=True)
        self.assertRegex(refused.stderr, r"/priority .*\n.*422 .* \(req_")

    def test_typescript(self):
        folder, env = self.folder("typescript")
        self.check_scores(self.call("./run.sh", cwd=folder, env=env).stdout)
        wrong = self.call("node", "score.mts", cwd=folder, env={**env, "PLIMSOLL_TOKEN": "plm_api_wrong"}, fails=True)
        self.assertRegex(wrong.stderr, r"401 Unauthenticated: .* \(req_")


if __name__ == "__main__":
    unittest.main()
