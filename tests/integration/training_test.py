"""Training advice through the real server: estimates, jobs of the kind training-config, its command line."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import harness

BERT = {"model": {"preset": "bert-base"}, "training": {"sequence_length": 128}, "gpus": ["rtx_4090"],
        "what_ifs": False}


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def estimate(self, **args):
        return self.api.post("/v1/estimates", {"kind": "training-config", "args": {**BERT, **args}})

    def card(self, **args):
        reply = self.estimate(**args)
        self.assertEqual(reply.status, 200, reply.body[:500])
        return reply.json["summary"]["gpus"][0]

    def assert_refused(self, pointer, words, **args):
        reply = self.estimate(**args)
        self.assertEqual(reply.status, 422, reply.body[:500])
        found = {error["pointer"]: error["detail"] for error in reply.json["errors"]}
        self.assertIn("/args" + pointer, found)
        self.assertIn(words, found["/args" + pointer])

    def test_an_estimate_sums_up_and_stays_below_the_load_line(self):
        card = self.card()
        self.assertEqual(card["fits"], "yes")
        self.assertEqual(sum(part["bytes"] for part in card["breakdown"]), card["memory"]["device_used_bytes"])
        self.assertLessEqual(card["memory"]["peak_reserved_bytes"], card["limit_bytes"])
        self.assertLessEqual(card["batch"], card["max_batch"])
        self.assertEqual(card["accumulation"]["exact"]["effective"], 32)

    def test_a_run_that_does_not_fit_gets_a_remedy(self):
        card = self.card(model={"preset": "llama-8b"}, gpus=["t4"], what_ifs=True)
        self.assertEqual((card["fits"], card["max_batch"]), ("no", 0))
        self.assertIsNone(card["accumulation"])
        self.assertIn("Of the GPUs with a built-in profile, the smallest on which it fits is", card["why"])

    def test_a_batch_above_the_largest_is_checked_as_requested(self):
        largest = self.card()["max_batch"]
        card = self.card(training={"sequence_length": 128, "batch": largest * 2})
        self.assertEqual((card["batch"], card["fits"]), (largest * 2, "no"))

    def test_bad_input_names_its_place_and_its_rule(self):
        self.assert_refused("/model/dimensions/layers", "at least 1",
                            model={"dimensions": {"family": "bert", "layers": 0, "hidden": 64}})
        self.assert_refused("/model/dimensions/heads", "do not divide",
                            model={"dimensions": {"family": "bert", "layers": 2, "hidden": 64, "heads": 7}})
        self.assert_refused("/model/config/num_attention_heads", "do not divide",
                            model={"config": {"model_type": "bert", "hidden_size": 768, "num_hidden_layers": 12,
                                              "num_attention_heads": 7, "intermediate_size": 3072,
                                              "vocab_size": 30522, "max_position_embeddings": 512,
                                              "type_vocab_size": 2}})
        self.assert_refused("/model/config/model_type", "mamba", model={"config": {"model_type": "mamba"}})
        self.assert_refused("/model/dimensions/hidden", "parameters",
                            model={"dimensions": {"family": "bert", "layers": 160, "hidden": 65536, "heads": 64}})
        self.assert_refused("/safety_margin", "at least 0.01", safety_margin=-0.5)
        self.assert_refused("/gpus/0", "Did you mean", gpus=["RTX 490"])
        self.assert_refused("/training/sequence_length", "positions", training={"sequence_length": 1024})
        self.assert_refused("/model", "Exactly one", model={})
        self.assert_refused("/learning_rate/base", "number", learning_rate={"base": None})
        not_a_number = b'{"kind": "training-config", "args": {"model": {"preset": "gpt2"}, "safety_margin": NaN}}'
        self.assertEqual(self.api.post("/v1/estimates", not_a_number).status, 400)

    def test_an_estimate_that_is_too_large_is_refused_and_works_as_a_job(self):
        args = {"model": {"preset": "gpt2-xl"}, "gpus": ["all"]}
        reply = self.api.post("/v1/estimates", {"kind": "training-config", "args": args})
        self.assertEqual(reply.status, 422)
        self.assertIn("submit a job", reply.json["errors"][0]["detail"])
        job = self.api.post("/v1/jobs", {"kind": "training-config", "args": {**args, "what_ifs": False}})
        self.assertEqual(job.status, 202, job.body[:500])
        self.assertEqual(self.api.wait(job.json["id"])["state"], "succeeded")

    def test_a_job_reports_the_same_as_the_estimate(self):
        args = {**BERT, "gpus": ["rtx_4090", "h200"], "what_ifs": True,
                "stages": [{"name": "long", "sequence_length": 512}], "cluster": {"cards": 4, "sharding": "zero2"}}
        job = self.api.post("/v1/jobs", {"kind": "training-config", "args": args}).json["id"]
        finished = self.api.wait(job)
        self.assertEqual(finished["state"], "succeeded")
        self.assertEqual(finished["progress"]["items_done"], 2)
        report = self.api.get(f"/v1/jobs/{job}/report").json
        estimate = self.estimate(**args).json
        self.assertEqual(report["summary"], estimate["summary"])
        self.assertEqual(report["items"], {"total": 2, "ok": 2, "failed": 0})
        first = report["summary"]["gpus"][0]
        self.assertTrue(first["what_ifs"])
        self.assertLess(first["stages"][0]["max_batch"], first["max_batch"])
        self.assertEqual(first["shard"]["cards"], 4)
        rows = self.api.results(job)
        self.assertEqual([(row["index"], row["gpu"]) for row in rows], [(0, "rtx_4090"), (1, "h200")])
        self.assertEqual(rows[0]["max_batch"], first["max_batch"])
        csv = self.api.get(f"/v1/jobs/{job}/results.csv").body.decode().splitlines()
        self.assertEqual((csv[0].split(",")[:3], len(csv)), (["index", "gpu", "name"], 3))

    def test_a_device_of_the_pool_is_measured_besides_the_reports(self):
        args = {"model": {"preset": "minilm-l6"}, "gpus": ["rtx_4090"], "what_ifs": False}
        job = self.api.post("/v1/jobs", {"kind": "training-config", "args": {**args, "probe": True}}).json["id"]
        self.assertEqual(self.api.wait(job)["state"], "succeeded")
        summary = self.api.get(f"/v1/jobs/{job}/report").json["summary"]
        device = summary["device"]
        self.assertIsNone(device["error"])
        self.assertTrue(device["address"].startswith("opencl:"))
        self.assertGreater(device["free_bytes"], 0)
        self.assertGreater(device["flops_per_second"], 0)
        self.assertIn((1536, 384), [(product["columns"], product["depth"]) for product in device["products"]])
        bases = {basis["number"]: basis["basis"] for basis in summary["bases"]}
        self.assertEqual(bases["memory of the run"], "modelled")
        self.assertEqual(bases["matrix products on " + device["name"]], "measured")
        # The cards' numbers are those of a job that measures nothing.
        plain = self.api.post("/v1/estimates", {"kind": "training-config", "args": args}).json["summary"]
        self.assertEqual(summary["gpus"], plain["gpus"])
        self.assertIsNone(plain["device"])
        card, measured = self.api.results(job)
        self.assertEqual((card["gpu"], measured["gpu"]), ("rtx_4090", "probe"))
        self.assertEqual((measured["name"], measured["fits"], measured["error"]), (device["name"], None, None))
        self.assert_refused("/probe", "Only a job can measure", probe=True)

    def test_the_cards_are_listed_with_their_sources(self):
        answer = self.api.get("/v1/gpu-profiles").json
        cards = {card["id"]: card for card in answer["items"]}
        self.assertEqual(answer["default"], "rtx_4090")
        self.assertGreaterEqual(len(cards), 21)
        self.assertTrue(all(card["memory_bytes"]["source"] for card in cards.values()))
        self.assertEqual(cards["h200"]["guide"]["batch_size_1h"], 5120)
        self.assertIsNone(cards["t4"]["guide"])

    def test_the_command_line_answers_without_a_server(self):
        told = self.server.run("estimate", "--preset", "bert-base", "--gpu", "rtx_4090", "--json").stdout
        card = self.card(model={"preset": "bert-base"}, training={}, gpus=["rtx_4090"])
        self.assertEqual(json.loads(told)["gpus"][0], card)
        text = self.server.run("estimate", "--preset", "bert-base", "--set", "workload.dataset_size=1000").stdout
        self.assertIn("NVIDIA RTX 4090", text)
        small = self.server.run("estimate", "--preset", "llama-8b", "--gpu", "t4", check=False)
        self.assertEqual(small.returncode, 1)
        self.assertIn("One sample needs", small.stdout)
        above = self.server.run("estimate", "--preset", "bert-base", "--gpu", "t4", "--batch", "4096", check=False)
        self.assertEqual(above.returncode, 1)
        self.assertIn("A batch of 4096 needs", above.stdout)
        wrong = self.server.run("estimate", "--preset", "bert-base", "--gpu", "H21", check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn('--gpu: There is no GPU profile named "H21"', wrong.stderr)
        for margin in ("nan", "-1"):
            self.assertEqual(self.server.run("estimate", "--preset", "gpt2", "--safety-margin", margin,
                                             check=False).returncode, 2)

    def test_the_command_line_knows_the_cards_and_the_guides(self):
        run = self.server.run
        self.assertIn("rtx_4090", run("gpu-profiles", "list").stdout)
        details = run("gpu-profiles", "test", "rtx_4090").stdout
        self.assertIn("five hourly models in 94 minutes", details)
        self.assertIn("warning: 2 x 12 GB + 2 CUDA contexts", details)
        self.assertIn("GPU_PROFILE=a100_80gb", run("gpu-profiles", "recommend", "--memory-gib", "79").stdout)
        self.assertEqual(run("gpu-profiles", "check", "h200", "--memory-gib", "24", check=False).returncode, 1)
        unknown = run("gpu-profiles", "test", "RTX 490", check=False)
        self.assertEqual(unknown.returncode, 2)
        self.assertIn('Did you mean "rtx_4090"?', unknown.stderr)
        self.assertIn("rtx_4090", run("gpu-profiles", "test", "RTX 4090").stdout)
        guide = run("guide", "--gpu-memory", "24").stdout
        self.assertIn("batch_size 46, n_positives 32, n_negatives 24, accumulate_grad_batches 5, effective 230", guide)
        self.assertIn("[guide]", run("diagnose", "--gpu-percent", "30").stdout)
        told = run("diagnose", "--out-of-memory", "--batch", "45", "--accumulation", "5").stdout
        self.assertIn("45 -> 34, accumulation 5 -> 7", told)
        told = run("diagnose", "--gpu-percent", "40", "--workers", "8", "--accumulation", "1", "--batch", "8", "--cpu-cores", "16").stdout
        self.assertIn("GPU utilization below 50 %", told)
        self.assertIn("--batch changes nothing here.", told)
        with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
            log.write("epoch 1\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 23.65 GiB of which "
                      "512.00 MiB is free. Process 7 has 4.00 GiB memory in use. Including non-PyTorch memory, this process has 19.15 GiB memory in use. "
                      "Of the allocated memory 16.20 GiB is allocated by PyTorch, and 2.10 GiB is reserved by PyTorch but unallocated.\n")
            log.flush()
            told = run("diagnose", log.name, "--batch", "64").stdout
        self.assertRegex(told, r"1\. 2\.10 GiB is reserved but in pieces.*expandable_segments:True")
        self.assertIn("2. other processes hold 4.00 GiB", told)
        self.assertIn("batch 64 -> 32, accumulation 1 -> 2", told)
        self.assertIn("holds no", run("diagnose", os.devnull, check=False).stderr)

    def test_every_command_of_the_table_of_the_guides_scripts_runs(self):
        readme = (harness.ROOT / "server/kinds/training_config/README.md").read_text()
        commands = re.findall(r"^\|.*\|.*\| `plimsoll ([^`]+)`", readme, re.M)
        self.assertGreaterEqual(len(commands), 12)
        for flag in ("--gpu-memory", "--auto", "--target-effective-batch", "--profile", "--apply", "--config-path",
                     "--list", "--test", "--recommend", "--check"):
            self.assertRegex(readme, rf"(?m)^\|[^|]*\| `{flag}[ `]", "every flag of the scripts has a row")
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder)
            (home / "conf").mkdir()
            config = "data_loader: {batch_size: 3}  # small\ntraining: {trainer: {accumulate_grad_batches: 5, gradient_clip_val: 1.0}}\n"
            (home / "conf/config.yaml").write_text(config)
            args = ("estimate", "--preset", "naics-4ch", "--lora", "8", "--json")
            (home / "report.json").write_text(self.server.run(*args).stdout)
            # What a driver says of the card that the guides' default profile is for.
            (home / "nvidia-smi").write_text("#!/bin/sh\necho 'NVIDIA GeForce RTX 4090, 24564'\n")
            (home / "nvidia-smi").chmod(0o755)
            env = {**os.environ, "PATH": f"{home}:{os.environ['PATH']}"}
            for command in commands:
                done = subprocess.run([harness.BIN / "plimsoll", *command.split()], cwd=home, env=env,
                                      capture_output=True, text=True, timeout=harness.PATIENCE)
                self.assertEqual(done.returncode, 0, (command, done.stdout, done.stderr))
                self.assertTrue(done.stdout.strip(), command)
            self.assertEqual((home / "conf/config.yaml").read_text(), config)

    def test_every_command_without_a_server_speaks_json(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "conf").mkdir()
            (folder / "conf/config.yaml").write_text("data_loader: {batch_size: 4}\ntrainer: {max_epochs: 3}\n")
            report = self.server.run("estimate", "--preset", "naics-4ch", "--gpu", "RTX 6000", "--json").stdout
            (folder / "report.json").write_text(report)
            shown = {}
            for name, *arguments in (("show-config", folder / "conf"), ("diagnose", "--memory-percent", "97"),
                                     ("guide", "--gpu-memory", "24"), ("gpu-profiles", "list"),
                                     ("gpu-profiles", "test", "t4"), ("gpu-profiles", "check", "t4", "--memory-gib", "15"),
                                     ("gpu-profiles", "recommend", "--memory-gib", "15", "--name", "Tesla T4"),
                                     ("apply", folder / "report.json", folder / "conf/config.yaml")):
                done = self.server.run(name, *arguments, "--json", check=False)
                shown[f"{name} {arguments[0]}"] = json.loads(done.stdout)
            self.assertEqual(shown["gpu-profiles recommend"]["gpu_profile"], "t4")
            self.assertEqual([stage["batch_size"] for stage in shown["guide --gpu-memory"]["stages"]][0], 46)
            [applied] = shown[f"apply {folder / 'report.json'}"]["files"]
            self.assertEqual(applied["structure"], "Lightning trainer and data")
            self.assertIn("batch_size: 8", (folder / "conf/config.yaml").read_text())
            # A folder, as show-config takes it, with a file of something else.
            (folder / "conf/config.yaml").write_text("data_loader: {batch_size: 4}\ntrainer: {max_epochs: 3}\n")
            (folder / "conf/other.json").write_text('{"colour": "blue"}')
            done = self.server.run("apply", folder / "report.json", folder / "conf", "--json", check=False)
            self.assertEqual([file["file"] for file in json.loads(done.stdout)["files"]], [str(folder / "conf/config.yaml")])
            self.assertIn("batch_size: 8", (folder / "conf/config.yaml").read_text())
            (folder / "conf/config.yaml").unlink()
            done = self.server.run("apply", folder / "report.json", folder / "conf", check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("None of its files has a known structure", done.stderr)
            for arguments in (["gpu-profiles", "test", "nothing"], ["estimate", "--preset", "bertha"], ["estimat"]):
                failed = self.server.run(*arguments, "--json", check=False)
                self.assertEqual(failed.returncode, 2)
                self.assertIn("code", json.loads(failed.stderr)["error"])

    def test_a_configuration_is_compared_alike_on_the_pages_and_on_the_command_line(self):
        files = {"hf.yaml": "num_train_epochs: 3\nper_device_train_batch_size: 3\ntorch_dtype: float32\nmax_seq_length: 77\n",
                 "peft.yaml": "num_train_epochs: 3\nper_device_train_batch_size: 3\nlora_r: 4\nload_in_8bit: true\n",
                 "accelerate.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: NO\nmixed_precision: 'no'\nnum_processes: 1\n",
                 "ds.json": '{"train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": "auto"}, "zero_optimization": {"stage": 1}}',
                 "config.yaml": "trainer: {max_epochs: 2, precision: 16}\ndata: {train: {batch_size: 8}, val: {batch_size: 512}}\n",
                 "own.yaml": "train: {bs: 8, lr: 2e-5}\nvalidation: {batch_size: 512}\n"}
        runs = ({"training": {"lora": {"rank": 16}, "quantization": "nf4", "checkpointing": True}},
                {"training": {"precision": "bf16", "checkpointing": True}, "cluster": {"cards": 4, "sharding": "fsdp"}})
        said = []
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for run in runs:
                args = {"model": {"preset": "llama-8b"}, "gpus": ["a100_80gb"], "what_ifs": False, **run}
                (folder / "report.json").write_text(json.dumps(self.estimate(**args).json["summary"]))
                for name, text in files.items():
                    (folder / name).write_text(text)
                    told = self.server.run("apply", folder / "report.json", folder / name, "--dry-run", "--json", check=False).stdout
                    [applied] = json.loads(told)["files"]
                    asked = {"args": args, "name": name, "text": text}
                    compared = self.api.post("/v1/configuration-comparisons", asked).json
                    self.assertEqual({"file": str(folder / name), "backup": None, **compared}, applied)
                    said += compared["differs"] + compared["notes"]
        said = "\n".join(said)
        for difference in ("max_seq_length is 77", "has no adapters", "lora_r is 4", "load_in_8bit quantizes", "distributed_type is NO"):
            self.assertIn(difference, said)

    def test_show_config_knows_published_names(self):
        with tempfile.TemporaryDirectory() as place:
            file = pathlib.Path(place) / "train.yaml"
            for published, preset in (("meta-llama/Meta-Llama-3-8B-Instruct", "llama-8b"), ("google-bert/bert-base-uncased", "bert-base"),
                                      ("microsoft/Phi-3-mini-4k-instruct", "phi-3-mini"), ("google/gemma-2-2b-it", "gemma-2-2b"),
                                      ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"),
                                      ("mistralai/Mistral-Nemo-Instruct-2407", "mistral-nemo-12b"), ("openai-community/gpt2", "gpt2")):
                file.write_text(f"model_name_or_path: {published}\noutput_dir: out\nper_device_train_batch_size: 2\n")
                shown = json.loads(self.server.run("show-config", file, "--json", "--gpu", "h200").stdout)
                self.assertEqual(shown["model"], preset, published)
            file.write_text("model_name_or_path: someone/never-heard-of\noutput_dir: out\nper_device_train_batch_size: 2\n")
            refused = self.server.run("show-config", file, check=False)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("never-heard-of is neither a preset nor on this machine", refused.stderr)

    def test_the_python_sample_prints_what_the_estimate_says(self):
        env = {**os.environ, "PLIMSOLL_SERVER": self.api.base, "PLIMSOLL_TOKEN": self.api.token}
        sample = harness.ROOT / "deploy/samples/training/estimate.py"
        told = subprocess.run(["python3", sample, "bert-base", "rtx_4090", "t4"], env=env, check=True,
                              capture_output=True, text=True, timeout=60).stdout
        card = self.card(training={})
        self.assertIn(f"rtx_4090: fits yes, batch {card['batch']} of at most {card['max_batch']}", told)
        self.assertIn("From rtx_4090 to t4:", told)
        wrong = subprocess.run(["python3", sample, "bertha", "t4"], env=env, capture_output=True, text=True, timeout=60)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("/args/model/preset", wrong.stderr)

    def test_the_teams_own_cards_on_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            card = pathlib.Path(folder) / "card.json"
            card.write_text('{"memory_gib": 30, "bandwidth_gb_s": 900, "fp32_tflops": 40}')
            self.server.run("gpu-profiles", "add", "cli_card", str(card))
        self.assertIn("cli_card", self.server.run("gpu-profiles", "own").stdout)
        self.server.run("gpu-profiles", "remove", "cli_card")
        self.assertIn("No team GPU profiles yet", self.server.run("gpu-profiles", "own").stdout)

    def test_observations_of_a_run_are_explained_with_the_estimate(self):
        seen = {"gpu_percent": 30, "memory_percent": 20, "batch": 8}
        causes = self.card(observed=seen)["diagnosis"]
        self.assertIn("raise the batch from 8 to", causes[0]["change"])
        self.assertTrue(any(cause["from_guide"] for cause in causes))
        causes = self.card(observed={**seen, "step_seconds": 10})["diagnosis"]
        self.assertRegex(causes[0]["cause"], "idle for 7 s of each step of 10 s; the modelled step takes .* s")
        self.assert_refused("/observed/step_seconds", "at least", observed={"step_seconds": 0})


if __name__ == "__main__":
    unittest.main()
