"""Jobs of kind profile and `plimsoll profile` through the real server, on the host and on PoCL. No figure is checked:
tests promise nothing about a machine's speed."""

import http.server
import json
import os
import pathlib
import re
import tempfile
import threading
import unittest
import unittest.mock

import harness


class LanguageModel(http.server.BaseHTTPRequestHandler):
    """Speaks both dialects, in words of its own count."""

    def do_POST(self):
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if self.path == "/moved/api/generate":
            self.send_response(307)
            self.send_header("Location", "/api/generate")
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        if self.path == "/api/generate":
            lines = [{"response": "So", "done": False},
                     {"response": "", "done": True, "eval_count": 11, "eval_duration": 250_000_000, "prompt_eval_count": 40}]
            text = "".join(json.dumps(line) + "\n" for line in lines)
        else:
            events = [{"choices": [{"delta": {"content": "So"}}]}, {"choices": [], "usage": {"completion_tokens": 5, "prompt_tokens": 40}}]
            text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        self.wfile.write(text.encode())

    def do_GET(self):  # what Ollama has loaded
        self.send_response(200)
        self.end_headers()
        loaded = [{"name": "other:latest", "size_vram": 1}, {"name": "tiny:latest", "size": 5_000_000_000, "size_vram": 4_096_000_000}]
        self.wfile.write(json.dumps({"models": loaded if self.path == "/api/ps" else []}).encode())

    def log_message(self, *_):
        pass


