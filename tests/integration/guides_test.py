"""Every command and request of the kinds' guides in the pages, extracted from their sources and run as a reader would.

Placeholders (`job_…`, `data_…`, `prices.csv`) are filled in; the model `finbert` is the tiny one of the samples.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import unittest

from harness import BIN, PATIENCE, ROOT, Server
from tiny_model import install

KINDS = ROOT / "web/src/jobs"
SAMPLES = ROOT / "deploy/samples"


def page(kind):
    return (KINDS / kind / "guide/Guide.svelte").read_text("utf-8")


def objects(source):
    """The object literals of a script that become JSON, as Python values."""
    for start in re.finditer(r"JSON\.stringify\(\s*|const args: Args = ", source):
        depth = 0
        for at in range(start.end(), len(source)):
            depth += {"{": 1, "}": -1}.get(source[at], 0)
            if depth == 0:
                break
        literal = re.sub(r"([{,]\s*)([a-z_]+):", r'\1"\2":', source[start.end():at + 1])
        literal = re.sub(r"\bfalse\b", "False", re.sub(r"\btrue\b", "True", literal))
        if not re.search(r"[{,] args }", literal):  # { kind, args }: put together by the test
            yield ast.literal_eval(literal)


def commands(source):
    """What stands in code blocks and in <code> as `plimsoll …`; a literal's escapes are undone."""
    for text in re.findall(r"text=\{'((?:[^'\\]|\\.)*)'\}", source):
        yield text.replace("\\n", "\n").replace("\\\\", "\\")
    for text in re.findall(r"<code>(plimsoll \w[^<]*)</code>", source):
        yield " ".join(text.split())


class Guides(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        cls.folder = cls.server.folder / "guides"
        shutil.copytree(SAMPLES, cls.folder)
        (cls.folder / "reviews.csv").write_text("comment,posted_at,region,customer\nA wonderful year,2026-03-02T10:00:00Z,EU,7\n")
        (cls.folder / "labelled.csv").write_text("headline,gold\nA wonderful year,1\nA terrible loss,0\n")
        closes = (SAMPLES / "european_closes.csv").read_text().splitlines()
        (cls.folder / "prices.csv").write_text("\n".join([closes[0], *(line for line in closes[1:] if "DAX" in line)][:300]) + "\n")
        (cls.folder / "conf").mkdir()
        (cls.folder / "conf/train.yaml").write_text("per_device_train_batch_size: 8\ngradient_accumulation_steps: 4\nnum_train_epochs: 3\n")
        install(cls.server, cls.api, "finbert", "distilbert")

    def run_block(self, block, folder=None, status=0):
        env = {**self.server.environment(), "PATH": f"{BIN}:{os.environ['PATH']}", "PLIMSOLL_SERVER": self.server.base,
               "PLIMSOLL_TOKEN": self.api.token}
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder or self.folder, env=env, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, status, f"{block}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def accepted(self, spec):
        answer = self.api.post("/v1/jobs", spec)
        self.assertEqual(answer.status, 202, answer.body)
        job = self.api.wait(answer.json["id"])
        self.assertEqual(job["state"], "succeeded", job)
        return job

    def test_sentiment(self):
        source = page("sentiment")
        blocks = list(commands(source))
        self.assertGreater(len(blocks), 4)
        [request] = objects(source)
        self.accepted(request)
        self.run_block("plimsoll policy set desk desk/policy.json")
        for block in blocks:
            if block.startswith("plimsoll model pull"):
                continue  # needs a hub: models_test.py pulls from one of its own
            self.run_block(block + (" desk" if block == "plimsoll policy preview" else ""))
        self.assertTrue((self.folder / "to-label.jsonl").exists())
        self.run_block("./run.sh", self.folder / "models")

    def test_waves(self):
        source = page("waves")
        request, check = sorted(objects(source), key=lambda one: "kind" not in one)
        dataset = json.loads(self.server.run("datasets", "upload", SAMPLES / "european_closes.csv", "--json").stdout)["id"]
        request["args"] |= {"dataset": dataset, "surrogates": 20}
        self.accepted(request)
        shown = self.run_block("./run.sh", self.folder / "waves")
        self.assertIn("DAX", shown)
        sample = {"kind": "waves", "args": {"prices": (SAMPLES / "european_closes.csv").read_text(), "days": 500}}
        check["job_id"] = self.accepted(sample)["id"]
        answer = self.api.post("/v1/waves-checks", check)
        self.assertEqual(answer.status, 200, answer.body)
        blocks = list(commands(source))
        self.assertGreater(len(blocks), 1)
        for block in blocks:
            if block.endswith("--follow"):  # which waits for rows to come
                self.run_block("timeout -s INT 5 " + block, status=124)
            elif "prices.csv" in block:
                self.run_block(block)
                self.assertTrue(list(self.folder.rglob("*.png")), block)

    def test_profile(self):
        source = page("profile")
        [request] = objects(source)
        self.accepted(request)  # its run.sh: docs_test.py

    def test_training_advice(self):
        source = page("training-config")
        [args] = objects(source)
        (self.folder / "question.json").write_text(json.dumps({"kind": "training-config", "args": args}))
        rest = re.search(r"const rest = `(.*?)`;", source, re.S)[1].replace("\\\\", "\\")
        self.assertEqual(json.loads(self.run_block(rest))["summary"]["gpus"][0]["fits"], "yes")
        block = re.search(r"const commands = `(.*?)`;", source, re.S)[1]
        self.run_block(block)


if __name__ == "__main__":
    unittest.main()
