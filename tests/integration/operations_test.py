"""What operators see: metrics, readiness, log lines."""

import json
import signal
import socket
import subprocess
import sys
import unittest
import urllib.request

from harness import ROOT, Api, Server

sys.path.insert(0, subprocess.check_output([ROOT / "tests/support/python", "prometheus_client"], text=True).strip())
from prometheus_client.parser import text_string_to_metric_families  # noqa: E402

CANARY = "a sentence that belongs to a team alone"


class Metrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(metrics__listen="127.0.0.1:0", log__level="debug", log__format="json").start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        cls.job = cls.api.submit_texts([CANARY, "good"])
        cls.api.wait(cls.job)

    def scrape(self):
        with urllib.request.urlopen(self.server.metrics, timeout=60) as answer:
            self.assertEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
            text = answer.read().decode()
        return text, {family.name: family for family in text_string_to_metric_families(text)}

    def value(self, families, family, sample=None, **labels):
        found = [s.value for s in families[family].samples
                 if s.name == (sample or s.name) and all(s.labels.get(k) == v for k, v in labels.items())]
        self.assertEqual(len(found), 1, (family, labels, families[family].samples))
        return found[0]

    def scrape_until(self, wanted):
        """The families once `wanted` holds for them: a metric may be updated after the response that shows its effect."""
        while True:
            _, families = self.scrape()
            if wanted(families):
                return families

    def test_prometheus_own_parser_accepts_every_line(self):
        text, families = self.scrape()
        samples = [line for line in text.splitlines() if line and not line.startswith("#")]
        self.assertEqual(sum(len(f.samples) for f in families.values()), len(samples))
        for name, family in families.items():
            self.assertTrue(family.documentation, name)
            self.assertIn(family.type, ("counter", "gauge", "histogram"), name)
            self.assertTrue(name.startswith(("plimsoll_", "process_", "http_server_")), name)
        for line in samples:
            self.assertNotIn("team", line)

    def test_requests_are_counted_by_operation_and_status(self):
        for _ in range(3):
            self.assertEqual(self.api.post("/v1/jobs/job_nothing/cancellation").status, 404)
        _, families = self.scrape()
        self.assertEqual(self.value(families, "http_server_request_duration_seconds",
                                    "http_server_request_duration_seconds_count",
                                    operation="cancelJob", status="404"), 3)

    def test_queue_devices_database_and_process_are_included(self):
        def settled(families):  # connections open one by one, duties begin after a second, devices report in turn
            opened = self.value(families, "plimsoll_database_connections", state="open")
            configured = self.value(families, "plimsoll_database_connections", state="configured")
            return opened == configured and all(
                name in families and families[name].samples
                for name in ("plimsoll_duty_runs", "plimsoll_queue_depth", "plimsoll_device_memory_bytes"))

        families = self.scrape_until(settled)
        for state in ("waiting", "ready", "leased"):
            self.assertEqual(self.value(families, "plimsoll_queue_depth", device_class="gpu", state=state), 0)
        self.assertEqual(self.value(families, "plimsoll_device_memory_bytes", device="host",
                                    device_class="host") > 0, True)
        self.assertGreater(self.value(families, "process_resident_memory_bytes"), 1e6)
        def reporting(families):  # with the first heartbeat, five seconds after the start
            name = "plimsoll_device_memory_available_bytes"
            return name in families and families[name].samples

        families = self.scrape_until(reporting)
        self.assertGreater(families["plimsoll_device_memory_available_bytes"].samples[0].value, 1e6)
        health = json.loads(self.api.get("/v1/health").body)
        self.assertEqual(health["gpu"], {"healthy": True, "gpu_available": False})
        self.assertGreater(sum(sample.value for sample in families["plimsoll_duty_runs"].samples), 0)
        self.assertEqual(self.value(families, "plimsoll_leases_expired"), 0)

    def test_only_metrics_and_only_reads(self):
        base = self.server.metrics.rpartition("/")[0]
        other = Api(base, checked=False)  # which has no contract
        self.assertEqual(other.get("/v1/jobs").status, 404)
        refused = other.post("/metrics", {})
        self.assertEqual((refused.status, refused.headers["Allow"]), (405, "GET, HEAD"))
        self.assertEqual(Api(self.server.base).get("/metrics").status, 404)

    def test_log_lines_are_json_with_ids_and_without_secrets_and_texts(self):
        session = self.api.post("/v1/sessions", {"token": self.api.token})
        self.assertEqual(session.status, 201)
        cookie = session.headers["Set-Cookie"].split(";")[0]
        csrf = session.json["csrf_token"]
        made = self.api.post("/v1/tokens", {"name": "t", "scopes": ["jobs:read"]})
        self.assertEqual(made.status, 201)
        browser = Api(self.server.base)
        ended = browser.send("DELETE", "/v1/sessions/current", headers={"Cookie": cookie, "X-CSRF-Token": csrf})
        self.assertEqual(ended.status, 204)
        mark = self.api.get("/v1/jobs/job_end")
        wanted = mark.headers["X-Request-Id"]
        lines = []
        while not any(line.get("request") == wanted for line in lines):  # the reader may be behind
            lines = [json.loads(line) for line in list(self.server.log) if line.startswith("{")]
        [submitted] = [line for line in lines if line.get("operation") == "createJob"]
        self.assertRegex(submitted["request"], "^req_")
        self.assertRegex(submitted["team"], "^team_")
        self.assertEqual((submitted["status"], submitted["level"], submitted["process"]), ("202", "info", "serve"))
        self.assertGreaterEqual(int(submitted["duration_ms"]), 0)
        everything = "".join(self.server.log)
        for secret in (self.api.token, cookie.partition("=")[2], csrf, made.json["secret"], CANARY):
            self.assertNotIn(secret, everything)

    def test_workers_name_the_job_and_the_task(self):
        done = []
        while not done:  # the line was written before the job was done; the reader may be behind
            lines = [json.loads(line) for line in list(self.server.log) if line.startswith("{")]
            done = [line for line in lines if line["message"] == "task done" and line["job"] == self.job]
        self.assertEqual(done[0]["task"], "0")
        self.assertEqual(done[0]["attempt"], "1")
        self.assertIn("worker", done[0]["process"])


class Readiness(unittest.TestCase):
    def test_a_draining_server_is_not_ready_before_it_stops_listening(self):
        server = Server(engine__local="false", http__drain_delay="60").start()
        self.addCleanup(server.remove)
        nobody = Api(server.base)
        self.assertEqual(nobody.get("/readyz").json, {"status": "ready"})
        server.process.send_signal(signal.SIGTERM)
        reply = nobody.get("/readyz")
        while reply.status == 200:  # the signal is on its way
            reply = nobody.get("/readyz")
        self.assertEqual(reply.status, 503)
        self.assertEqual(reply.json["detail"], "The server is stopping.")
        self.assertEqual(reply.headers["Retry-After"], "5")
        self.assertEqual(nobody.get("/healthz").status, 200)
        server.process.send_signal(signal.SIGTERM)  # in a hurry
        server.process.wait(600)
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", int(server.base.rpartition(":")[2])), timeout=60).close()


if __name__ == "__main__":
    unittest.main()
