"""Schedules with the real programs: from the command line to jobs submitted at their due times."""

import json
import time
import unittest

from harness import PATIENCE, Server

JOB = {"kind": "sentiment", "name": "from a schedule", "args": {"texts": ["Shares soar!"]}}


class Schedules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(log__level="debug").start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def make(self, **given):
        spec = {"name": self.id(), "cron": "* * * * *", "overlap": "allow", "job": JOB} | given
        reply = self.api.post("/v1/schedules", spec)
        self.assertEqual(reply.status, 201, reply.body)
        path = "/v1/schedules/" + reply.json["id"]
        self.addCleanup(self.api.send, "DELETE", path)
        return path, reply.json

    def runs(self, path):
        return self.api.get(path + "/runs").json["items"]

    def first_run(self, path):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if runs := self.runs(path):
                return runs[-1]
        raise AssertionError("nothing was due")

    def test_a_job_is_submitted_when_its_time_comes(self):
        path, schedule = self.make()
        run = self.first_run(path)
        self.assertEqual((run["outcome"], run["triggered_by"], run["missed"]), ("submitted", None, 0), run)
        self.assertTrue(run["due_at"].endswith(":00.000Z"), run)
        job = self.api.wait(run["job_id"])
        self.assertEqual(job["state"], "succeeded")
        self.assertEqual(job["schedule"], {"id": schedule["id"], "name": schedule["name"], "due_at": run["due_at"]})
        self.assertEqual(self.api.send("DELETE", path).status, 204)
        self.assertIsNone(self.api.get("/v1/jobs/" + run["job_id"]).json["schedule"]["name"])

    def test_a_text_with_a_nul_breaks_no_list(self):
        path, schedule = self.make(cron="0 0 1 1 *", job=JOB | {"args": {"texts": ["a\0b", "\\u0000", "kind"]}})
        listed = {each["id"]: each for each in self.api.get("/v1/schedules").json["items"]}
        self.assertEqual(listed[schedule["id"]]["kind"], "sentiment")
        self.assertEqual(self.api.get(path).json["job"]["args"]["texts"], ["a\0b", "\\u0000", "kind"])

    def test_run_now_pause_and_resume(self):
        path, _ = self.make(cron="0 0 1 1 *")
        self.assertEqual(self.api.post(path + "/pause").json["next_runs"], [])
        reply = self.api.post(path + "/runs", headers={"Idempotency-Key": "once"})
        self.assertEqual(reply.status, 202, reply.body)
        again = self.api.post(path + "/runs", headers={"Idempotency-Key": "once"})
        self.assertEqual(again.json, reply.json)
        self.assertEqual(again.headers["Idempotency-Replayed"], "true")
        self.assertEqual(self.api.wait(reply.json["job_id"])["state"], "succeeded")
        [run] = self.runs(path)
        self.assertEqual((run["outcome"], run["job_state"]), ("submitted", "succeeded"))
        self.assertIsNotNone(run["triggered_by"])
        second = self.api.post(path + "/runs").json["due_at"]
        self.assertEqual([one["due_at"] for one in self.runs(path)], [second, run["due_at"]])
        self.assertEqual(len(self.api.post(path + "/resume").json["next_runs"]), 5)

    def test_a_name_is_unique_and_a_change_checks_the_version(self):
        path, schedule = self.make(cron="0 0 1 1 *")
        spec = {"name": schedule["name"], "cron": "@yearly", "job": JOB}
        taken = self.api.post("/v1/schedules", spec)
        self.assertEqual((taken.status, taken.json["detail"]), (409, "The team has another schedule with this name."))
        put = lambda tag: self.api.send("PUT", path, spec, headers={"If-Match": tag})
        self.assertEqual(put('"7"').status, 412)
        self.assertEqual(put('"1"').json["version"], "2")

    def test_the_command_line(self):
        file = self.server.folder / "job.json"
        file.write_text(json.dumps(JOB))
        run = lambda *arguments, **more: self.server.run("schedules", *arguments, **more).stdout
        run("add", "shell", "--cron", "30 2 * * *", "--time-zone", "Europe/Berlin", "--job", str(file))
        self.assertIn("Europe/Berlin", run("list"))
        [id] = [word for word in run("list").split() if word.startswith("sched_")]
        self.assertIn("T02:30:00+0", run("show", id))
        self.assertIn("T04:15:00+0", run("edit", id, "--cron", "15 4 * * *"))
        self.assertIn("Europe/Berlin", run("show", id))
        run("pause", id)
        self.assertIn("paused", run("list"))
        run("resume", id)
        job = run("run", id).strip()
        self.assertEqual(self.api.wait(job)["state"], "succeeded")
        self.assertIn("succeeded", run("runs", id))
        wrong = self.server.run("schedules", "edit", id, "--cron", "15 24 * * *", check=False)
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn('hour: "24" is not between 0 and 23', wrong.stderr)
        run("remove", id)
        self.assertNotIn(id, run("list"))


if __name__ == "__main__":
    unittest.main()
