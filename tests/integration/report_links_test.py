"""Links that show one report to anyone who has them: what they open, and that they open nothing else."""

import datetime
import json
import unittest
from http.client import HTTPConnection
from urllib.parse import urlsplit

import psycopg
from harness import Api, Server
from queue_client import connect, url_for

DAY = datetime.timedelta(days=1)


def later(time=DAY):
    return (datetime.datetime.now(datetime.timezone.utc) + time).isoformat()


class ReportLinks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = connect()
        cls.addClassCleanup(cls.database.close)
        cls.server = Server(database__url=url_for("plimsoll_app"), database__worker_url=url_for("plimsoll_worker")).start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        cls.team = cls.api.get("/v1/users/me").json["team"]["name"]
        cls.job = cls.finished(["good", "calm", "a disaster"], name="Morning")
        cls.other = cls.finished(["a secret"], name="Not shared")

    @classmethod
    def finished(cls, texts, **job):
        reply = cls.api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": texts}, **job})
        assert reply.status == 202, reply.body
        return cls.api.wait(reply.json["id"])["id"]

    def share(self, api=None, job=None, **spec):
        reply = (api or self.api).post(f"/v1/jobs/{job or self.job}/report-links", spec)
        self.assertEqual(reply.status, 201, reply.body)
        return reply.json

    def opened(self, secret, path="", **headers):
        """As a stranger asks for it."""
        return Api(self.server.base).get("/v1/linked-report" + path, headers={"X-Report-Link": secret, **headers})

    def one(self, sql, *values):
        return self.database.execute(sql, values).fetchone()[0]

    def audited(self, action):
        return self.one("select count(*) from audit_event where action = %s", action)

    def test_whoever_has_the_link_reads_the_report_and_its_rows(self):
        made = self.share(note="For the desk")
        link, secret = made["report_link"], made["secret"]
        self.assertEqual((link["job_id"], link["job_name"], link["note"], link["opens"]), (self.job, "Morning", "For the desk", 0))
        self.assertEqual(made["path"], "/#/shared/" + secret)
        shown = self.opened(secret)
        self.assertEqual(shown.status, 200, shown.body)
        own = self.api.get(f"/v1/jobs/{self.job}/report").json
        [device] = own["summary"]["devices"]
        node, _, name = device["device"].rpartition("/")
        self.assertNotIn(f'"{node}'.encode(), shown.body)
        device["device"] = f"node-1/{name}"  # of machines, nobody learns names
        self.assertEqual(shown.json["report"], own)
        self.assertEqual((shown.json["shared_by"], shown.json["note"], shown.json["job"]["name"]), ("admin", "For the desk", "Morning"))
        self.assertEqual(self.opened(secret, "/results.jsonl").body, self.api.get(f"/v1/jobs/{self.job}/results.jsonl").body)
        self.assertEqual(self.opened(secret, "/results.csv").body, self.api.get(f"/v1/jobs/{self.job}/results.csv").body)
        [row] = self.opened(secret, "/results.jsonl?offset=1&limit=1").body.splitlines()
        self.assertEqual(json.loads(row)["index"], 1)
        part = self.opened(secret, "/results.jsonl?compress=false", Range="bytes=0-9")
        self.assertEqual((part.status, len(part.body)), (206, 10))
        [listed] = [one for one in self.api.get(f"/v1/report-links?job_id={self.job}").json["items"] if one["id"] == link["id"]]
        self.assertGreaterEqual(listed["opens"], 1)
        self.assertIsNotNone(listed["opened_at"])
        self.assertNotIn(secret, json.dumps(listed))

    def test_it_opens_nothing_else(self):
        secret = self.share()["secret"]
        for name in ("Authorization", "X-Report-Link"):
            stranger = {name: ("Bearer " if name == "Authorization" else "") + secret}
            for path in ("/v1/users/me", "/v1/jobs", f"/v1/jobs/{self.job}", f"/v1/jobs/{self.job}/report",
                         f"/v1/jobs/{self.other}/report", f"/v1/jobs/{self.job}/attempts", "/v1/report-links", "/v1/devices"):
                self.assertEqual(Api(self.server.base).get(path, headers=stranger).status, 401, path)
        self.assertNotIn(b"Not shared", self.opened(secret).body)

    def test_the_database_shows_the_role_of_links_one_job_alone(self):
        secret = self.share()["secret"]
        self.assertGreater(self.one("select count(*) from job"), 1)
        known = self.one("select encode(sha256(%s::text::bytea), 'hex')", secret)

        def as_guest(hash_, sql):
            with self.database.transaction(force_rollback=True):
                self.database.execute("insert into task select id, 0, team_id, 0, 1, 1, '' from job on conflict do nothing")
                self.database.execute("set local role plimsoll_guest")
                self.database.execute("select set_config('app.report_link', %s, true)", [hash_])
                return self.one(sql)

        for hash_, rows in ((known, 1), ("", 0), ("00" * 32, 0)):
            for sql in ("select count(id) from job", "select count(*) from report", "select count(*) from report_link",
                        "select count(distinct job_id) from result", "select count(distinct job_id) from task"):
                self.assertEqual(as_guest(hash_, sql), rows, sql)
        for sql in ("select input from task", "select input from job", "select 1 from job_task", "select labels from job", "select partial from result",
                    *(f"select count(*) from {table}" for table in ("token", "session", "membership", "dataset", "event", "webhook", "team_record"))):
            with self.assertRaises(psycopg.errors.InsufficientPrivilege, msg=sql):
                as_guest(known, sql)

    def test_a_link_ends_by_being_revoked_and_by_its_time(self):
        before = self.audited("report_link.revoke")
        made = self.share()
        path = "/v1/report-links/" + made["report_link"]["id"]
        self.assertEqual(self.api.send("DELETE", path).status, 204)
        self.assertEqual(self.api.send("DELETE", path).status, 404)
        self.assertEqual((self.opened(made["secret"]).status, self.opened(made["secret"], "/results.csv").status), (404, 404))
        self.assertEqual(self.audited("report_link.revoke"), before + 1)
        short = self.share()
        self.database.execute("update report_link set expires_at = clock_timestamp() where hash = sha256(%s::text::bytea)", [short["secret"]])
        self.assertEqual(self.opened(short["secret"]).status, 404)
        self.assertNotIn(short["report_link"]["id"], json.dumps(self.api.get("/v1/report-links").json))

    def test_the_list_comes_in_pages(self):
        job = self.finished(["shared twice"])
        made = [self.share(job=job)["report_link"]["id"] for _ in range(2)]
        first = self.api.get(f"/v1/report-links?job_id={job}&limit=1").json
        second = self.api.get(f"/v1/report-links?job_id={job}&limit=1&cursor={first['next_cursor']}").json
        self.assertEqual([one["id"] for page in (first, second) for one in page["items"]], made[::-1])
        self.assertIsNone(second["next_cursor"])

    def test_a_repeated_call_makes_no_second_link(self):
        path, key = f"/v1/jobs/{self.job}/report-links", {"Idempotency-Key": "share-once"}
        before = self.one("select count(*) from report_link")
        first = self.api.post(path, {"note": "Once"}, headers=key)
        self.assertEqual(first.status, 201, first.body)
        self.assertEqual(first.headers["Location"], "/v1/report-links/" + first.json["report_link"]["id"])
        again = self.api.post(path, {"note": "Once"}, headers=key)
        self.assertEqual((again.status, again.json["type"]), (409, "/docs/problems/already-made"))
        self.assertEqual(again.headers["Location"], first.headers["Location"])
        self.assertNotIn(first.json["secret"], again.body.decode())
        self.assertEqual(self.api.post(path, {"note": "Twice"}, headers=key).status, 422)
        self.assertEqual(self.one("select count(*) from report_link"), before + 1)

    def test_openings_are_audited_once_an_hour(self):
        before = self.audited("report_link.open")
        made = self.share()
        for _ in range(3):
            self.assertEqual(self.opened(made["secret"]).status, 200)
        self.assertEqual(self.audited("report_link.open"), before + 1)
        link = made["report_link"]["id"]
        opened, created = self.api.get("/v1/audit-events?target=" + link).json["items"]
        self.assertEqual([opened["action"], opened["target"]], ["report_link.open", link])
        self.assertEqual([created["action"], created["target"], created["data"]["job"]], ["report_link.create", link, self.job])

    def test_a_link_ends_with_who_made_it_and_with_the_token(self):
        self.server.admin("add-user", "grace")
        self.server.admin("set-member", "--user", "grace", "--role", "member", "--team", self.team)
        grace = self.server.api("grace", self.team)
        made = self.share(grace)
        user = next(one["id"] for one in self.api.get("/v1/users").json["items"] if one["name"] == "grace")
        self.api.send("PATCH", "/v1/users/" + user, {"disabled": True})
        self.assertEqual(self.opened(made["secret"]).status, 404)
        self.api.send("PATCH", "/v1/users/" + user, {"disabled": False})
        self.assertEqual(self.opened(made["secret"]).status, 200)
        self.assertEqual(grace.send("DELETE", "/v1/tokens/current").status, 204)
        self.assertEqual(self.opened(made["secret"]).status, 404)
        self.server.admin("set-member", "--user", "grace", "--role", "viewer", "--team", self.team)

    def test_it_expires_no_later_than_the_token_that_made_it(self):
        end = later(DAY / 2)
        scopes = ["jobs:read", "jobs:write", "reports:read", "team:admin", "sys:admin"]
        token = self.api.post("/v1/tokens", {"name": "short", "scopes": scopes, "expires_at": end}).json["secret"]
        short = Api(self.server.base, token)
        refused = short.post(f"/v1/jobs/{self.job}/report-links", {"expires_at": later()})
        self.assertEqual((refused.status, refused.json["errors"][0]["pointer"]), (422, "/expires_at"))
        self.assertLess(self.share(short)["report_link"]["expires_at"], later(DAY / 2 + DAY / 24))

    def test_who_may_not_share(self):
        reading = self.api.post("/v1/tokens", {"name": "r", "scopes": ["jobs:read", "reports:read"]}).json["secret"]
        writing = self.api.post("/v1/tokens", {"name": "w", "scopes": ["jobs:read", "jobs:write"]}).json["secret"]
        for token in (reading, writing):
            self.assertEqual(Api(self.server.base, token).post(f"/v1/jobs/{self.job}/report-links", {}).status, 403)

    def test_what_cannot_be_shared(self):
        waiting = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["x"]}, "run_at": "2100-01-01T00:00:00Z"}).json["id"]
        self.assertEqual(self.api.post(f"/v1/jobs/{waiting}/report-links", {}).status, 409)
        self.assertEqual(self.api.post("/v1/jobs/job_0000000000000/report-links", {}).status, 404)
        for spec in ({"expires_at": "2020-01-01T00:00:00Z"}, {"expires_at": later(366 * DAY)}, {"note": " "}, {"expires_at": "soon"}):
            reply = self.api.post(f"/v1/jobs/{self.job}/report-links", spec)
            self.assertEqual((reply.status, reply.json["errors"][0]["pointer"]), (422, "/" + next(iter(spec))), spec)

    def test_the_link_of_a_deleted_job_opens_nothing(self):
        job = self.finished(["gone"])
        secret = self.share(job=job)["secret"]
        self.assertEqual(self.api.send("DELETE", "/v1/jobs/" + job).status, 204)
        self.assertEqual(self.opened(secret).status, 404)

    def test_guessing_is_slowed_down(self):
        where = urlsplit(self.server.base)
        answers = []
        for _ in range(200):
            connection = HTTPConnection(where.hostname, where.port, source_address=("127.9.9.9", 0))
            connection.request("GET", "/v1/linked-report", headers={"X-Report-Link": "plm_report_nobodys"})
            answers.append(connection.getresponse().status)
            connection.close()
            if answers[-1] == 429:
                break
        self.assertEqual((answers[0], answers[-1]), (404, 429))

    def test_the_command_shares_lists_and_revokes(self):
        told = self.server.run("links", "add", self.job, "--days", "2", "--note", "By command").stdout.strip()
        self.assertTrue(told.startswith(self.server.base + "/#/shared/"), told)
        secret = told.rpartition("/")[2]
        self.assertEqual(self.opened(secret).json["note"], "By command")
        listed = next(line for line in self.server.run("links", "list").stdout.splitlines() if "By command" in line)
        self.server.run("links", "revoke", listed.split()[0])
        self.assertEqual(self.opened(secret).status, 404)
        refused = self.server.run("links", "add", self.job, "--days", "0", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("--days", refused.stderr)


if __name__ == "__main__":
    unittest.main()
