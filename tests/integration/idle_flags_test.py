"""Flags and arguments that would have no effect in combination with others are refused by name. Every row is a command
line, or the arguments of a job, and what the error must name.
"""

import json
import unittest

from harness import Server

REFUSED = (
    ("estimate --preset bert-base --config config.json", "--preset"),
    ("estimate --preset bert-base --details --json", "--details"),
    ("estimate --preset bert-base --paste pytorch --json", "--paste"),
    ("estimate --preset bert-base --batch 8 --batch-size 4", "--batch-size: --batch is given, too"),
    ("estimate --preset bert-base --qlora", "--qlora needs a value"),
    ("estimate --preset bert-base --batch 8 --goal knee", "--goal: "),
    ("estimate --preset bert-base --batch 8 --goal guide", "--goal: "),
    ("estimate --preset bert-base --batch 8 --set training.batch=4", "--batch and --set training.batch"),
    ("estimate --preset bert-base --set training.padded=true --set training.padded=true", "training.padded twice"),
    ("estimate --preset bert-base --goal guide --target-effective-batch 64", "--target-effective-batch: "),
    ("estimate --preset bert-base --optimizer sgd --set training.optimizer_kernel=foreach", "--set training.optimizer_kernel: "),
    ("estimate --preset bert-base --set training.negatives=3", "--set training.negatives: "),
    ("estimate --preset bert-base --lora-modules query --set training.lora.targets=all_linear", "--set training.lora.targets: "),
    ("estimate --preset bert-base --lora 0 --dora", "--lora: must be from 1 to"),
    ("estimate --preset lstm --attention eager", "--attention: "),
    ("estimate --preset bert-base --set workload.models=3", "--set workload.models: "),
    ("estimate --preset bert-base --set learning_rate.base_batch=3", "--set learning_rate.base_batch: "),
    ("estimate idle.json", "idle.json (allocator.max_split_size_mb): "),
    ("estimate idle.json --gpu t4", "idle.json (custom_gpus.0): "),
    ("estimate idle.json --gpu mine --set allocator.max_split_size_mb=0 --goal guide --batch 3", "--goal: "),
    ("estimate --preset bert-base --packed", "--packed"),
    ("estimate --preset bert-base --fused-loss", "--fused-loss"),
    ("estimate --preset bert-base --target-length 64", "--target-length"),
    ("estimate --preset bert-base --quantization nf4", "--quantization"),
    ("diagnose --json", "--gpu-percent"),
    ("gpu-profiles recommend --name T4", "--name has no effect without --memory-gib"),
    ("gpu-profiles check --name T4", "--name has no effect without --memory-gib"),
    ("guide --auto --gpu-memory 24", "cannot be combined with"),
    ("show-config stages --cards 4", "--cards"),
    ("show-config one.json --preset bert-base --config one.json", "--preset"),
    ("apply --restore train.yaml --dry-run", "--dry-run"),
    ("apply --restore train.yaml --gpu t4", "--gpu"),
    ("apply --restore train.yaml --stage 1", "--stage"),
    ("apply --restore train.yaml --rates", "--rates"),
    ("apply --restore train.yaml --map batch=a.b", "--map"),
    ("apply report.json train.yaml --only batch --keep accumulation", "cannot be combined with"),
    ("apply report.json train.yaml --keep learning_rate", "--keep learning_rate has no effect without --rates"),
    ("apply report.json train.yaml --keep batch --map batch=a.b", "--keep batch contradicts --map batch=a.b"),
    ("apply report.json train.yaml --rates --map learning_rate=a --map warmup_steps=b", "--rates has no effect"),
    ("apply report.json train.yaml --only batch --rates", "cannot be combined with"),
    ("waves prices.csv --images png", "--images has no effect without --set save_images=true"),
    ("waves prices.csv --set save_images=true --images png --replay 3", "--images"),
    ("waves prices.csv --keys", "--keys"),
    ("waves --keys --preset whole", "--keys"),
    ("waves prices.csv --replay 3 --output out.txt", "--output"),
    ("waves prices.csv --replay 3 --format csv", "write only text or jsonl"),
    ("waves prices.csv --format csv --json", "--format cannot be combined with --json"),
    ("waves prices.csv --replay 3 --check impulse", "cannot be combined with"),
    ("waves prices.csv --replay 0", "--replay"),
    ("waves prices.csv --check impulse --set top_n=3", "--set top_n has no effect with --check"),
    ("waves prices.csv --set top_n=1 --set top_n=2", "The setting top_n is given twice"),
    ("waves prices.csv --check impulse --format csv", "--check writes only text or json"),
    ("results JOB --format csv --json", "--format cannot be combined with --json"),
    ("datasets errors ds_0000000000001 --format csv --json", "--format cannot be combined with --json"),
    ("datasets upload texts.csv --resume ds_0000000000001 --name x", "cannot be combined with"),
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
    ("submit sentiment texts.csv --set model=vader --set model=finbert", "--set gives model twice"),
    ("submit sentiment texts.csv --label a=1 --label a=2", "--label gives a twice"),
    ("submit sentiment texts.csv --column text=text --column text=region", "--column text=region: text already has a column"),
    ("submit sentiment texts.csv --keep region,region", "--keep gives region twice"),
    ("submit sentiment texts.csv --column group=text --group-by region", "--group-by region: group already has a column"),
    ("submit waves prices.csv --keep region", "--keep"),
    ("submit waves prices.csv --group-by region", "--group-by"),
    ("submit training-config args.json --keep region", "--keep"),
    ("submit profile args.json --column text=a", "--column"),
    ("score calm --model vader --policy desk", "cannot be combined with"),
    ("score calm --source reuters", "--source has no effect without --policy"),
    ("score calm --model vader --time 2026-03-02T15:00:00Z", "--time has no effect without --policy"),
    ("score calm --model vader --form int8", "--form"),
    ("compare-models texts.csv --models vader --neutral-within 0.2", "--neutral-within: Each of the models"),
    ("compare-models texts.csv --models vader --label-name 1=positive", "--label-name: No text has a label"),
    ("compare-models texts.csv --models vader --label-name 1=positive --label-name 1=neutral", "gives 1 twice"),
    ("score calm --form bf16", "VADER has no forms"),
    ("compare-models texts.csv --models vader --disagreements d.jsonl", "--disagreements has no effect with one model"),
    ("profile --mode engine --sentiment-model vader", "measure a model"),
    ("profile --mode engine --form bf16", "measure a model"),
    ("profile --mode engine --batch-sizes 1,2", "measure a model"),
    ("profile --mode engine --llm-model x", "call an endpoint"),
    ("profile --mode full --llm-model x", "configured no language model endpoint"),
    ("profile --mode llm --largest-batch 3", "omit the limits"),
    ("profile --mode engine --form bf16", "--form: Only"),
    ("profile --baseline args.json --json", "--baseline has no effect with --json"),
    ("schedules add nightly --cron @daily --misfire skip --misfire-limit 3 --job job.json", "--misfire-limit"),
    ("schedules edit nightly", "--cron"),
    ("queue share main cpu --quota-period day", "--quota-period has no effect without --quota-seconds"),
    ("queue resume --node x hold_0000000000001", "Give exactly one of --team, --class, --node, hold"),
    ("queue pause --class cpu --device x --reason r", "--device has no effect without --node"),
    ("model --models folder list --pool", "cannot be combined with"),
    ("login LINK --token x --server http://127.0.0.1:1", "cannot be combined with"),
    ("login --server http://127.0.0.1:1 --token x --allow-http", "--allow-http has no effect"),
    ("login --server https://example.com --token x --allow-http", "--allow-http has no effect"),
    ("logout server --all", "cannot be combined with"),
    ("serve --print-config --check-config", "cannot be combined with"),
    ("serve --check-config --http.tls_key x", "http.tls_certificate"),
    ("engine --insecure-http", "has no flag --insecure-http"),
    ("admin --check-config users", "has no flag --check-config"),
    ("admin set-user admin", "--email"),
    ("admin set-team main", "--archived"),
    ("doctor --print-config", "has no flag --print-config"),
    ("serve --check-config --data x --database.url y", "database.data_directory has no effect with database.url"),
    ("admin users --data x --database.url y", "database.data_directory has no effect with database.url"),
    ("serve --check-config --database.migrate_url y", "database.migrate_url has no effect without database.url"),
    ("serve --check-config --database.worker_url y", "database.worker_url has no effect without database.url"),
    ("serve --check-config --webhooks.ca_file x", "webhooks.ca_file has no effect without webhooks.allowed_origins"),
    ("serve --check-config --webhooks.allowed_networks 10.0.0.0/8", "without webhooks.allowed_origins"),
    ("serve --check-config --llm.model x", "llm.model has no effect without llm.endpoints"),
    ("serve --check-config --llm.timeout 3", "llm.timeout has no effect without llm.endpoints"),
    ("serve --check-config --llm.allowed_networks 10.0.0.0/8", "llm.allowed_networks has no effect without llm.endpoints"),
    ("doctor --llm.model x", "llm.model has no effect without llm.endpoints"),
    ("serve --check-config --devices.memory_cleanup false --devices.cleanup_interval 5", "devices.cleanup_interval"),
    ("serve --check-config --sentiment.model_open x", "sentiment.model_open has no effect without sentiment.adaptive"),
    ("serve --check-config --sentiment.uses_models 0 --sentiment.adaptive 1", "without sentiment.uses_models"),
    ("serve --check-config --insecure-http", "http.insecure has no effect while http.host is 127.0.0.1"),
    ("serve --check-config --insecure-http --http.insecure true", "cannot be combined with"),
    ("serve --check-config --insecure-http --http.tls_certificate c --http.tls_key k", "with http.tls_certificate"),
    ("serve --check-config --engine.local false --devices.log true", "devices.log has no effect with engine.local"),
    ("serve --check-config --engine.local false --database.url x --database.worker_url y", "database.worker_url"),
    ("engine --http.port 1", "has no flag --http.port"),
    ("engine --database.url x", "has no flag --database.url"),
    ("engine --sentiment.model x", "has no flag --sentiment.model"),
    ("migrate --log.level debug", "has no flag --log.level"),
    ("admin users --http.port 1", "has no flag --http.port"),
    ("admin users --database.worker_url x", "has no flag --database.worker_url"),
    ("doctor --retention.jobs_days 3", "has no flag --retention.jobs_days"),
)

