"""Jobs by a published model, from its files to its report, through the real server and PoCL."""

import datetime
import json
import pathlib
import random
import shutil
import subprocess
import sys
import time
import unittest

import tiny_model
from harness import BIN, PATIENCE, ROOT, Server

MAKE = ROOT / "deploy/samples/models/make_tiny_model.py"


class Sample(unittest.TestCase):
    def test_its_commands(self):
        server = Server().start()
        self.addCleanup(server.remove)
        server.api()
        done = subprocess.run(["./run.sh"], cwd=MAKE.parent, env={**server.environment(), "PLIMSOLL": BIN / "plimsoll"},
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("succeeded", done.stdout)


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        cls.published = cls.server.folder / "published"
        subprocess.run([sys.executable, "-B", MAKE, cls.published], check=True)
        # While workers run: they register anew.
        cls.server.run("model", "add", cls.published, "--name", "tiny", "--source", "tests")
        cls.hash = cls.offered("tiny")["hash"]

    @staticmethod
    def until(look, wanted):
        """What `look` finds, as soon as it is wanted: workers tell with heartbeats, and nobody announces it."""
        until = time.monotonic() + PATIENCE
        while True:
            found = look()
            if wanted(found):
                return found
            if time.monotonic() > until:
                raise AssertionError(found)
            time.sleep(0.1)

    @classmethod
    def offered(cls, name, there=True):
        """The model as the pool offers it, or no longer."""
        def look():
            listed = cls.api.get("/v1/models").json["items"]
            return next((model for model in listed if model["name"] == name), None)
        return cls.until(look, lambda found: (found is not None) == there)

    def scored(self, **args):
        job = self.api.wait(self.api.post("/v1/jobs", {"kind": "sentiment", "args": args}).json["id"])
        self.assertEqual(job["state"], "succeeded", job)
        return job, self.api.results(job["id"])

    def test_a_model_is_offered_with_its_manifest(self):
        listed = self.api.get("/v1/models").json
        self.assertEqual(listed["default"], "vader")
        self.assertEqual([model["name"] for model in listed["items"]], ["vader", "tiny"])
        tiny = listed["items"][1]
        self.assertEqual(tiny["labels"], ["positive", "negative", "neutral"])
        self.assertEqual(tiny["source"], "tests")
        self.assertEqual(len(tiny["devices"]), 1)
        self.assertIn("opencl:", tiny["devices"][0])
        self.assertIn("tiny", self.server.run("model", "list", "--pool").stdout)

    def test_texts_are_scored_by_it(self):
        texts = ["A brilliant quarter", "The plant closes after a disastrous fire", "Board meets", "A brilliant quarter", "",
                 "good " * 300]
        job, rows = self.scored(model="tiny", texts=texts)
        self.assertEqual([row["label"] for row in rows], ["positive", "negative", "neutral", "positive", "neutral", "positive"])
        self.assertEqual(rows[0]["compound"], rows[3]["compound"])
        self.assertEqual([row["truncated"] for row in rows], [False] * 5 + [True])
        self.assertEqual(rows[5]["tokens"], 302)
        summary = self.api.get(f"/v1/jobs/{job['id']}/report").json["summary"]
        self.assertEqual((summary["model"], summary["model_hash"]), ("tiny", self.hash))
        self.assertEqual(summary["reading"]["truncated"], 1)
        self.assertEqual(summary["reading"]["duplicates"], 1)
        self.assertEqual(job["args"]["model_hash"], self.hash)

    def test_scores_do_not_depend_on_the_form_of_input(self):
        draw = random.Random(3)
        words = "good bad strong weak profit loss shares quarter board union port rise fall storm deal".split()
        texts = [" ".join(draw.choice(words) for _ in range(draw.randrange(1, 40))) for _ in range(600)]
        expected = [row["compound"] for row in self.scored(model="tiny", texts=texts)[1]]
        self.assertGreater(len(set(expected)), 100)
        for size in (1, 7, 1024):
            self.assertEqual([row["compound"] for row in self.scored(model="tiny", texts=texts, batch_size=size)[1]], expected)
        reverse = self.scored(model="tiny", texts=texts[::-1])[1]
        self.assertEqual([row["compound"] for row in reverse][::-1], expected)
        path = self.server.folder / "texts.jsonl"
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        dataset = json.loads(self.server.run("datasets", "upload", path, "--json").stdout)["id"]
        job, rows = self.scored(model="tiny", dataset=dataset, columns={"text": "text"})
        self.assertEqual([row["compound"] for row in rows], expected)
        self.assertEqual([row["index"] for row in rows], list(range(600)))
        again = json.loads(self.server.run("submit", "sentiment", path, "--set", "model=vader", "--watch", "--json").stdout)
        self.assertEqual(self.api.results(again["id"])[0]["tokens"], None)

    def test_long_texts_are_read_in_windows_on_request(self):
        draw = random.Random(11)
        words = "good bad strong weak profit loss shares quarter board union port rise fall storm deal".split()
        sentences = [" ".join(draw.choice(words) for _ in range(draw.randrange(3, 60))) + draw.choice(".!?") for _ in range(12)]
        windows, tokens = [[]], 0  # of at most 128 tokens, two of them special; a word or a mark is one
        for sentence in sentences:
            own = len(sentence.split()) + 1
            if tokens + own > 126:
                windows.append([])
                tokens = 0
            windows[-1].append(sentence)
            tokens += own
        parts = [" ".join(window) for window in windows]
        self.assertGreater(len(parts), 2)
        job, rows = self.scored(model="tiny", texts=[*parts, " ".join(sentences)], long_texts="windows")
        *alone, whole = rows
        self.assertEqual([row["windows"] for row in rows], [1] * len(parts) + [len(parts)])
        self.assertEqual((whole["truncated"], whole["tokens"]), (False, 2 + sum(row["tokens"] - 2 for row in alone)))
        for share in ("positive", "neutral", "negative", "compound"):
            mean = sum((row["tokens"] - 2) * row[share] for row in alone) / (whole["tokens"] - 2)
            self.assertAlmostEqual(whole[share], mean, delta=2e-4)
        reading = self.api.get(f"/v1/jobs/{job['id']}/report").json["summary"]["reading"]
        self.assertEqual((reading["windowed"], reading["windows"], reading["truncated"]), (1, len(parts), 0))
        self.assertIn(f"1 text read in {len(parts)} windows", self.server.run("report", job["id"]).stdout)
        said = self.server.run("score", "--model", "tiny", "--long-texts", "windows", "--json", " ".join(sentences)).stdout
        self.assertEqual(json.loads(said)["items"][0]["compound"], whole["compound"])
        header = self.api.get(f"/v1/jobs/{job['id']}/results.csv").body.decode().splitlines()[0]
        self.assertIn(",windows,", header)

    def test_invalid_arguments_are_refused_with_the_field(self):
        for args, pointer in (({"model": "tinny", "texts": ["a"]}, "/args/model"),
                              ({"model": "Tiny", "texts": ["a"]}, "/args/model"),
                              ({"model": "vader", "batch_size": 5, "texts": ["a"]}, "/args/batch_size"),
                              ({"model": "vader", "long_texts": "windows", "texts": ["a"]}, "/args/long_texts"),
                              ({"model": "tiny", "long_texts": "whole", "texts": ["a"]}, "/args/long_texts"),
                              ({"model": "tiny", "batch_size": 0, "texts": ["a"]}, "/args/batch_size")):
            refused = self.api.post("/v1/jobs", {"kind": "sentiment", "args": args})
            self.assertEqual(refused.status, 422, args)
            self.assertEqual(refused.json["errors"][0]["pointer"], pointer)
        told = self.server.run("model", "add", self.published, "--name", "tiny", check=False)
        self.assertEqual(told.returncode, 2)
        self.assertIn("already installed", told.stderr)
        broken = self.server.folder / "broken"
        broken.mkdir()
        for name in ("vocab.txt", "model.safetensors"):
            shutil.copy(self.published / name, broken)
        (broken / "config.json").write_text('{"model_type": "gpt2"}')
        told = self.server.run("model", "add", broken, "--name", "broken", check=False)
        self.assertIn('"gpt2"; supported: bert, distilbert, roberta', told.stderr)

    def test_a_model_without_a_head_is_refused_with_the_reason(self):
        encoder = self.server.folder / "encoder"
        tiny_model.write_without_head(encoder)
        self.assertIn("It has no classification head", self.server.run("model", "add", encoder, "--name", "encoder").stderr)
        self.addCleanup(self.server.run, "model", "remove", "encoder", "--force")
        spec = {"kind": "sentiment", "args": {"model": "encoder", "texts": ["good"]}}
        refused = self.until(lambda: self.api.post("/v1/jobs", spec).json["errors"][0], lambda told: "No worker has" not in told["detail"])
        self.assertEqual(refused["pointer"], "/args/model")
        self.assertIn("has no classification head and cannot score texts", refused["detail"])
        self.assertIn("has no classification head", self.server.run("score", "--model", "encoder", "good", check=False).stderr)
        self.assertNotIn("encoder", [model["name"] for model in self.api.get("/v1/models").json["items"]])
        profile = self.api.post("/v1/jobs", {"kind": "profile", "args": {"mode": "sentiment", "sentiment_model": "encoder"}})
        self.assertIn("has no classification head", profile.json["errors"][0]["detail"])

    def proven(self, form):
        """The forms of the tiny model that idle workers have proven, this one among them."""
        def look():
            proofs = next(one for one in self.api.get("/v1/models").json["items"] if one["name"] == "tiny")["proofs"]
            return {proof["form"]: proof for proof in proofs}
        return self.until(look, lambda proofs: form in proofs)

    def test_idle_workers_prove_its_forms_and_jobs_of_every_sort_use_them(self):
        if "avx2" not in pathlib.Path("/proc/cpuinfo").read_text():
            self.skipTest("of processors with AVX2")
        proofs = self.proven("int8")
        self.assertEqual(proofs["int8"]["texts"], 512)
        self.assertIn("int8 by block_int8", self.server.run("model", "inspect", "tiny").stdout)
        form = "int8" if proofs["int8"]["passed"] else "fp32"
        asked = form if form == "int8" else "auto"
        texts = ["A brilliant quarter for the union", "Board meets"]
        _, rows = self.scored(model="tiny", texts=texts, form=asked)
        compounds = [row["compound"] for row in rows]
        job, rows = self.scored(models=["tiny", "vader"], texts=texts, form=asked)
        self.assertEqual([row["models"]["tiny"]["compound"] for row in rows], compounds)
        compared = self.api.get(f"/v1/jobs/{job['id']}/report").json["summary"]["compared"]["comparison"]
        self.assertEqual((compared["tiny"]["form"], compared["vader"]["form"]), (form, None))
        self.api.send("PUT", "/v1/policies/narrow", {"model": "tiny", "form": asked})
        job, rows = self.scored(policy="narrow", texts=texts)
        self.assertEqual([(row["form"], row["compound"]) for row in rows], [(form, one) for one in compounds])
        summary = self.api.get(f"/v1/jobs/{job['id']}/report").json["summary"]
        self.assertEqual((summary["form"], summary["choices"][0]["form"]), (form, form))
        answer = json.loads(self.server.run("score", "--model", "tiny", "--form", asked, "--json", *texts).stdout)
        self.assertEqual(answer["form"], form)
        self.assertEqual([item["compound"] for item in answer["items"]], compounds)

    def test_its_accuracy_is_reported_once_measured(self):
        self.server.run("model", "add", self.published, "--name", "judged")
        self.assertIn("Accuracy      not measured", self.server.run("model", "inspect", "judged").stdout)
        path = self.server.folder / "labelled.jsonl"
        labelled = [("A brilliant quarter", "up"), ("Board meets", "neutral"), ("The plant closes after a disastrous fire", "up")]
        path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in labelled))
        told = self.server.run("model", "verify", "judged", "--labels", path, check=False)
        self.assertIn('Line 1 has an unknown label "up"', told.stderr)
        told = self.server.run("model", "verify", "judged", "--labels", path, "--label-name", "up=positive")
        if "avx2" in pathlib.Path("/proc/cpuinfo").read_text():
            self.assertIn("The forms' proofs are unchanged: a proof needs at least 200 texts.", told.stdout)
        self.assertNotRegex(told.stdout, "(?m)^Forms .* of 3 labels")
        self.assertRegex(told.stdout, r"(?m)^fp32  accuracy 66\.7 % on 3 texts \(95 % interval: 20\.8 to 93\.9 %\)")
        self.assertRegex(told.stdout, r"(?m)^Accuracy +fp32 66\.7 % of 3 texts of labelled\.jsonl")
        measured = self.until(lambda: self.offered("judged"), lambda model: model["accuracies"])["accuracies"]
        exact = next(one for one in measured if one["form"] == "fp32")
        self.assertEqual((exact["texts"], exact["right"]), (3, 2))
        job, _ = self.scored(model="judged", texts=["Board meets"])
        [known] = self.api.get(f"/v1/jobs/{job['id']}/report").json["summary"]["accuracies"]
        self.assertEqual((known["model"], known["accuracy"]), ("judged", exact))
        self.until(lambda: self.api.get("/v1/models/judged/use").json, lambda use: not use["used"])
        self.server.run("model", "remove", "judged")

    def test_a_goal_chooses_among_the_models_of_the_pool(self):
        texts = ["A brilliant quarter", "Board meets"]
        job, _ = self.scored(goal="speed", texts=texts)
        self.assertEqual(job["args"]["model"], "vader")
        self.assertIn("The goal speed means distilbert, which no worker has", job["args"]["goal"]["reason"])
        self.server.run("model", "add", self.published, "--name", "distilbert")
        self.addCleanup(self.offered, "distilbert", there=False)  # other tests see it no more
        self.addCleanup(self.server.run, "model", "remove", "distilbert", "--force")
        self.offered("distilbert")
        self.scored(model="distilbert", texts=texts)

        def chosen():
            return self.api.post("/v1/score", {"goal": "speed", "form": "fp32", "texts": texts}).json
        # Usage is counted by a duty, after the job has ended.
        answer = self.until(chosen, lambda found: found["goal"]["measured"][0]["texts"] > 0)
        self.assertEqual((answer["model"], answer["form"]), ("distilbert", "fp32"))
        self.assertRegex(answer["goal"]["reason"], r"^The goal speed means distilbert\. distilbert in fp32: \S+ ms of device time per text, over")
        self.assertGreater(answer["goal"]["measured"][0]["seconds_per_text"], 0)
        job, _ = self.scored(goal="accuracy", texts=texts)
        summary = self.api.get(f"/v1/jobs/{job['id']}/report").json["summary"]
        self.assertEqual((summary["model"], summary["goal"]["means"]), ("distilbert", "finbert"))
        self.assertEqual(summary["goal"], job["args"]["goal"])
        told = self.server.run("score", "--goal", "speed", "--timeout", "60", *texts)
        self.assertIn("The goal speed means distilbert", told.stderr)
        both = self.api.post("/v1/score", {"goal": "speed", "model": "vader", "texts": texts})
        self.assertEqual((both.status, both.json["errors"][0]["pointer"]), (422, "/goal"))

    def test_what_uses_a_model_is_reported(self):
        use = lambda: self.api.get("/v1/models/tiny/use").json
        self.api.send("PUT", "/v1/policies/narrow_use", {"model": "vader", "rules": [{"sources": ["wire"], "model": "tiny"}]})
        schedule = self.api.post("/v1/schedules", {"name": "nightly", "cron": "0 3 * * *", "job": {
            "kind": "sentiment", "args": {"models": ["tiny", "vader"], "texts": ["good"]}}}).json["id"]
        told = use()
        self.assertTrue(told["used"])
        self.assertIn("narrow_use", [one["id"] for one in told["policies"]["items"]])
        self.assertEqual(told["schedules"], {"count": 1, "items": [{"id": schedule, "name": "nightly"}], "elsewhere": 0})
        self.api.send("DELETE", f"/v1/schedules/{schedule}")
        self.api.send("DELETE", "/v1/policies/narrow_use")
        self.assertEqual(use()["schedules"]["count"], 0)
        self.assertEqual(self.api.get("/v1/models/finbert/use").json["settings"], ["sentiment.model"])
        self.assertEqual(self.api.get("/v1/models/vader/use").status, 404)

    def test_a_model_that_is_removed_is_waited_for(self):
        self.server.run("model", "add", self.published, "--name", "brief")
        files = self.offered("brief")["hash"]
        later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=10)
        spec = {"kind": "sentiment", "args": {"model": "brief", "texts": ["good"]}}
        job = self.api.post("/v1/jobs", {**spec, "run_at": later.isoformat()}).json["id"]
        refused = self.server.run("model", "remove", "brief", check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn(f"The model brief is used by the job {job}.", refused.stderr)
        unknown = self.server.run("model", "remove", "brief", check=False, env={"PLIMSOLL_SERVER": "http://127.0.0.1:9"})
        self.assertIn("It is unknown whether jobs use the model", unknown.stderr)
        self.server.run("model", "remove", "brief", "--force")
        self.offered("brief", there=False)
        self.assertEqual(self.api.post("/v1/jobs", spec).status, 422)
        why = self.until(lambda: self.api.get(f"/v1/jobs/{job}/wait-reason").json, lambda told: told["reason"] == "no_fit")
        self.assertEqual(why["missing_models"], [{"name": "brief", "hash": files[:12], "form": "fp32"}])
        self.assertIn("It waits for the model brief, which no connected device of class cpu has", why["detail"])
        self.assertIn("plimsoll model pull brief", why["detail"])
        self.server.run("model", "add", self.published, "--name", "brief")
        self.assertEqual(self.api.wait(job)["state"], "succeeded")


if __name__ == "__main__":
    unittest.main()
