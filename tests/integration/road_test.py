"""The path from REST to a report, with the real programs."""

import csv
import io
import json
import socket
import time
import unittest

from harness import PATIENCE, ROOT, Api, Server


class Road(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def test_every_text_gets_the_score_of_the_reference(self):
        truth = [json.loads(line) for line in (ROOT / "tests/data/vader/crafted.jsonl").read_text("utf-8").split("\n") if line]
        items = [{"custom_id": f"c-{i}", "text": row["text"]} for i, row in enumerate(truth)]
        reply = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"items": items}})
        self.assertEqual(reply.status, 202, reply.body)
        self.assertEqual(reply.headers["Location"], "/v1/jobs/" + reply.json["id"])
        job = self.api.wait(reply.json["id"])
        self.assertEqual(job["state"], "succeeded")
        self.assertEqual(job["progress"]["items_done"], len(truth))
        rows = self.api.results(job["id"])
        self.assertEqual([row["index"] for row in rows], list(range(len(truth))))
        for row, expected in zip(rows, truth):
            got = (row["compound"], row["positive"], row["neutral"], row["negative"])
            self.assertEqual(got, tuple(expected[k] for k in ("compound", "pos", "neu", "neg")), expected["text"])
            self.assertEqual(row["custom_id"], f"c-{row['index']}")
        report = self.api.get(f"/v1/jobs/{job['id']}/report").json
        self.assertEqual(report["items"], {"total": len(truth), "ok": len(truth), "failed": 0})
        self.assertEqual(sum(b["count"] for b in report["summary"]["histogram"]), len(truth))

    def test_results_come_as_json_jsonl_and_csv(self):
        job = self.api.submit_texts(["good", '=cmd|"x"', "line\nbreak, comma"])
        self.api.wait(job)
        as_json = self.api.get(f"/v1/jobs/{job}/results", headers={"Accept": "application/json"}).json["items"]
        self.assertEqual(as_json, self.api.results(job))
        text = self.api.get(f"/v1/jobs/{job}/results.csv").body.decode()
        table = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([float(row["compound"]) for row in table], [row["compound"] for row in as_json])

    def test_an_item_that_cannot_be_scored_does_not_fail_the_others(self):
        job = self.api.submit_texts(["good", "x" * 1_000_000, "bad"])
        ended = self.api.wait(job)
        self.assertEqual((ended["state"], ended["progress"]["items_failed"]), ("succeeded", 1))
        rows = self.api.results(job)
        self.assertEqual([row["error"] is None for row in rows], [True, False, True])
        self.assertEqual(rows[1]["error_code"], "too_large")

    def test_the_same_key_makes_one_job(self):
        body = {"kind": "sentiment", "args": {"texts": ["once"]}}
        first, again = (self.api.post("/v1/jobs", body, headers={"Idempotency-Key": "k-1"}) for _ in range(2))
        self.assertEqual((first.status, again.status), (202, 202))
        self.assertEqual(first.json["id"], again.json["id"])
        self.assertEqual(again.headers["Idempotency-Replayed"], "true")
        other = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["two"]}},
                              headers={"Idempotency-Key": "k-1"})
        self.assertEqual(other.status, 422)

    def test_events_are_numbered_without_gaps_and_resume(self):
        job = self.api.submit_texts(["good"] * 50)
        self.api.wait(job)
        events = self.api.get(f"/v1/jobs/{job}/events").json["items"]
        self.assertEqual([event["number"] for event in events], list(range(1, len(events) + 1)))
        stream = self.api.get(f"/v1/jobs/{job}/events", headers={"Accept": "text/event-stream", "Last-Event-ID": "1"})
        ids = [int(line[4:]) for line in stream.body.decode().splitlines() if line.startswith("id: ")]
        self.assertEqual(ids, [event["number"] for event in events[1:]])

    def test_the_command_line_submits_and_reports(self):
        sample = ROOT / "deploy/samples/headlines.jsonl"
        done = self.server.run("submit", "sentiment", sample, "--watch", "--name", "from a test")
        self.assertIn("succeeded", done.stdout)
        self.assertIn(f"{len(sample.read_text().splitlines())} texts scored by vader", done.stdout)
        self.assertIn("MOST POSITIVE", done.stdout)
        listed = json.loads(self.server.run("--json", "jobs").stdout)["items"]
        self.assertEqual(listed[0]["name"], "from a test")
        # An OpenCL device is listed once its self-tests have passed, which takes a driver's time.
        deadline = time.monotonic() + PATIENCE
        names = []
        while not any(name.startswith("opencl:") for name in names):
            self.assertLess(time.monotonic(), deadline, names)
            names = [device["device"] for device in json.loads(self.server.run("--json", "devices").stdout)["items"]]
        self.assertIn("host", names)

    def test_the_command_line_reports_errors_of_a_job(self):
        sample = ROOT / "deploy/samples/headlines.jsonl"
        refused = self.server.run("submit", "sentiment", sample, "--set", "model=bert", check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertRegex(refused.stderr, r'(?m)^Error: --set model: No worker has a model "bert". Available: vader\.')

    def test_the_command_line_lists_columns_it_does_not_send(self):
        lines = '{"text": "good"}\n{"text": "bad", "custom_ID": "h-2"}\n'
        done = self.server.run("submit", "sentiment", "-", input=lines)
        self.assertIn('-:2: the member "custom_ID" is not sent', done.stderr)
        self.assertEqual(self.api.wait(done.stdout.strip())["progress"]["items_total"], 2)

    def test_another_teams_job_looks_missing(self):
        job = self.api.submit_texts(["mine"])
        self.server.admin("add-team", "others")
        self.server.admin("add-user", "eve")
        self.server.admin("set-member", "--team", "others", "--user", "eve", "--role", "owner")
        other = self.server.api(user="eve", team="others")
        missing = "job_" + "0" * 12 + "1"
        for path in ("", "/events", "/report", "/results"):
            foreign = other.get(f"/v1/jobs/{job}{path}")
            absent = other.get(f"/v1/jobs/{missing}{path}")
            self.assertEqual((foreign.status, absent.status), (404, 404), path)
            self.assertEqual({**foreign.json, "request_id": ""}, {**absent.json, "request_id": ""})
        self.assertEqual(other.get("/v1/jobs").json["items"], [])

    def test_a_sign_in_link_works_once(self):
        link = self.server.admin("sign-in-link", "--base-url", self.server.base)
        self.server.run("login", link)
        again = self.server.run("login", link, check=False)
        self.assertEqual(again.returncode, 3, again.stderr)
        self.assertIn("has already been used", again.stderr)

    def test_a_sign_in_link_names_the_server_that_runs(self):
        ours = self.server.base + "/#/sign-in/plm_signin_"
        self.assertTrue(self.server.admin("sign-in-link").startswith(ours))
        # Neither the settings nor a sign-in to another server of this machine lead away from it.
        nobody = {"PLIMSOLL_CREDENTIALS": str(self.server.folder / "none.json"), "PLIMSOLL_HTTP_PORT": "4711"}
        elsewhere = {"PLIMSOLL_SERVER": "http://127.0.0.1:4712", "PLIMSOLL_TOKEN": "plm_api_x"}
        for environment in (nobody, elsewhere):
            link = self.server.admin("sign-in-link", env=environment)
            self.assertTrue(link.startswith(ours), link)
        remote = {"PLIMSOLL_SERVER": "https://plimsoll.example", "PLIMSOLL_TOKEN": "plm_api_x"}
        self.assertTrue(self.server.admin("sign-in-link", env=remote).startswith("https://plimsoll.example/#/"))

    def test_a_saved_token_goes_to_its_own_server_alone(self):
        mine = {"PLIMSOLL_CREDENTIALS": str(self.server.folder / "wallet.json")}
        tokens = []
        for _ in range(2):
            self.server.run("login", self.server.admin("sign-in-link", "--base-url", self.server.base), env=mine)
            wallet = json.loads((self.server.folder / "wallet.json").read_text())
            tokens.append(wallet["servers"][self.server.base]["token"])
        # The second login ended the first one's token, which nobody would use any more.
        self.assertEqual([Api(self.server.base, token).get("/v1/users/me").status for token in tokens], [401, 200])
        with socket.create_server(("127.0.0.1", 0)) as other:
            address = f"http://127.0.0.1:{other.getsockname()[1]}"
            asked = self.server.run("whoami", env={**mine, "PLIMSOLL_SERVER": address}, check=False)
            self.assertEqual(asked.returncode, 3, asked.stderr)
            self.assertIn("Not signed in to " + address, asked.stderr)
            other.setblocking(False)
            self.assertRaises(BlockingIOError, other.accept)
        self.assertEqual(self.server.run("use", env=mine).stdout, f"* {self.server.base}\n")
        token = next(iter(json.loads((self.server.folder / "wallet.json").read_text())["servers"].values()))["token"]
        self.assertIn(self.server.base, self.server.run("logout", env=mine).stdout)
        self.assertEqual(Api(self.server.base, token).get("/v1/users/me").status, 401)
        self.assertEqual(self.server.run("whoami", env=mine, check=False).returncode, 3)
        given = {"PLIMSOLL_SERVER": self.server.base, "PLIMSOLL_TOKEN": token}
        expired = self.server.run("whoami", env={**mine, **given}, check=False)
        self.assertEqual(expired.returncode, 3)
        self.assertIn("plimsoll login", expired.stderr)

    def test_a_token_revokes_itself_and_no_other(self):
        admin = self.server.api()
        made = [admin.post("/v1/tokens", {"name": name, "scopes": ["jobs:read"]}).json for name in ("one", "other")]
        one = Api(self.server.base, made[0]["secret"])
        self.assertEqual(one.send("DELETE", "/v1/tokens/" + made[1]["token"]["id"]).status, 403)
        self.assertEqual(one.send("DELETE", "/v1/tokens/current").status, 204)
        self.assertEqual(one.get("/v1/jobs").status, 401)
        self.assertEqual(Api(self.server.base, made[1]["secret"]).get("/v1/jobs").status, 200)

    def test_a_second_system_admin_signs_in_to_their_own_team(self):
        self.server.admin("add-team", "operators")
        self.server.admin("add-user", "root", "--administrator")
        self.server.admin("set-member", "--team", "operators", "--user", "root", "--role", "owner")
        theirs = {"PLIMSOLL_CREDENTIALS": str(self.server.folder / "root.json")}
        link = self.server.admin("sign-in-link", "--user", "root", "--base-url", self.server.base)
        self.assertIn("as root, team operators", self.server.run("login", link, env=theirs).stdout)

    def test_nothing_under_v1_is_public(self):
        nobody = Api(self.server.base)
        for path in ("/v1/jobs", "/v1/users/me", "/v1/devices", "/v1/tokens", "/v1/jobs/job_0000000000001"):
            self.assertEqual(nobody.get(path).status, 401, path)
        self.assertEqual(nobody.get("/readyz").status, 200)

    def test_a_revoked_token_stops_working_at_once(self):
        admin = self.server.api()
        made = admin.post("/v1/tokens", {"name": "short", "scopes": ["jobs:read"]}).json
        short = Api(self.server.base, made["secret"])
        self.assertEqual(short.get("/v1/jobs").status, 200)
        self.assertEqual(short.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["x"]}}).status, 403)
        self.assertEqual(admin.send("DELETE", "/v1/tokens/" + made["token"]["id"]).status, 204)
        self.assertEqual(short.get("/v1/jobs").status, 401)

    def test_a_finished_job_can_be_deleted_with_its_data(self):
        job = self.api.submit_texts(["to be forgotten"])
        self.api.wait(job)
        self.assertEqual(self.api.send("DELETE", f"/v1/jobs/{job}").status, 204)
        for path in ("", "/report", "/results", "/events"):
            self.assertEqual(self.api.get(f"/v1/jobs/{job}{path}").status, 404, path)


if __name__ == "__main__":
    unittest.main()