# An empty value is mostly a shell's variable that is not set.
EMPTY = (
    ("jobs", "--state", ""), ("usage", "--team", ""), ("submit", "sentiment", "texts.csv", "--name", ""),
    ("serve", "--check-config", "--http.host", ""), ("estimate", "--preset", ""), ("score", ""))

BERT = {"model": {"preset": "bert-base"}, "gpus": ["t4"]}

ARGUMENTS = (
    ("training-config", {**BERT, "goal": "fill", "training": {"batch": 4}}, "/args/goal"),
    ("training-config", {**BERT, "training": {"optimizer": "sgd"}, "learning_rate": {"base": 0.1, "base_batch": 8, "noise_scale": 9}},
     "/args/learning_rate/noise_scale"),
    ("training-config", {**BERT, "stages": [{"name": "a", "negatives": 3}]}, "/args/stages/0/negatives"),
    ("training-config", {**BERT, "custom_gpus": [{"id": "mine", "memory_gib": 8}]}, "/args/custom_gpus/0"),
    ("training-config", {**BERT, "observed": {"batch": 3}}, "/args/observed/batch"),
    ("sentiment", {"texts": ["x"], "columns": {"text": "a"}}, "/args/columns"),
    ("sentiment", {"texts": ["x"], "form": "bf16", "model": "vader"}, "/args/form"),
    ("sentiment", {"texts": ["x"], "neutral_within": 0.1}, "/args/neutral_within"),
    ("sentiment", {"texts": ["x"], "label_names": {"a": "positive"}}, "/args/label_names"),
    ("sentiment", {"texts": ["x"], "models": ["vader"], "label_names": {"a": "positive"}}, "/args/label_names"),
    ("sentiment", {"texts": ["x"], "models": ["vader"], "neutral_within": 0.1}, "/args/neutral_within"),
    ("sentiment", {"texts": ["x"], "models": ["vader"], "batch_size": 8}, "/args/batch_size"),
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
                 "idle.json": json.dumps({"model": {"preset": "bert-base"}, "allocator": {"expandable_segments": True, "max_split_size_mb": 64},
                                          "custom_gpus": [{"id": "mine", "memory_gib": 8}]}),
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

    def test_empty_values(self):
        for line in EMPTY:
            with self.subTest(line):
                done = self.server.run(*line, check=False, cwd=self.server.folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn("must not be empty", done.stderr)
        # Where it means something it is taken.
        self.server.run("serve", "--check-config", "--metrics.listen", "")
        changed = self.server.admin("set-user", "admin", "--email", "a@example.com", "--json")
        self.assertEqual(json.loads(changed)["email"], "a@example.com")
        changed = self.server.admin("set-user", "admin", "--email", "", "--json")
        self.assertFalse(json.loads(changed)["email"])

    def test_an_empty_flag_overrides_the_environment(self):
        shown = self.server.run("serve", "--print-config", "--metrics.listen", "", "--json",
                                env={"PLIMSOLL_METRICS_LISTEN": "127.0.0.1:9090"})
        values = {one["key"]: one["value"] for one in json.loads(shown.stdout)["settings"]}
        self.assertEqual(values["metrics.listen"], "")

    def test_counts_of_a_job(self):
        prices = (self.server.folder / "prices.csv").read_text()
        job = self.api.post("/v1/jobs", {"kind": "waves", "args": {"prices": prices, "symbol": "A"}}).json["id"]
        self.assertEqual(self.api.wait(job)["state"], "succeeded")
        count = {"pattern": "zigzag", "direction": "up", "ends": [1, 2, 3, 4]}
        for path, body, pointer in (
                ("replays", {"prices": prices, "index": 0}, "/index"),
                ("replays", {"job_id": job, "prices": prices, "last": 3}, "/last"),
                ("replays", {"job_id": job, "last": 3, "format": "csv"}, "/format"),
                ("replays", {"job_id": job, "symbol": "B"}, "/symbol"),
                ("checks", {**count, "job_id": job, "prices": prices}, "/prices"),
                ("checks", {**count, "job_id": job, "columns": {"close": "c"}}, "/columns"),
                ("checks", {**count, "prices": prices, "index": 0}, "/index")):
            with self.subTest(body):
                reply = self.api.post(f"/v1/waves-{path}", body)
                self.assertEqual(reply.status, 422, reply.body)
                self.assertEqual([error["pointer"] for error in reply.json["errors"]], [pointer])

    def test_a_limit_of_missed_runs(self):
        job = {"kind": "sentiment", "args": {"texts": ["calm"]}}
        reply = self.api.post("/v1/schedules", {"name": "x", "cron": "@daily", "misfire_limit": 3, "job": job})
        self.assertEqual((reply.status, reply.json["errors"][0]["pointer"]), (422, "/misfire_limit"))
        self.server.run("schedules", "edit", "nightly", "--misfire", "all", "--misfire-limit", "3")
        self.server.run("schedules", "edit", "nightly", "--misfire", "once")

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
