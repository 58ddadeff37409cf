"""deploy/monitoring with Prometheus' own tool: every alert fires when it should and only then, and alerts and panels read
metrics and labels that a server has."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.request

from harness import ROOT, Server

PROMTOOL = pathlib.Path(subprocess.check_output([ROOT / "tests/support/proxies"], text=True).strip()) / "usr/bin/promtool"
RULES = ROOT / "deploy/monitoring/alerts.yaml"
DASHBOARD = json.loads((ROOT / "deploy/monitoring/dashboard.json").read_text())
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
FORTY = "x40"  # minutes, one value each

DEPTH, DUTIES = 'plimsoll_queue_depth{device_class="gpu",state="%s"}', 'plimsoll_duty_runs_total{duty="webhooks",outcome="%s"}'
REQUESTS, TASKS = 'http_server_request_duration_seconds_count{status="%s"}', 'plimsoll_worker_tasks_total{device="d",outcome="%s"}'
SUBMITS, SERVER = 'http_server_request_duration_seconds_bucket{operation="createJob",le="%s"}', '{instance="a",job="plimsoll"}'
STATE = 'plimsoll_device_state{device="d",node="n",state="%s"}'
# Alert -> series of 40 minutes during which it fires at the end, and those during which it does not.
CASES = {
    "PlimsollDown": ({}, {"plimsoll_build_info": "1"}),
    "PlimsollErrors": ({REQUESTS % 200: "0+90", REQUESTS % 503: "0+10"}, {REQUESTS % 200: "0+1000", REQUESTS % 404: "0+500", REQUESTS % 503: "0+1"}),
    "PlimsollSubmitSlow": ({SUBMITS % 1: "0+50", SUBMITS % 5: "0+100", SUBMITS % "+Inf": "0+100"},
                           {SUBMITS % 1: "0+100", SUBMITS % 5: "0+100", SUBMITS % "+Inf": "0+100"}),
    "PlimsollWorkWaits": ({DEPTH % "ready": "3", DEPTH % "leased": "0"}, {DEPTH % "ready": "3", DEPTH % "leased": "1"}),
    "PlimsollDeviceFailed": ({STATE % "failed": "1"}, {STATE % "failed": "0", STATE % "busy": "1"}),
    "PlimsollDeviceGone": ({STATE % "gone": "1"}, {STATE % "gone": "0", STATE % "ready": "1"}),
    "PlimsollWorkersDie": ({"plimsoll_leases_expired_total": "0+1"}, {"plimsoll_leases_expired_total": "2"}),
    "PlimsollTasksFail": ({TASKS % "done": "0+1", TASKS % "failed": "0+2"}, {TASKS % "done": "0+2", TASKS % "failed": "0+1"}),
    "PlimsollDeviceMemoryErrors": ({"plimsoll_device_memory_errors": "1"}, {"plimsoll_device_memory_errors": "0"}),
    "PlimsollDeviceWarning": ({'plimsoll_device_warning{code="hot"}': "1"}, {'plimsoll_device_warning{code="hot"}': "0"}),
    "PlimsollDutyFails": ({DUTIES % "failed": "0+1", DUTIES % "done": "7"}, {DUTIES % "failed": "0+1", DUTIES % "done": "0+1"}),
    "PlimsollVacuumBlocked": ({"plimsoll_vacuum_blocked_seconds": "3601"}, {"plimsoll_vacuum_blocked_seconds": "3599"}),
    "PlimsollDatabaseBusy": ({'plimsoll_database_calls{state="waiting"}': "51"},
                             {'plimsoll_database_calls{state="waiting"}': "1", 'plimsoll_database_calls{state="under_way"}': "60"}),
    "PlimsollFilesRunOut": ({"process_open_fds" + SERVER: "900", "process_max_fds" + SERVER: "1000", "plimsoll_build_info" + SERVER: "1"},
                            {"process_open_fds" + SERVER: "900", "process_max_fds" + SERVER: "1000"}),
}


def case(name, series, fires):
    return {"interval": "1m",
            "input_series": [{"series": one, "values": values + (FORTY if "+" in values else "+0" + FORTY)}
                             for one, values in series.items()],
            "promql_expr_test": [{"expr": f'count(ALERTS{{alertname="{name}",alertstate="firing"}})', "eval_time": "39m",
                                  "exp_samples": [{"labels": "{}", "value": 1}] if fires else []}]}


class Monitoring(unittest.TestCase):
    def promtool(self, *arguments):
        done = subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_alert_fires_when_it_should_and_only_then(self):
        self.promtool("check", "rules", RULES)
        self.assertEqual(re.findall(r"- alert: (\w+)", RULES.read_text()), list(CASES))
        with tempfile.TemporaryDirectory() as folder:
            tests = pathlib.Path(folder, "tests.yaml")
            tests.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [
                case(name, series, fires) for name, both in CASES.items() for series, fires in zip(both, (True, False))]}))
            self.promtool("test", "rules", tests)

    def test_every_panel_is_a_valid_query(self):
        rules = [{"record": f"panel:{at}", "expr": one.replace("$__rate_interval", "1m")} for at, one in enumerate(EXPRESSIONS)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "panels.yaml")
            path.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
            self.promtool("check", "rules", path)

    def test_what_they_read_is_what_a_server_has(self):
        server = Server(metrics__listen="127.0.0.1:0").start()
        self.addCleanup(server.remove)
        api = server.api()
        api.wait(api.submit_texts(["good"]))
        labels = {}
        while "plimsoll_worker_tasks_total" not in labels or "plimsoll_duty_runs_total" not in labels:  # after a heartbeat
            with urllib.request.urlopen(server.metrics, timeout=60) as answer:
                text = answer.read().decode()
            known = set(re.findall(r"^# TYPE (\w+)", text, re.M))
            for name, inside in re.findall(r"^(\w+)(?:\{(.*)\})? ", text, re.M):
                labels.setdefault(name, set()).update(re.findall(r'(\w+)="', inside))
        read = RULES.read_text() + "\n".join(EXPRESSIONS)
        for name in set(re.findall(r"\b(?:plimsoll|process|http_server)_\w+", read)):
            self.assertIn(re.sub(r"_(count|bucket)$", "", name), known)
        for name, inside in re.findall(r"\b((?:plimsoll|http_server)_\w+)\{(.*?)\}", read):
            if name in labels:  # others need a GPU
                self.assertLessEqual(set(re.findall(r"(\w+)=", inside)), labels[name], name)


if __name__ == "__main__":
    unittest.main()
