"""Flags and arguments that would have no effect beside others are refused, each by its name.

Every row is a command line, or the arguments of a job, and what the refusal must name.
"""

import json
import unittest

from harness import Server

REFUSED = (
    ("estimate --preset bert-base --config config.json", "--preset"),
    ("estimate --preset bert-base --details --json", "--details"),
    ("estimate --preset bert-base --paste pytorch --json", "--paste"),
    ("estimate --preset bert-base --batch 8 --goal knee", "--goal knee"),
    ("estimate --preset bert-base --packed", "--packed"),
    ("estimate --preset bert-base --fused-loss", "--fused-loss"),
    ("estimate --preset bert-base --target-length 64", "--target-length"),
    ("estimate --preset bert-base --quantization nf4", "--quantization"),
    ("diagnose --json", "--gpu-percent"),
    ("guide --auto --gpu-memory 24", "cannot be combined with"),
    ("show-config stages --cards 4", "--cards"),
    ("show-config one.json --preset bert-base --config one.json", "--preset"),
    ("apply --restore train.yaml --dry-run", "--dry-run"),
    ("apply --restore train.yaml --gpu t4", "--gpu"),
    ("apply --restore train.yaml --stage 1", "--stage"),
    ("apply --restore train.yaml --rates", "--rates"),
    ("apply --restore train.yaml --map batch=a.b", "--map"),
    ("apply report.json train.yaml --only batch --keep accumulation", "cannot be combined with"),
    ("apply report.json train.yaml --only batch --rates", "cannot be combined with"),
    ("waves prices.csv --images png", "--images has no effect without --set save_images=true"),
    ("waves prices.csv --set save_images=true --images png --replay 3", "--images"),
    ("waves prices.csv --keys", "--keys"),
    ("waves --keys --preset whole", "--keys"),
    ("waves prices.csv --replay 3 --output out.txt", "--output"),
    ("waves prices.csv --replay 3 --format csv", "text or jsonl only"),
    ("waves prices.csv --format csv --json", "--format cannot be combined with --json"),
    ("waves prices.csv --replay 3 --check impulse", "cannot be combined with"),
    ("waves prices.csv --check impulse --format csv", "--check writes text or json only"),
    ("results JOB --format csv --json", "--format cannot be combined with --json"),
    ("datasets errors ds_0000000000001 --format csv --json", "--format cannot be combined with --json"),
    ("usage --csv --json", "--csv cannot be combined with --json"),
    ("audit --csv --json", "--csv cannot be combined with --json"),
    ("audit --csv --limit 3", "cannot be combined with"),
    ("devices --watch clean node device", "--watch"),
    ("completion bash --json", "omit --json"),
    ("redrive JOB --kind sentiment", "--kind has no effect without --all-failed"),
    ("redrive JOB --all-failed", "cannot be combined with"),
    ("submit sentiment args.json --column text=comment", "--column"),
    ("submit sentiment args.json --keep region", "--keep"),
    ("submit sentiment args.json --group-by region", "--group-by"),
    ("submit sentiment --set texts=[\"x\"] --keep region", "--column"),
    ("submit sentiment texts.csv --symbols a", "--symbols is for waves jobs only"),
    ("submit sentiment texts.csv --set texts=[\"x\"]", "Exactly one of"),
    ("submit sentiment texts.csv --timeout 0", "--timeout"),
    ("submit waves prices.csv --keep region", "--keep"),
    ("submit waves prices.csv --group-by region", "--group-by"),
    ("submit training-config args.json --keep region", "--keep"),
    ("submit profile args.json --column text=a", "--column"),
    ("score calm --model vader --policy desk", "cannot be combined with"),
    ("score calm --form bf16", "VADER has no forms"),
    ("compare-models texts.csv --models vader --disagreements d.jsonl", "--disagreements has no effect with one model"),
    ("profile --mode engine --sentiment-model vader", "measure a model"),
    ("profile --mode engine --form bf16", "measure a model"),
    ("profile --mode engine --batch-sizes 1,2", "measure a model"),
    ("profile --mode engine --llm-model x", "call an endpoint"),
    ("profile --mode full --llm-model x", "configured a language model endpoint"),
    ("profile --mode llm --largest-batch 3", "omit the limits"),
    ("profile --baseline args.json --json", "--baseline has no effect with --json"),
    ("schedules add nightly --cron @daily --misfire skip --misfire-limit 3 --job job.json", "--misfire-limit"),
    ("schedules edit nightly", "--cron"),
    ("queue share main cpu --quota-period day", "--quota-period has no effect without --quota-seconds"),
    ("queue resume --node x hold_0000000000001", "Exactly 1 option"),
    ("queue pause --class cpu --device x --reason r", "--device has no effect without --node"),
    ("model --models folder list --pool", "cannot be combined with"),
    ("login LINK --token x --server http://127.0.0.1:1", "cannot be combined with"),
    ("logout server --all", "cannot be combined with"),
    ("serve --print-config --check-config", "cannot be combined with"),
    ("serve --check-config --http.tls_key x", "http.tls_certificate"),
    ("engine --insecure-http", "has no flag --insecure-http"),
    ("admin --check-config users", "has no flag --check-config"),
    ("admin set-user admin", "--email"),
    ("admin set-team main", "--archived"),
    ("doctor --print-config", "has no flag --print-config"),
)

