"""`plimsoll check`, and what puts it into pull requests: the hook and the action, as they are run."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import BIN, ROOT

TRAINER = "model_name_or_path: bert-base-uncased\nbf16: true\noutput_dir: out\nper_device_train_batch_size: {}\n"


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-check-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "fits.yaml").write_text(TRAINER.format(64))
        (self.folder / "grown.yaml").write_text(TRAINER.format(6400))
        (self.folder / "other.yaml").write_text("services: {web: {image: nginx}}\n")
        self.env = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}

    def check(self, *arguments, status):
        done = subprocess.run([BIN / "plimsoll", *arguments], cwd=self.folder, capture_output=True, text=True, env=self.env)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def test_a_line_a_file_and_the_batch_that_fits(self):
        self.assertRegex(self.check("check", "fits.yaml", "--gpu", "t4", status=0),
                         r"^fits\.yaml: fits: bert-base with a batch of 64 takes [\d.]+ GiB, \d+ % of t4\n$")
        told = self.check("check", "fits.yaml", "grown.yaml", "--gpu", "t4", status=1).splitlines()
        self.assertEqual(len(told), 2)
        batch = re.search(r"^grown\.yaml: does not fit: .* a batch of 6400 takes .*; lower the batch to (\d+)$", told[1])[1]
        (self.folder / "grown.yaml").write_text(TRAINER.format(batch))
        self.assertIn(": fits", self.check("check", "grown.yaml", "--gpu", "t4", status=0))
        (self.folder / "grown.yaml").write_text(TRAINER.format(int(batch) * 2))
        self.check("check", "grown.yaml", "--gpu", "t4", status=1)

    def test_what_cannot_be_judged_is_not_passed(self):
        told = self.check("check", "grown.yaml", "other.yaml", "missing.yaml", "--gpu", "t4", status=2)
        self.assertRegex(told, r"(?m)^grown\.yaml: does not fit")
        for name in ("other.yaml", "missing.yaml"):
            self.assertRegex(told, rf"(?m)^{name}: cannot be judged: ")
        runs = json.loads(self.check("--json", "check", "fits.yaml", "other.yaml", "--gpu", "t4", status=2))["runs"]
        self.assertEqual([(one["path"], one.get("fits"), "error" in one) for one in runs],
                         [("fits.yaml", "yes", False), ("other.yaml", None, True)])

    def test_the_action_fails_with_the_line_of_the_file(self):
        action = (ROOT / "deploy/action/action.yml").read_text("utf-8")
        script = re.search(r"      run: \|\n(.*)", action, re.S)[1].replace("\n        ", "\n")
        # In place of a virtual environment that pip fills from an index.
        programs = self.folder / "runner/plimsoll/bin"
        programs.mkdir(parents=True)
        (programs / "plimsoll").symlink_to(BIN / "plimsoll")
        (programs / "pip").write_text("#!/bin/sh\n[ $PACKAGE != refused ] || { echo 401 Unauthorized; exit 1; }\n")
        (programs / "pip").chmod(0o755)
        script = re.sub(r"(?m)^.*-m venv .*\n", "", script)
        for files, status in (("fits.yaml", 0), ("fits.yaml grown.yaml", 1), ("fits.yaml", 2)):
            summary = self.folder / "summary.md"
            done = subprocess.run(["bash", "-e", "-c", script], cwd=self.folder, capture_output=True, text=True, env={
                **self.env, "RUNNER_TEMP": str(self.folder / "runner"), "GITHUB_STEP_SUMMARY": str(summary), "FILES": files,
                "GPU": "t4", "OPTIONS": "--sequence-length 128", "PACKAGE": "refused" if status == 2 else "plimsoll"})
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertEqual(re.findall("::error title=plimsoll check::(.*?) ", done.stdout), [[], ["A"], ["refused"]][status])
            self.assertEqual(summary.read_text().count("grown.yaml: does not fit"), min(status, 1))

    def test_the_hook_runs_the_lines_of_the_documentation(self):
        hook = re.search(r"entry: (.*)", (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))[1]
        arguments = re.search(r"args: \[(.*)\]\}", (ROOT / "deploy/README.md").read_text("utf-8"))[1].split(", ")
        done = subprocess.run([*hook.split(), *arguments, "fits.yaml"], cwd=self.folder, capture_output=True, text=True, env=self.env)
        self.assertEqual((done.returncode, done.stdout.count("\n")), (1, 1), done.stdout + done.stderr)
        self.assertIn("llama-8b with a batch of 64", done.stdout)


if __name__ == "__main__":
    unittest.main()
