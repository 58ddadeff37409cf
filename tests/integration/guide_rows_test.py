"""What somebody finds who follows the five guides to the letter, on one server: each case is one of their rows. Others have
tests beside what they are about: variables and `.env` files (settings_test), goals and batches (goal_test), diagnoses
(training_test), language models and pairs (profile_test), RunMonitor's lines (measurements_test)."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import unittest.mock

from harness import BIN, PATIENCE, Server

CARD = {"name": "Lab card", "vram_gb": 24, "batch_size_1d": 256, "batch_size_1h": 384, "max_workers": 2, "memory_per_model_1d": 6,
        "memory_per_model_1h": 8, "notes": "", "bandwidth_gb_s": 900, "fp32_tflops": 35}
REPORT = {"system_info": {"used_mb": 100.0, "temperature_c": 40}, "results": [
    {"model_name": "vader", "items_per_second": 54.58, "vram_used_mb": 10.0, "batch_results": []}]}


class GuideRows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        given = {"SENTIMENT_MODEL_NAME": "distilbert", "LLM_ENDPOINT_URL": "http://127.0.0.1:9/api/generate", "GPU_PROFILE": "rtx_5090"}
        with unittest.mock.patch.dict(os.environ, given):
            cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def run_alone(self, *arguments, check=True, **env):
        """Without a server, and without what this machine knows of its GPUs."""
        done = subprocess.run([BIN / "plimsoll", *arguments], env={"PATH": str(self.folder), "HOME": str(self.folder), **env},
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertTrue(not check or done.returncode == 0, done.stderr)
        return done

    def test_a_full_profile_keeps_what_succeeded(self):
        done = self.server.run("profile", "--mode", "full", "--class", "host", "--sentiment-model", "VADER", "--largest-batch", "2",
                               "--output-dir", self.folder / "full", check=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("Sentiment Model: vader", done.stdout)
        self.assertIn("Failed: llm/50: ", done.stdout)
        [file] = (self.folder / "full").iterdir()
        [model] = json.loads(file.read_text())["results"]
        # The guide's keys mean what they mean there.
        self.assertAlmostEqual(model["items_per_second"], 1000 / model["inference_time_ms"], delta=0.01 * model["items_per_second"])
        self.assertRegex(model["notes"], r"^Best speedup: \d+\.\d\dx at batch_size=\d\. ")

    def test_the_guides_report_is_a_baseline(self):
        (self.folder / "guide.json").write_text(json.dumps(REPORT))
        told = self.server.run("profile", "--mode", "sentiment", "--sentiment-model", "vader", "--largest-batch", "2", "--output-dir",
                               self.folder / "next", "--baseline", self.folder / "guide.json").stdout
        self.assertRegex(told, r"(?m)^vader, one at a time +54\.6 items/s ")
        self.assertRegex(told, r"(?m)^vader, device memory +10 MB ")

    def test_gpu_profiles(self):
        listed = self.run_alone("gpu-profiles", "list", GPU_PROFILE="rtx_5090").stdout
        self.assertRegex(listed, r"(?m)^rtx_5090 .*\(default\)")
        profiles = json.loads(self.run_alone("gpu-profiles", "list", "--json").stdout)
        self.assertIn("rtx_4090", json.dumps(profiles))
        sizes = [float(line.split(" GiB")[0].split()[-1]) for line in listed.splitlines() if " GiB" in line]
        self.assertEqual(sizes, sorted(sizes))
        told = self.run_alone("gpu-profiles", "test", "rtx_4090").stdout
        self.assertIn("guide's table: 3-4x speedup, five hourly models in about 45 minutes", told)
        self.assertIn("more memory than this GPU", self.run_alone("gpu-profiles", "recommend", "--memory-gib", "2", "--name", "Some card").stdout)
        (self.folder / "card.json").write_text(json.dumps(CARD))
        self.server.run("gpu-profiles", "add", "my_custom_gpu", self.folder / "card.json")
        self.assertIn("Lab card", self.server.run("gpu-profiles", "test", "my_custom_gpu").stdout)
        self.server.logged("GPU_PROFILE=rtx_5090")

    def test_the_guides_of_training_stand_beside_the_estimate(self):
        def rows(*arguments):
            [card] = json.loads(self.run_alone("estimate", *arguments, "--json").stdout)["gpus"]
            return {row["name"]: row for guide in card["guides"] for row in guide["rows"]}
        tweets = rows("--preset", "bert-base", "--gpu", "t4")
        for name in ("loader workers in its Colab block", "prefetch factor in its Colab block", "learning rate in its Colab block"):
            self.assertIsNotNone(tweets[name]["guide"], name)
        self.assertTrue(any(name.startswith("time of its run at batch") for name in tweets), tweets)
        self.assertFalse(any(name.startswith("speed at batch") for name in rows("--preset", "gpt2", "--gpu", "t4")), "another model's figures")
        hourly = rows("--preset", "temporal", "--gpu", "rtx_4090")["five hourly models by its table"]
        self.assertEqual(hourly["guide"], 45)

    def test_the_memory_guide(self):
        self.assertIn("The guide's 45 x 5 is for the 23.6 GiB", self.run_alone("guide", "--gpu-memory", "24").stdout)
        none = self.run_alone("guide", "--auto", check=False)
        self.assertNotIn("--memory-gib", none.stderr)
        self.assertIn("--gpu-memory", none.stderr)
        self.assertIn("--safety-margin", self.run_alone("guide", "--gpu-memory", "24", "--safety-margin", "1.5", check=False).stderr)

    def test_a_missing_default_model_is_told_everywhere(self):
        doctor = self.server.run("doctor", env={"SENTIMENT_MODEL_NAME": "distilbert"}, check=False).stdout
        self.assertIn("The default model distilbert is not installed here", doctor)
        self.server.logged("warn", "The default model distilbert is not installed here")
        job = self.api.wait(self.api.submit_texts(["good"]))
        self.assertEqual(self.api.results(job["id"])[0]["model"], "vader", "each row names its model")
        [choice] = self.api.get(f"/v1/jobs/{job['id']}/report").json["summary"]["choices"]
        self.assertEqual((choice["model"], choice["asked"], choice["fallback"]),
                         ("vader", "distilbert", "no worker has the default model distilbert"))
        self.assertIn("no worker has the default model distilbert", self.server.run("report", job["id"]).stdout)

    def test_a_watched_job_ends_with_its_rate(self):
        (self.folder / "texts.jsonl").write_text('{"text": "good"}\n' * 200)
        self.assertRegex(self.server.run("submit", "sentiment", self.folder / "texts.jsonl", "--watch").stdout, r"200 ok, 0 failed, .* items/s")

    def test_a_timed_wave_job_says_its_time(self):
        prices = "date,close\n" + "".join(f"2025-01-{day:02},{100 + day % 7}\n" for day in range(1, 29))
        (self.folder / "prices.csv").write_text(prices)
        told = self.server.run("submit", "waves", self.folder / "prices.csv", "--set", "profile=true", "--watch").stdout
        self.assertRegex(told, r"\d s of CPU time to search")

    def test_switches_are_written_as_people_write_them(self):
        for value in ("on", "true", "yes", "1", "off"):
            self.run_alone("serve", "--check-config", GPU_MEMORY_CLEANUP=value, FEATURE_ML_SENTIMENT=value)
        refused = self.run_alone("serve", "--check-config", GPU_MEMORY_CLEANUP="2", check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("must be true or false (also 1, yes, on; 0, no, off)", refused.stderr)


if __name__ == "__main__":
    unittest.main()