class Profile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), LanguageModel)
        cls.model.asked = []
        threading.Thread(target=cls.model.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.model.server_close)
        cls.addClassCleanup(cls.model.shutdown)
        cls.origin = f"http://127.0.0.1:{cls.model.server_port}"
        paths = ("/api/generate", "/v1/chat/completions", "/moved/api/generate")
        named = {"LLM_ENDPOINT_URL": ",".join(cls.origin + path for path in paths), "FEATURE_CUDA_STREAMS": "1"}
        with unittest.mock.patch.dict(os.environ, named):
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
        report, rows = self.report(mode="engine", device_class="cpu", limits={"max_batch": 16})
        summary = report["summary"]
        self.assertEqual(report["items"], {"total": 7, "ok": 7, "failed": 0}, summary["errors"])
        self.assertEqual(summary["device"]["device"], "opencl:pocl:0")
        self.assertEqual(summary["engine"]["batches"]["points"][0]["batch_size"], 1)
        self.assertEqual([row["part"] for row in rows][:3], ["engine/peak", "engine/products", "engine/batches"])
        self.expect_no_second_queue(summary["engine"]["overlap"])

    def expect_no_second_queue(self, overlap):
        """Requested, without effect on a processor, and reported so everywhere."""
        self.assertEqual((overlap["enabled"], overlap["recommended"]), (False, False))
        self.assertIn("FEATURE_CUDA_STREAMS has no effect", overlap["note"])
        copies = {device["device"]: device["copy_mode"] for device in self.api.get("/v1/devices").json["items"]}
        self.assertEqual((copies["opencl:pocl:0"], copies["host"]), ("in_place", None))
        health = {device["device"]: device["copy_mode"] for device in self.api.get("/v1/health").json["devices"]}
        self.assertEqual(health, copies)
        told = [line for line in self.server.log if "FEATURE_CUDA_STREAMS has no effect" in line]
        self.assertIn("opencl:pocl:0", "".join(told))
        found = self.server.run("doctor", env={"FEATURE_CUDA_STREAMS": "1"}, check=False).stdout
        self.assertIn("FEATURE_CUDA_STREAMS is on, but has no effect on opencl:pocl:0", found)

    def test_only_the_named_device_measures(self):
        devices = {device["device"]: device for device in self.api.get("/v1/devices").json["items"]}
        for address, mode in (("opencl:pocl:0", "sentiment"), ("host", "sentiment")):
            node = devices[address]["node"]
            report, _ = self.report(mode=mode, device=f"{node}/{address}", limits={"max_batch": 4})
            self.assertEqual(report["summary"]["device"]["device"], address)
            self.assertEqual(report["summary"]["device"]["processor_class"], devices[address]["processor_class"])

    def test_the_class_of_the_processor_is_reported(self):
        classes = {device["device"]: device["processor_class"] for device in self.api.get("/v1/devices").json["items"]}
        self.assertIsNone(classes["host"])
        flags = pathlib.Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0].split()
        order = {"amx_bf16": "AMX", "avx512_bf16": "AVX512-BF16", "avx512_vnni": "AVX512-VNNI", "avx512f": "AVX512", "avx2": "AVX2"}
        self.assertEqual(classes["opencl:pocl:0"], next((word for flag, word in order.items() if flag in flags), None))
        self.assertIn(classes["opencl:pocl:0"], self.server.run("devices").stdout)

    def test_an_unknown_or_unmeasurable_device_is_refused(self):
        [host] = [device for device in self.api.get("/v1/devices").json["items"] if device["device"] == "host"]
        node = host["node"]
        for args, pointer in (({"device": f"{node}/opencl:none:0"}, "/args/device"), ({"device": "host"}, "/args/device"),
                              ({"device": f"{node}/host", "mode": "engine"}, "/args/device"),
                              ({"device": f"{node}/host", "device_class": "cpu"}, "/args/device_class")):
            reply = self.submit(**args)
            self.assertEqual(reply.status, 422, reply.body)
            self.assertEqual([error["pointer"] for error in reply.json["errors"]], [pointer])

    def test_rules_beyond_the_schema_are_refused_with_their_place(self):
        reply = self.submit(mode="engine", device_class="host")
        self.assertEqual(reply.status, 422, reply.body)
        self.assertEqual([error["pointer"] for error in reply.json["errors"]], ["/args/device_class"])
        self.assertEqual(self.submit(limits={"max_batch": 0}).status, 422)
        self.assertEqual(self.submit(mode="llama").status, 422)

    def test_a_language_model_is_called_at_configured_endpoints(self):
        for path, tokens in (("/api/generate", 11), ("/v1/chat/completions", 5)):
            with self.subTest(path):
                report, rows = self.report(mode="llm", llm_endpoint=self.origin + path, llm_model="tiny")
                self.assertEqual(report["items"], {"total": 4, "ok": 4, "failed": 0}, report["summary"]["errors"])
                [model] = report["summary"]["results"]
                self.assertEqual((model["model_name"], model["model_type"]), ("tiny", "llm"))
                self.assertEqual({prompt["answer_tokens"] for prompt in model["llm"]["prompts"]}, {tokens})
                self.assertEqual([row["unit"] for row in rows], ["tokens/s"] * 4)
                self.assertEqual(self.model.asked[-1]["model"], "tiny")
                self.assertEqual(model["vram_used_mb"], 4096 if path == "/api/generate" else 0, "only Ollama says")
        self.assertEqual(report["summary"]["summary"]["llm_models"], 1)

    def test_sentiment_beside_a_language_model(self):
        report, rows = self.report(mode="pair", sentiment_model="vader", llm_model="tiny")
        self.assertEqual(report["items"], {"total": 1, "ok": 1, "failed": 0}, report["summary"]["errors"])
        pair = report["summary"]["pair"]
        self.assertEqual((pair["sentiment_model"], pair["llm_model"]), ("vader", "tiny"))
        self.assertAlmostEqual(pair["speedup"], (pair["scoring_seconds"] + pair["asking_seconds"]) / pair["together_seconds"])
        self.assertEqual(pair["recommended"], pair["speedup"] > 1.1)
        self.assertEqual((rows[0]["part"], rows[0]["value"]), ("pair/together", pair["speedup"]))
        for args, pointer in (({"batch_sizes": [1]}, "/args/batch_sizes"), ({"limits": {"max_batch": 8}}, "/args/limits")):
            reply = self.submit(mode="pair", **args)
            self.assertEqual([error["pointer"] for error in reply.json["errors"]], [pointer])
        with tempfile.TemporaryDirectory() as folder:
            told = self.server.run("profile", "--mode", "pair", "--sentiment-model", "VADER", "--llm-model", "tiny", "--output-dir", folder).stdout
        self.assertRegex(told, r"vader beside tiny: both at once are \d+\.\d\dx as fast as one after the other")

    def test_no_other_endpoint_is_called_and_no_redirect_followed(self):
        for elsewhere in (f"{self.origin}/other/api/generate", "http://localhost/api/generate"):
            reply = self.submit(mode="llm", llm_endpoint=elsewhere)
            self.assertEqual(reply.status, 422, reply.body)
            [error] = reply.json["errors"]
            self.assertEqual(error["pointer"], "/args/llm_endpoint")
            self.assertIn("the operator has configured", error["detail"])
        reply = self.submit(mode="llm", llm_endpoint=self.origin + "/moved/api/generate")
        job = self.api.wait(reply.json["id"])
        rows = self.api.results(job["id"])
        self.assertEqual({row["error_code"] for row in rows}, {"unavailable"})
        self.assertIn("redirects are not followed", rows[0]["error"])

    def test_a_device_releases_its_memory(self):
        found = self.server.run("--json", "devices")
        [host] = [device for device in json.loads(found.stdout)["items"] if device["device"] == "host"]
        self.assertIsNone(host["cleanup"])
        told = self.server.run("devices", "clean", host["node"], "host")
        self.assertRegex(told.stdout, r"^Freed [\d.]+ MB according to the job kinds' memory ledger, -?[\d.]+ MB according to the system\.$")
        again = json.loads(self.server.run("--json", "devices", "clean", host["node"], "host").stdout)
        self.assertEqual(again["cleanup"]["state"], "done")
        self.assertEqual(again["cleanup"]["kept_bytes"], 0)
        wrong = self.server.run("devices", "clean", host["node"], "opencl:none:7", check=False)
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("device was not found", wrong.stderr)

    def test_a_report_is_compared_with_the_one_that_the_team_pinned(self):
        command = ("profile", "--mode", "sentiment", "--sentiment-model", "vader", "--largest-batch", "4", "--output-dir")
        with tempfile.TemporaryDirectory() as folder:
            first = self.server.run(*command, folder, "--pin")
            self.assertNotIn("SINCE THE BASELINE", first.stdout)
            self.assertIn("Baseline of sentiment of vader on Host processor", first.stderr)
            [baseline] = self.api.get("/v1/baselines").json["items"]
            self.assertRegex(baseline["comparison_key"], r"^sentiment of vader on .*\(host, \d+ units\), batches up to 4$")
            later = self.server.run(*command, folder)
            self.assertRegex(later.stdout, r"(?m)^vader short .*texts/s .*[+-][\d.]+ %$")
            self.assertIn(f"The baseline is the report of {baseline['job_id']}", later.stdout)
        self.assertIn(baseline["job_id"], self.server.run("baselines").stdout)

        # Within other limits it is another measurement.
        reply = self.submit(mode="sentiment", limits={"max_batch": 2})
        other = self.api.wait(reply.json["id"])["id"]
        self.assertIsNone(self.api.get(f"/v1/jobs/{other}/baseline").json["baseline"])

        # The numbers outlive the job.
        reply = self.submit(mode="sentiment", limits={"max_batch": 4})
        same = self.api.wait(reply.json["id"])["id"]
        before = self.api.get(f"/v1/jobs/{same}/baseline").json
        self.assertEqual(before["baseline"]["job_id"], baseline["job_id"])
        self.assertEqual(self.api.send("DELETE", f"/v1/jobs/{baseline['job_id']}").status, 204)
        after = self.api.get(f"/v1/jobs/{same}/baseline").json
        self.assertIsNone(after["baseline"]["job_id"])
        self.assertEqual(after["summary"], before["summary"])
        self.assertIn("deleted, numbers kept", self.server.run("baselines").stdout)

        # Another one takes its place, and the place can be empty again.
        told = self.server.run("baselines", "pin", same).stdout
        self.assertIn(baseline["comparison_key"], told)
        [now] = self.api.get("/v1/baselines").json["items"]
        self.assertEqual(now["job_id"], same)
        self.server.run("baselines", "remove", now["id"])
        self.assertEqual(self.api.get("/v1/baselines").json["items"], [])
        self.assertIn("No baselines", self.server.run("baselines").stdout)

    def test_a_baseline_belongs_to_its_team_and_needs_the_scope_to_submit(self):
        reply = self.submit(mode="sentiment", limits={"max_batch": 1})
        job = self.api.wait(reply.json["id"])["id"]
        self.server.admin("add-team", "others")
        self.server.admin("add-user", "eve")
        self.server.admin("set-member", "--team", "others", "--user", "eve", "--role", "owner")
        eve = self.server.api(user="eve", team="others")
        self.assertEqual(eve.send("PUT", f"/v1/jobs/{job}/baseline").status, 404)
        self.assertEqual(self.api.send("PUT", f"/v1/jobs/{job}/baseline").status, 200)
        [baseline] = self.api.get("/v1/baselines").json["items"]
        self.assertEqual(eve.get("/v1/baselines").json["items"], [])
        theirs = eve.post("/v1/jobs", {"kind": "profile", "args": {"mode": "sentiment", "limits": {"max_batch": 1}}}).json["id"]
        eve.wait(theirs)
        answer = eve.get(f"/v1/jobs/{theirs}/baseline").json
        self.assertEqual((answer["comparison_key"], answer["baseline"]), (baseline["comparison_key"], None))
        self.assertEqual(eve.send("DELETE", f"/v1/baselines/{baseline['id']}").status, 404)
        reader = self.server.api(user="eve", team="others", scopes=("jobs:read", "reports:read"))
        self.assertEqual(reader.send("PUT", f"/v1/jobs/{theirs}/baseline").status, 403)
        self.assertEqual(self.api.send("DELETE", f"/v1/baselines/{baseline['id']}").status, 204)

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
            # Rates of millions are read in groups of three, but in the guide's own lines.
            self.assertRegex(second.stdout, r"(?m)^  short: batch \d, \d{1,3}(,\d{3})+ texts/s$")
            self.assertRegex(second.stdout, r"(?m)^vader short( +\d{1,3}(,\d{3})+ texts/s){2} +[+-][\d.]+ %$")
            as_json = self.server.run("--json", *command, f"{folder}/out/three")
            self.assertEqual(json.loads(as_json.stdout)["mode"], "sentiment")
            wrong = self.server.run(*command, folder, "--baseline", __file__, check=False)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn("not a profile report", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
