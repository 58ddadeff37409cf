"""Jobs of kind profile and `plimsoll profile` through the real server, on the host and on PoCL. No number is judged:
how fast a machine is in a test is nobody's promise."""

import json
import pathlib
import re
import tempfile
import unittest

import harness


class Profile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def submit(self, **args):
        return self.api.post("/v1/jobs", {"kind": "profile", "args": args})

    def report(self, **args):
        reply = self.submit(**args)
        self.assertEqual(reply.status, 202, reply.body[:500])
        job = self.api.wait(reply.json["id"])
        self.assertEqual(job["state"], "succeeded", job)
        return self.api.get(job["links"]["report"]).json, self.api.results(job["id"])

    def test_a_device_is_profiled_on_its_worker(self):
        report, rows = self.report(mode="engine", device_class="cpu", limits={"largest_batch": 16})
        summary = report["summary"]
        self.assertEqual(report["items"], {"total": 7, "ok": 7, "failed": 0}, summary["errors"])
        self.assertEqual(summary["device"]["device"], "opencl:pocl:0")
        self.assertEqual(summary["engine"]["batches"]["points"][0]["batch_size"], 1)
        self.assertEqual([row["part"] for row in rows][:3], ["engine/peak", "engine/products", "engine/batches"])

    def test_what_no_schema_says_is_refused_with_its_place(self):
        reply = self.submit(mode="engine", device_class="host")
        self.assertEqual(reply.status, 422, reply.body)
        self.assertEqual([error["pointer"] for error in reply.json["errors"]], ["/args/device_class"])
        self.assertEqual(self.submit(limits={"largest_batch": 0}).status, 422)
        self.assertEqual(self.submit(mode="llama").status, 422)

    def test_the_command_line_writes_the_guides_file_and_compares(self):
        with tempfile.TemporaryDirectory() as folder:
            command = ("profile", "--mode", "sentiment", "--sentiment-model", "vader", "--largest-batch", "8",
                       "--output-dir")
            first = self.server.run(*command, f"{folder}/out/one")
            self.assertRegex(first.stdout, r"(?m)^Sentiment Model: vader\n  Load time: [\d.]+ ms\n"
                                           r"  Single item inference: [\d.]+ ms\n  Throughput: [\d.]+ items/sec\n"
                                           r"  VRAM used: [\d.]+ MB\n  Best speedup: [\d.]+x at batch_size=\d+$")
            files = list(pathlib.Path(folder, "out/one").iterdir())
            self.assertEqual(len(files), 1)
            self.assertTrue(re.fullmatch(r"gpu_profile_\d{8}_\d{6}\.json", files[0].name), files[0].name)
            written = json.loads(files[0].read_text())
            self.assertLessEqual({"generated_at", "system_info", "results", "summary"}, written.keys())
            self.assertEqual(written["results"][0]["batch_results"][0]["speedup_vs_1"], 1)
            second = self.server.run(*command, f"{folder}/out/two", "--baseline", str(files[0]))
            self.assertRegex(second.stdout, r"(?m)^vader short .*texts/s .*[+-][\d.]+ %$")
            as_json = self.server.run("--json", *command, f"{folder}/out/three")
            self.assertEqual(json.loads(as_json.stdout)["mode"], "sentiment")
            wrong = self.server.run(*command, folder, "--baseline", __file__, check=False)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn("no report of a profile", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