ARGUMENTS = (
    ("sentiment", {"texts": ["x"], "columns": {"text": "a"}}, "/args/columns"),
    ("sentiment", {"texts": ["x"], "form": "bf16", "model": "vader"}, "/args/form"),
    ("sentiment", {"texts": ["x"], "neutral_within": 0.1}, "/args/neutral_within"),
    ("sentiment", {"texts": ["x"], "label_names": {"a": "positive"}}, "/args/label_names"),
    ("profile", {"mode": "engine", "sentiment_model": "vader"}, "/args/sentiment_model"),
    ("profile", {"mode": "engine", "llm_model": "x"}, "/args/llm_model"),
    ("profile", {"mode": "llm", "limits": {"max_batch": 3}}, "/args/limits"),
    ("profile", {"mode": "full", "llm_model": "x"}, "/args/llm_endpoint"),
    ("waves", {"series": [{"symbol": "a", "close": [1, 2, 3]}], "format": "csv"}, "/args/format"),
)


class IdleFlags(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        folder = cls.server.folder
        prices = "close\n" + "1\n2\n" * 30
        files = {"texts.csv": "text,region\ngood,EU\n", "prices.csv": prices, "args.json": '{"texts": ["calm"]}',
                 "one.json": '{"per_device_train_batch_size": 8}', "config.json": '{"model_type": "bert"}',
                 "train.yaml": "per_device_train_batch_size: 8\n", "report.json": "{}",
                 "job.json": json.dumps({"kind": "sentiment", "args": {"texts": ["calm"]}})}
        for name, text in files.items():
            (folder / name).write_text(text)
        (folder / "stages").mkdir()
        cls.server.run("schedules", "add", "nightly", "--cron", "@daily", "--job", folder / "job.json")

    def test_flags(self):
        for line, named in REFUSED:
            with self.subTest(line):
                done = self.server.run(*line.split(), check=False, cwd=self.server.folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(named, done.stderr)

    def test_arguments(self):
        for kind, args, pointer in ARGUMENTS:
            with self.subTest(args):
                reply = self.api.post("/v1/jobs", {"kind": kind, "args": args})
                self.assertEqual(reply.status, 422, reply.body)
                self.assertIn(pointer, [error["pointer"] for error in reply.json["errors"]])

    def test_json_is_an_answer_of_help(self):
        described = json.loads(self.server.run("help", "queue", "share", "--json").stdout)
        self.assertIn("--weight", json.dumps(described))


if __name__ == "__main__":
    unittest.main()
