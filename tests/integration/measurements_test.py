"""Reports of real runs: the Python package of deploy/integrations on stand-ins for its libraries, against a real
server."""

import contextlib
import io
import os
import re
import subprocess
import sys
import unittest
from unittest import mock

import harness

sys.path[:0] = [str(harness.ROOT / "deploy/clients/python"), str(harness.ROOT / "tests/integration/stand_ins")]
import plimsoll.training as plimsoll  # noqa: E402
import lightning.pytorch  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402

MIB = 1 << 20
ARGS = {"model": {"preset": "bert-base"}, "training": {"sequence_length": 128}, "gpus": ["rtx_4090"],
        "what_ifs": False}


def step(batch):
    """A step that keeps 1 GiB and 48 MiB a sample until it ends."""
    return [torch.cuda.Tensor(1024 * MIB)] + [torch.cuda.Tensor(48 * MIB) for _ in range(batch)]


class Measurements(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        cls.where = plimsoll.Server(cls.api.base, cls.api.token)

    def setUp(self):
        torch.cuda.empty_cache()

    def tearDown(self):
        for one in self.listed():
            self.assertEqual(self.api.send("DELETE", "/v1/training-measurements/" + one["id"]).status, 204)

    def listed(self, job=None):
        path = "/v1/training-measurements" + (f"?job_id={job}" if job else "")
        return self.api.get(path).json["items"]

    def summary(self, **args):
        reply = self.api.post("/v1/estimates", {"kind": "training-config", "args": {**ARGS, **args}})
        self.assertEqual(reply.status, 200, reply.body[:500])
        return reply.json["summary"]

    def job(self):
        job = self.api.post("/v1/jobs", {"kind": "training-config", "args": ARGS}).json["id"]
        self.assertEqual(self.api.wait(job)["state"], "succeeded")
        return job

    def report(self, factor, **more):
        """A measurement of `factor` times what is predicted for it."""
        sent = {"source": "run", "args": ARGS, "gpu": {"name": "NVIDIA GeForce RTX 4090", "total_bytes": 24 << 30},
                "batch": 32, "measured": {"peak_reserved_bytes": 1 << 30}, **more}
        first = self.api.post("/v1/training-measurements", sent)
        self.assertEqual(first.status, 201, first.body[:500])
        self.api.send("DELETE", "/v1/training-measurements/" + first.json["id"])
        sent["measured"] = {"peak_reserved_bytes": round(first.json["predicted"]["peak_reserved_bytes"] * factor)}
        return self.api.post("/v1/training-measurements", sent).json

    def test_the_probe_finds_the_largest_batch_and_reports_it(self):
        found = plimsoll.probe(step, args=ARGS, server=self.where)
        # 8 GiB without the context's 512 MiB and the step's own 1 GiB, at 48 MiB a sample.
        self.assertEqual(found.largest_batch, (8192 - 512 - 1024) // 48)
        tried = [trial.batch for trial in found.trials]
        self.assertEqual(tried[:8], [1, 2, 4, 8, 16, 32, 64, 128])
        self.assertEqual(len(tried), len(set(tried)), "no batch is tried twice")
        self.assertEqual(found.answer["measured"]["max_batch"], found.largest_batch)
        self.assertEqual(found.answer["measured"]["peak_reserved_bytes"], (1024 + 48 * found.answer["batch"]) * MIB)
        self.assertEqual(found.answer["measured"]["context_bytes"], 512 * MIB)
        self.assertEqual(found.answer["gpu"]["id"], "rtx_4090")
        self.assertIn("largest batch", str(found))
        self.assertEqual([one["id"] for one in self.listed()], [found.answer["id"]])

    def test_the_programs_of_the_readme(self):
        readme = (harness.ROOT / "deploy/clients/python/plimsoll/training/README.md").read_text("utf-8")
        callbacks, probe = re.findall(r"```python\n(.*?)```", readme.replace("job_…", self.job()), re.S)
        # Of the user's own program, which the README leaves out.
        trainers = {name: mock.Mock() for name in ("transformers", "lightning")}
        optimizer, model, fake = mock.Mock(), mock.Mock(), mock.Mock()
        fake.randint = lambda low, high, shape, device: torch.cuda.Tensor(24 * MIB * shape[0])
        with mock.patch.dict("os.environ", {"PLIMSOLL_SERVER": self.api.base, "PLIMSOLL_TOKEN": self.api.token}):
            exec(compile(callbacks, "README.md", "exec"), dict(trainers))
            told = io.StringIO()
            with contextlib.redirect_stdout(told):
                exec(compile(probe, "README.md", "exec"), {"torch": fake, "optimizer": optimizer, "model": model})
        for trainer in trainers.values():
            self.assertEqual(len(trainer.Trainer.call_args.kwargs["callbacks"]), 1)
        self.assertIn("largest batch", told.getvalue())
        self.assertTrue(model.return_value.loss.backward.called)

    def test_a_probe_stops_at_its_maximum_and_at_other_errors(self):
        self.assertEqual(plimsoll.probe(step, args=ARGS, most=24, server=self.where).largest_batch, 24)
        huge = plimsoll.probe(lambda batch: step(1000), args=ARGS, server=self.where)
        self.assertEqual((huge.largest_batch, huge.answer), (0, None))
        with self.assertRaises(ZeroDivisionError):
            plimsoll.probe(lambda batch: 1 / 0, args=ARGS, server=self.where)

    def test_a_transformers_run_is_reported_to_its_report(self):
        job = self.job()
        callback = plimsoll.transformers_callback(job=job, server=self.where)
        transformers.train(callback, step, steps=350, batch=16, accumulation=2)
        self.assert_reported(self.listed(job), steps=[101, 201, 301, 350])

    def test_a_lightning_run_is_reported_to_its_report(self):
        job = self.job()
        callback = plimsoll.lightning_callback(job=job, every=50, server=self.where)
        lightning.pytorch.train(callback, step, steps=120, batch=16, accumulation=2)
        self.assert_reported(self.listed(job), steps=[51, 101, 120])

    def assert_reported(self, found, steps):
        self.assertEqual(len(found), 1)
        one = found[0]
        self.assertEqual((one["source"], one["model"], one["batch"], one["accumulation"]), ("run", "bert-base", 16, 2))
        self.assertEqual([sample["step"] for sample in one["samples"]], steps)
        self.assertEqual(one["samples"][0]["gpu_percent"], 87)
        self.assertEqual(one["measured"]["peak_reserved_bytes"], (1024 + 48 * 16) * MIB)
        self.assertGreater(one["measured"]["step_seconds"], 0)
        self.assertAlmostEqual(one["ratio"],
                               one["measured"]["peak_reserved_bytes"] / one["predicted"]["peak_reserved_bytes"])

    def test_an_unreachable_or_refusing_server_never_stops_a_training_run(self):
        for where in (plimsoll.Server(self.api.base, "plm_wrong"), plimsoll.Server("http://127.0.0.1:9", "plm_wrong")):
            monitor = plimsoll.RunMonitor(8, args=ARGS, server=where)
            monitor.begin()
            step(8)
            monitor.step()
            with self.assertLogs("plimsoll.training", "WARNING"):
                monitor.end()
            self.assertIsNone(monitor.answer)
            self.assertEqual(monitor.measurement["batch"], 8)

    def test_a_probe_that_the_server_refuses_keeps_what_it_found(self):
        with self.assertLogs("plimsoll.training", "WARNING"):
            found = plimsoll.probe(step, args=ARGS, most=4, server=plimsoll.Server(self.api.base, "plm_wrong"))
        self.assertEqual((found.largest_batch, found.answer, str(found)), (4, None, "largest batch 4"))

    def test_a_probe_names_its_error(self):
        with self.assertRaisesRegex(ValueError, "first=8 to most=4"):
            plimsoll.probe(step, args=ARGS, first=8, most=4, server=self.where)
        with mock.patch.object(torch.cuda, "is_available", lambda: False):
            with self.assertRaisesRegex(plimsoll.NoGpu, "PyTorch 2.11.0 finds no CUDA device"):
                plimsoll.probe(step, args=ARGS, server=self.where)

    def test_a_run_without_a_gpu_is_measured_as_far_as_possible_and_not_sent(self):
        with (mock.patch.object(torch.cuda, "is_available", lambda: False),
              self.assertLogs("plimsoll.training", "INFO") as logs):
            callback = plimsoll.transformers_callback(args=ARGS, every=10)
            transformers.train(callback, lambda batch: None, steps=25, batch=16, accumulation=2)
        measurement = callback.monitor.measurement
        self.assertEqual([sample["step"] for sample in measurement["samples"]], [11, 21, 25])
        self.assertGreater(measurement["measured"]["peak_resident_bytes"], MIB)
        self.assertIn("nothing is sent", logs.output[0])
        self.assertEqual(self.listed(), [])

    def test_lines_print_in_a_program_without_logging(self):
        program = ("from unittest import mock; import torch\nfrom plimsoll import training as plimsoll\n"
                   "with mock.patch.object(torch.cuda, 'is_available', lambda: False):\n"
                   "    monitor = plimsoll.RunMonitor(8, args={}, every=2)\n    monitor.begin()\n"
                   "    for _ in range(5):\n        monitor.step()\n    monitor.end()\n")
        told = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True, check=True)
        self.assertIn("step 3: ", told.stderr)

    def test_measurements_correct_later_estimates_and_are_shown_as_evidence(self):
        before = self.summary()
        self.assertIsNone(before["correction"])
        for factor in (1.30, 1.20, 1.10):
            self.report(factor)
        after = self.summary()
        self.assertAlmostEqual(after["correction"]["factor"], 1.2, places=3)
        self.assertEqual(len(after["correction"]["measurements"]), 3)
        card, was = after["gpus"][0], before["gpus"][0]
        self.assertLess(card["max_batch"], was["max_batch"])
        parts = {part["group"]: part["bytes"] for part in card["breakdown"]}
        self.assertAlmostEqual(parts["correction"], 0.2 * card["memory"]["peak_reserved_bytes"], delta=2e6)
        self.assertEqual(sum(parts.values()), card["memory"]["device_used_bytes"])
        # Another precision errs in another way; and a factor of 1 asks for the model alone.
        self.assertIsNone(self.summary(training={"precision": "fp32"})["correction"])
        self.assertEqual(self.summary(correction={"factor": 1, "measurements": []})["gpus"][0], was)
        # A job keeps the correction that it was made with.
        job = self.job()
        self.tearDown()
        self.assertIsNone(self.summary()["correction"])
        summary = self.api.get(f"/v1/jobs/{job}/report").json["summary"]
        self.assertEqual(summary["correction"], after["correction"])
        self.assertIn("corrected by 1.200", self.server.run("report", job).stdout)

    def test_an_invalid_measurement_names_the_field(self):
        good = {"source": "run", "args": ARGS, "gpu": {"name": "X", "total_bytes": 8 << 30}, "batch": 1,
                "measured": {"peak_reserved_bytes": 1}}

        def refused(pointer, **change):
            reply = self.api.post("/v1/training-measurements", {**good, **change})
            self.assertEqual(reply.status, 422, reply.body[:500])
            self.assertIn(pointer, [error["pointer"] for error in reply.json["errors"]])

        refused("/args/model/preset", args={"model": {"preset": "bertha"}})
        refused("/job_id", job_id="job_0000000000000")
        refused("/measured/peak_reserved_bytes", measured={"peak_reserved_bytes": 0})
        refused("/batch", batch=0)
        without = {name: value for name, value in good.items() if name != "args"}
        reply = self.api.post("/v1/training-measurements", without)
        self.assertEqual(reply.status, 422)
        self.assertIn("job_id", reply.json["errors"][0]["detail"])
        self.assertEqual(self.api.send("DELETE", "/v1/training-measurements/meas_0000000000000").status, 404)

    def test_the_teams_own_cards_are_named_like_any_other(self):
        card = {"name": "Lab card", "memory_gib": 46.1, "bandwidth_gb_s": 864, "fp32_tflops": 91.6,
                "bf16_tflops": 362, "compute_capability": 89, "multiprocessors": 142}
        self.assertEqual(self.api.send("PUT", "/v1/gpu-profiles/lab_card", card).status, 200)
        self.assertEqual(self.api.send("PUT", "/v1/gpu-profiles/lab_card", {**card, "memory_gib": 47}).status, 200)
        listed = {one["id"]: one for one in self.api.get("/v1/gpu-profiles").json["items"]}
        self.assertTrue(listed["lab_card"]["custom"])
        self.assertFalse(listed["t4"]["custom"])
        self.assertEqual(listed["lab_card"]["memory_bytes"]["value"], 47 << 30)
        summary = self.summary(gpus=["lab_card", "t4"])
        self.assertEqual([one["gpu"]["id"] for one in summary["gpus"]], ["lab_card", "t4"])
        self.assertEqual(summary["comparisons"][0]["to"], "t4")
        job = self.api.post("/v1/jobs", {"kind": "training-config", "args": {**ARGS, "gpus": ["lab_card"]}}).json["id"]
        self.assertEqual(self.api.wait(job)["state"], "succeeded")
        self.assertIn("Lab card", self.server.run("report", job).stdout)
        for pointer, wrong in (("/context_gib", {**card, "context_gib": 40}), ("/memory_gib", {**card, "memory_gib": 0})):
            reply = self.api.send("PUT", "/v1/gpu-profiles/lab_card", wrong)
            self.assertEqual((reply.status, reply.json["errors"][0]["pointer"]), (422, pointer))
        reply = self.api.send("PUT", "/v1/gpu-profiles/Lab", card)
        self.assertEqual((reply.status, reply.json["errors"][0]["pointer"]), (422, "/id"))
        self.assertEqual(self.api.send("DELETE", "/v1/gpu-profiles/lab_card").status, 204)
        self.assertEqual(self.api.send("DELETE", "/v1/gpu-profiles/lab_card").status, 404)
        self.assertEqual(self.api.send("DELETE", "/v1/gpu-profiles/t4").status, 404)

    def test_auto_reports_a_pool_without_a_gpu(self):
        reply = self.api.post("/v1/estimates", {"kind": "training-config", "args": {**ARGS, "gpus": ["auto"]}})
        self.assertEqual((reply.status, reply.json["errors"][0]["pointer"]), (422, "/args/gpus/0"))


if __name__ == "__main__":
    unittest.main()
