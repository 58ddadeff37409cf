"""Estimates, scores and wave counts in a Python process (deploy/clients/python), byte by byte those of a server."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import tiny_model
from harness import BIN, PATIENCE, ROOT, Server

TEXTS = [*(json.loads(line)["text"] for line in (ROOT / "deploy/samples/headlines.jsonl").open()),
         "", "schön 😀 GREAT!!!", "a\nb\t\"quoted\"", "good " * 400, "not so bad " * 7000]
PRICES = (ROOT / "deploy/samples/european_closes.csv").read_text()


class InProcess(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        tiny_model.install(cls.server, cls.api, "tiny")
        site = tempfile.TemporaryDirectory(prefix="plm-site-")
        cls.addClassCleanup(site.cleanup)
        # As pip would install this build.
        os.mkdir(f"{site.name}/plimsoll-0.dist-info")
        for file, text in (("METADATA", "Metadata-Version: 2.1\nName: plimsoll\nVersion: 0\n"),
                           ("RECORD", "".join(f"{BIN / name},,\n" for name in ("plimsoll", "plimsoll-engine", "libplimsoll.so")))):
            with open(f"{site.name}/plimsoll-0.dist-info/{file}", "w") as out:
                out.write(text)
        cls.env = {**cls.server.environment(), "PYTHONPATH": f"{site.name}:{ROOT}/deploy/clients/python"}

    def python(self, program, given="", **env):
        done = subprocess.run([sys.executable, "-B", "-c", "import json, sys, plimsoll\n" + program], input=given.encode(),
                              env={**self.env, **env}, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def job(self, kind, **args):
        job = self.api.wait(self.api.post("/v1/jobs", {"kind": kind, "args": args}).json["id"])
        self.assertEqual(job["state"], "succeeded", job)
        return job, self.api.get(f"/v1/jobs/{job['id']}/results.jsonl").body

    def test_scores_are_those_of_the_server(self):
        for model, more in (("vader", {}), ("tiny", {}), ("tiny", {"long_texts": "windows"})):
            _, rows = self.job("sentiment", model=model, texts=TEXTS, **more)
            told = self.python(f"scores = plimsoll.Scorer({model!r}, **{more!r}).score(json.load(sys.stdin))\n"
                               "assert [row['label'] for row in scores.rows] == scores.label\n"
                               "assert str(scores).startswith(f'{len(scores)} texts scored by ')\n"
                               "assert all(row['compound'] in (None, one) for row, one in zip(scores.rows, scores.compound))\n"
                               "sys.stdout.buffer.write(scores.json)", json.dumps(TEXTS))
            self.assertEqual(told, rows, (model, more))
            self.assertEqual(told.count(b"\n"), len(TEXTS))
            self.assertIn(b'"error_code":"too_large"', told)

    def test_wave_counts_are_those_of_the_server(self):
        settings = {"top_n": 3, "surrogates": 19, "seed": 7}
        job, rows = self.job("waves", prices=PRICES, **settings)
        told = self.python(f"counts = plimsoll.count_waves(sys.stdin.read(), **{settings!r})\n"
                           "print(json.dumps(counts.summary))\nsys.stdout.buffer.write(counts.json)", PRICES)
        summary, _, written = told.partition(b"\n")
        self.assertEqual(written, rows)
        expected, found = self.api.get(f"/v1/jobs/{job['id']}/report").json["summary"], json.loads(summary)
        for one in (expected, found):
            one.pop("computed"), one.pop("seconds")  # by whom, and how long
        self.assertEqual(found, expected)

    def test_estimates_are_those_of_the_server(self):
        config = {"model_type": "bert", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
                  "intermediate_size": 3072, "vocab_size": 30522}
        for call, args in (("'bert-base'", {"model": {"preset": "bert-base"}}),
                           ("'gpt2', gpu=['rtx_4090', 't4'], batch=64, precision='fp16_autocast', checkpointing=True, lora=8",
                            {"model": {"preset": "gpt2"}, "gpus": ["rtx_4090", "t4"],
                             "training": {"batch": 64, "precision": "fp16_autocast", "checkpointing": True, "lora": {"rank": 8}}}),
                           ("'gpt2', what_ifs=True, set=['reserved_elsewhere_gib=1']",
                            {"model": {"preset": "gpt2"}, "what_ifs": True, "reserved_elsewhere_gib": 1}),
                           (f"{config!r}, gpu='t4'", {"model": {"config": config}, "gpus": ["t4"]})):
            answer = self.api.post("/v1/estimates", {"kind": "training-config", "args": {"what_ifs": False, **args}})
            self.assertEqual(answer.status, 200, answer.body)
            self.assertEqual(self.python(f"sys.stdout.buffer.write(plimsoll.estimate({call}).json)"), answer.body, call)

    def test_estimates_in_threads(self):
        told = self.python("""
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    print(len(set(pool.map(lambda _: plimsoll.estimate("bert-base", gpu="t4").json, range(16)))))
""")
        self.assertEqual(told, b"1\n")

    def test_a_frame_of_prices(self):
        # What pandas has: its own tests of the whole form are in tests/clients/distributed.
        told = self.python("rows = [line.split(',') for line in sys.stdin.read().splitlines()[1:]]\n"
                           "close = [float(row[-1]) for row in rows[:200]]\n"
                           "counts = plimsoll.count_waves({'symbol': 'A', 'close': close})\n"
                           "print(counts.rows[0]['symbol'], counts)", PRICES)
        self.assertRegex(told, rb"^A symbols: 1, bars: 200, valid counts: \d+\n$")

    def test_python_goes_on_meanwhile(self):
        told = self.python("""
