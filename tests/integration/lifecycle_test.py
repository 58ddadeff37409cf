"""A job's life apart from its run, through the real programs: times, unique keys, reasons to wait, redrives."""

import datetime
import json
import unittest

from harness import Server


def in_hours(hours):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)).isoformat()


class Lifecycle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def submit(self, status=202, **more):
        reply = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["good", "bad"]}, **more})
        self.assertEqual(reply.status, status, reply.body)
        return reply.json

    def test_a_scheduled_job_that_was_cancelled_runs_when_it_is_redriven(self):
        job = self.submit(run_at=in_hours(1), deadline=in_hours(2), timeout_seconds=600)
        self.assertEqual((job["state"], job["timeout_seconds"]), ("scheduled", 600))
        why = self.api.get(job["links"]["wait_reason"]).json
        self.assertEqual((why["reason"], why["until"]), ("scheduled", job["run_at"]))
        self.assertIn("scheduled for later. Until " + job["run_at"], self.server.run("why", job["id"]).stdout)
        self.assertEqual(self.api.post(job["links"]["redrive"]).status, 409)
        self.api.post(job["links"]["cancellation"])
        self.assertEqual(self.api.wait(job["id"])["state"], "cancelled")
        again = self.api.post(job["links"]["redrive"])
        self.assertEqual(again.status, 202)
        self.assertIn(again.json["state"], ["queued", "running", "succeeded"])  # its worker is quick
        self.assertEqual(self.api.wait(job["id"])["state"], "succeeded")
        self.assertEqual(len(self.api.results(job["id"])), 2)
        self.assertEqual(self.api.get(job["links"]["wait_reason"]).json["reason"], "ended")

    def test_a_unique_key_is_held_until_its_job_ends(self):
        unique = {"key": "nightly"}
        job = self.submit(run_at=in_hours(1), unique=unique)
        refused = self.submit(409, unique=unique)
        self.assertIn(job["id"], refused["detail"])
        self.assertEqual(self.submit(200, unique={**unique, "on_conflict": "return"})["id"], job["id"])
        self.api.post(job["links"]["cancellation"])
        self.assertEqual(self.api.wait(self.submit(unique=unique)["id"])["state"], "succeeded")

    def test_a_bundle_is_stored_whole_or_each_job_individually(self):
        good = {"kind": "sentiment", "args": {"texts": ["good"]}}
        bad = {"kind": "sentiment", "args": {}}
        refused = self.api.post("/v1/job-bundles", {"jobs": [good, bad]})
        self.assertEqual((refused.status, refused.json["errors"][0]["pointer"]), (422, "/jobs/1/args"))
        lines = "".join(json.dumps(spec) + "\n" for spec in [good, bad] + [good] * 700)
        done = self.server.run("submit-bundle", "-", "--per-item", input=lines, check=False)
        self.assertEqual((done.returncode, len(done.stdout.split())), (5, 701))
        self.assertIn("Job 2:", done.stderr)
        for job in done.stdout.split()[::100]:
            self.assertEqual(self.api.wait(job)["state"], "succeeded")

    def test_the_command_line_sets_times_priority_and_unique_keys(self):
        options = ("--run-at", in_hours(1), "--deadline", in_hours(2), "--timeout", 60, "--unique", "by hand", "--priority", 7, "--label", "from=cli a&b")
        made = json.loads(self.server.run("--json", "submit", "sentiment", "--set", 'texts=["fine"]', *options).stdout)
        self.assertEqual((made["state"], made["unique_key"], made["priority"], made["timeout_seconds"]), ("scheduled", "by hand", 7, 60))
        listed = json.loads(self.server.run("--json", "jobs", "--label", "from=cli a&b").stdout)["items"]
        self.assertEqual([job["id"] for job in listed], [made["id"]])
        self.server.run("cancel", made["id"])
        self.assertEqual(self.server.run("redrive", made["id"]).stdout.strip(), "1 redriven")
        refused = self.server.run("redrive", "job_0000000000001", check=False)
        self.assertEqual((refused.returncode, "The job was not found." in refused.stderr), (1, True))


class WithoutDevices(unittest.TestCase):
    def test_a_job_that_nobody_can_run_says_so_and_fails_at_its_deadline(self):
        with Server(engine__local="false") as server:
            api = server.api()
            soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=1)
            spec = {"kind": "sentiment", "args": {"texts": ["good"]}, "labels": {"late": "yes"}}
            waiting = api.post("/v1/jobs", spec).json
            self.assertEqual(api.get(waiting["links"]["wait_reason"]).json["reason"], "no_device")
            late = api.post("/v1/jobs", {**spec, "deadline": soon.isoformat()}).json
            ended = api.wait(late["id"])
            self.assertEqual(ended["state"], "failed")
            self.assertIn("did not finish by its deadline", ended["error"])
            done = server.run("--json", "redrive", "--all-failed", "--label", "late=yes")
            self.assertEqual(json.loads(done.stdout), {"redriven": 1, "refused": []})
            again = api.get(late["links"]["self"]).json
            self.assertEqual((again["state"], again["deadline"], again["error"]), ("queued", None, None))


if __name__ == "__main__":
    unittest.main()
