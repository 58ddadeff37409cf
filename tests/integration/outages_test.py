"""Outages of the database that last longer than a lease, and a worker that is killed among a team's small jobs. Nothing
that was acknowledged fails, and the small jobs go on."""

import bisect
import contextlib
import http.server
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from harness import PATIENCE, ROOT, Server, command_line  # noqa: E402

OUTAGE = 22  # seconds; a lease lasts 15
SMALL_JOBS, HELD_JOBS, MOST_SUSPECTS = 2000, 200, 16
MOST_SECONDS, MOST_TIMES = 3, 10  # until a team's small jobs end, and of their time without a kill


class SlowModel(http.server.BaseHTTPRequestHandler):
    """A language model that takes longer than an outage."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(9)
        with contextlib.suppress(OSError):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"response": "So", "done": false}\n{"response": "", "done": true, "eval_count": 1, '
                             b'"eval_duration": 1000000, "prompt_eval_count": 1}\n')

    def log_message(self, *_):
        pass


class Outages(unittest.TestCase):
    def test_no_job_fails_in_two_of_them(self):
        model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowModel)
        threading.Thread(target=model.serve_forever, daemon=True).start()
        self.addCleanup(model.server_close)
        self.addCleanup(model.shutdown)
        endpoint = f"http://127.0.0.1:{model.server_port}/api/generate"
        folder, url = subprocess.check_output([ROOT / "tests/support/postgres", "start"], text=True).split()
        self.addCleanup(subprocess.run, [ROOT / "tests/support/postgres", "stop", folder], check=True)
        with unittest.mock.patch.dict(os.environ, {"LLM_ENDPOINT_URL": endpoint}):
            server = Server(database__url=url.replace("postgres@", "plimsoll_app@"),
                            database__worker_url=url.replace("postgres@", "plimsoll_worker@"),
                            limits__requests_per_minute="0", limits__team_requests_per_minute="0").start()
        self.addCleanup(server.remove)
        api = server.api()
        reply = api.post("/v1/jobs", {"kind": "profile", "args": {"mode": "llm", "llm_endpoint": endpoint, "llm_model": "slow"}})
        self.assertEqual(reply.status, 202, reply.body[:500])
        jobs = [reply.json["id"]] + [api.submit_texts([f"A quiet harbour, and boat {n}."] * 3000) for n in range(50)]
        for _ in range(2):
            self.run_postgres(folder, "-m", "immediate", "stop")
            time.sleep(OUTAGE)
            self.run_postgres(folder, "-l", f"{folder}/log", "start")
            jobs.append(self.when_back(api))
            time.sleep(3)
        ended = [api.wait(job) for job in jobs]
        self.assertEqual([job for job in ended if job["state"] != "succeeded"], [])

    @staticmethod
    def when_back(api):
        while (reply := api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["good"]}})).status != 202:
            time.sleep(0.1)
        return reply.json["id"]

    @staticmethod
    def run_postgres(folder, *arguments):
        binary = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))[-1]
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.getuid() == 0 else []
        subprocess.run([*user, binary, "-D", f"{folder}/data", "-w", *arguments], check=True, cwd="/",
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class SmallJobs(unittest.TestCase):
    def submit(self):
        bundle = {"jobs": [{"kind": "sentiment", "args": {"texts": [f"boat {n}"]}} for n in range(SMALL_JOBS)]}
        reply = self.api.post("/v1/job-bundles", bundle)
        self.assertEqual(reply.status, 202, reply.body[:500])
        return [item["job_id"] for item in reply.json["items"]]

    def all_jobs(self):
        more = ""
        while more is not None:
            page = self.api.get("/v1/jobs?limit=200" + (more and f"&cursor={more}")).json
            yield from page["items"]
            more = page["next_cursor"]

    def until_all_ended(self, jobs):
        """The seconds until then."""
        began = time.monotonic()
        self.assertEqual(self.api.wait(jobs[-1])["state"], "succeeded")
        for state in ("queued", "running"):
            while left := self.api.get(f"/v1/jobs?state={state}&limit=1").json["items"]:
                self.api.wait(left[0]["id"])
        return time.monotonic() - began

    def test_go_on_when_a_worker_is_killed_among_them(self):
        """It is stopped first, where it holds many that it has not begun."""
        server = Server(limits__requests_per_minute="0", limits__team_requests_per_minute="0").start()
        self.addCleanup(server.remove)
        self.api = server.api()
        self.api.wait(self.api.submit_texts(["good"]))
        undisturbed = self.until_all_ended(self.submit())
        [worker] = [pid for pid in server.children("plimsoll-engine") if "--device host" in command_line(pid)]
        held = []
        while len(held) < HELD_JOBS:
            os.kill(worker, signal.SIGCONT)
            jobs = self.submit()
            while self.api.get(f"/v1/jobs/{jobs[0]}").json["state"] == "queued":
                pass
            os.kill(worker, signal.SIGSTOP)
            # They have one lane: those that have ended, then what the worker holds, then those that are next.
            first, next_one = (bisect.bisect_left(jobs, True, key=lambda job: self.api.get(f"/v1/jobs/{job}").json["state"] in states)
                               for states in (("running", "queued"), ("queued",)))
            held = jobs[first:next_one]
            if held and self.api.get(f"/v1/jobs/{held[-1]}?wait=2").json["state"] != "running":
                held = []  # it had just recorded them
        os.kill(worker, signal.SIGKILL)
        waited = self.until_all_ended(jobs)
        suspects = sum(job["retries"] > 0 for job in self.all_jobs())
        print(f"{len(held)} of {SMALL_JOBS} jobs were held, {suspects} suspect: all ended {waited:.1f} s after the kill, "
              f"undisturbed ones in {undisturbed:.1f} s", flush=True)
        self.assertEqual(self.api.get("/v1/jobs?state=failed").json["items"], [])
        # What it had not begun is not suspect: each of them would run alone, which took 29 to 68 s.
        self.assertLessEqual(suspects, MOST_SUSPECTS)
        self.assertLess(waited, MOST_SECONDS + MOST_TIMES * undisturbed)


if __name__ == "__main__":
    unittest.main()