import threading, time
from concurrent.futures import ThreadPoolExecutor
texts, scorer = json.load(sys.stdin), plimsoll.Scorer()
ticks, done = [], threading.Event()
def tick():
    while not done.is_set():
        ticks.append(time.monotonic()); time.sleep(0.001)
threading.Thread(target=tick).start()
began = time.monotonic()
with ThreadPoolExecutor(2) as pool:
    all = list(pool.map(scorer.score, [texts * 2000] * 2))
took = time.monotonic() - began
done.set()
longest = max(b - a for a, b in zip(ticks, ticks[1:]))
assert len(ticks) > 10, len(ticks)
assert bytes(all[0].compound) == bytes(all[1].compound)
""", json.dumps(TEXTS[:100]))
        self.assertEqual(told, b"")

    def test_what_cannot_be_computed_is_refused_in_words(self):
        for call, words in (("Scorer('finbert')", 'No model "finbert" is installed'),
                            ("Scorer('tiny', form='fp8')", "form"),
                            ("Scorer(long_texts='cut')", "long_texts: must be"),
                            ("Scorer().score('one')", "several, not one str"),
                            ("Scorer().score(['a', None])", "number 1 is a NoneType, not a str"),
                            ("Scorer().score(['\\ud800'])", "surrogates not allowed"),
                            ("count_waves('date,close\\n', top_n=-1)", "top_n: must be at least 0"),
                            ("count_waves('date,close\\n', profle=1)", "profle: is unknown"),
                            ("count_waves('date,open\\n1,2\\n')", "close"),
                            ("count_waves('missing.csv')", "missing.csv"),
                            ("estimate('gpt2', bacth=8)", "--bacth is unknown"),
                            ("estimate('gpt2', batch='x')", "--batch: must be"),
                            ("estimate('no-such-model')", "neither a preset"),
                            ("estimate(7)", "not a preset, a file, a model")):
            told = self.python(f"try: plimsoll.{call}\nexcept (ValueError, TypeError, OSError) as error: print(error)").decode()
            self.assertIn(words, told, call)

    def test_without_a_driver_only_models_are_missing(self):
        told = self.python("print(plimsoll.Scorer().score(['good']).label)\ntry: plimsoll.Scorer('tiny')\n"
                           "except plimsoll.EngineError as error: print(error)", OCL_ICD_VENDORS="/nonexistent/").decode()
        self.assertRegex(told, r"^\['positive'\]\nPublished models need an OpenCL device, and none is ready\..*pip install 'plimsoll\[cpu\]'")


if __name__ == "__main__":
    unittest.main()
