"""Finding, counting and ending many jobs, the attempts of a job, saved views, and sessions that switch teams."""

import datetime
import http.cookiejar
import json
import unittest
import urllib.parse
import urllib.request

from harness import Reply, Server, answers

LATER = "2100-01-01T00:00:00Z"


class Browser:
    """A session with its cookie, as a browser has it."""

    def __init__(self, base, link):
        self.base = base
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(jar)
        self.csrf = None
        answer = self.send("POST", "/v1/sessions", {"sign_in_token": link.rpartition("/")[2]})
        self.csrf = answer["csrf_token"]

    def send(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method,
                                         data=None if body is None else json.dumps(body).encode())
        request.add_header("Content-Type", "application/json")
        request.add_header("Origin", self.base)
        if self.csrf:
            request.add_header("X-CSRF-Token", self.csrf)
        with self.opener.open(request) as answer:
            reply = Reply(answer.status, answer.headers, answer.read())
        answers.check(self.base, method, path, reply)
        return reply.json if reply.body else None

    def status(self, method, path, body=None):
        try:
            self.send(method, path, body)
        except urllib.error.HTTPError as error:
            return error.code
        return 200


class JobsConsole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        cls.me = cls.api.get("/v1/users/me").json
        cls.team = cls.me["team"]["name"]
        cls.server.admin("add-user", "grace")
        cls.server.admin("set-member", "--user", "grace", "--role", "member", "--team", cls.team)
        cls.grace = cls.server.api("grace", cls.team)

    def submit(self, api=None, **job):
        spec = {"kind": "sentiment", "args": {"texts": ["calm"]}, **job}
        reply = (api or self.api).post("/v1/jobs", spec)
        self.assertEqual(reply.status, 202, reply.body)
        return reply.json["id"]

    def found(self, query, api=None):
        """Names of the jobs, over all pages."""
        names, cursor = [], ""
        while cursor is not None:
            reply = (api or self.api).get(f"/v1/jobs?limit=2&{query}{cursor and '&cursor=' + cursor}")
            self.assertEqual(reply.status, 200, reply.body)
            names += [job["name"] for job in reply.json["items"]]
            cursor = reply.json["next_cursor"]
        return names

    def counts(self, query):
        reply = self.api.get(f"/v1/job-counts?{query}")
        self.assertEqual(reply.status, 200, reply.body)
        return {state: jobs for state, jobs in reply.json["jobs"].items() if jobs}, reply.json["complete"]

    def test_jobs_are_found_by_their_properties(self):
        label = {"labels": {"case": "found"}}
        first = self.submit(name="Harbour 50% off", **label)
        self.submit(name="harbour news", run_at=LATER, **label)
        self.submit(api=self.grace, name="Grace's", run_at=LATER, **label)
        job = self.api.wait(first)
        self.assertIn(job["device_class"], ("cpu", "host"))
        mine = "label=case%3Dfound"
        self.assertEqual(self.found(mine), ["Grace's", "harbour news", "Harbour 50% off"])
        self.assertEqual(self.found(f"{mine}&text=HARBOUR"), ["harbour news", "Harbour 50% off"])
        self.assertEqual(self.found(f"{mine}&text=news%20harbour"), ["harbour news"])
        self.assertEqual(self.found(f"{mine}&text=50%25"), ["Harbour 50% off"])
        self.assertEqual(self.found(f"{mine}&text=5_%25"), [])
        self.assertEqual(self.found(f"text={first}"), ["Harbour 50% off"])
        self.assertEqual(self.found(f"{mine}&text=vader"), ["Grace's", "harbour news", "Harbour 50% off"])
        self.assertEqual(self.found(f"{mine}&submitter=grace"), ["Grace's"])
        self.assertEqual(self.found(f"{mine}&submitter={self.me['user']['id']}"), ["harbour news", "Harbour 50% off"])
        self.assertEqual(self.found(f"{mine}&submitter=nobody"), [])
        self.assertEqual(self.found(f"{mine}&submitter=grace&state=scheduled"), ["Grace's"])
        self.assertEqual(self.found(f"{mine}&submitter=grace&state=succeeded"), [])
        self.assertEqual(self.found(f"{mine}&device_class={job['device_class']}&state=succeeded"), ["Harbour 50% off"])
        self.assertEqual(self.found(f"{mine}&device_class=accelerator"), [])
        attempt = self.api.get(f"/v1/jobs/{first}/attempts").json["items"][0]
        device = f"{attempt['node']}/{attempt['device']}"
        there = f"{mine}&device={urllib.parse.quote(device, safe='')}"
        self.assertEqual(self.found(there), ["Harbour 50% off"])
        self.assertEqual(self.found(there + "-not"), [])
        self.assertEqual(self.found(f"{mine}&device=not-{urllib.parse.quote(device, safe='')}"), [])
        self.assertEqual(self.found(there + "&state=scheduled"), [])
        self.assertEqual(self.counts(there), ({"succeeded": 1}, True))
        self.assertEqual(self.found(f"{mine}&from={LATER}"), [])
        self.assertEqual(self.found(f"{mine}&to={job['created_at']}"), [])
        self.assertEqual(self.found(f"{mine}&from={job['created_at']}&state=succeeded"), ["Harbour 50% off"])
        self.assertEqual(self.counts(mine), ({"scheduled": 2, "succeeded": 1}, True))
        self.assertEqual(self.counts(f"{mine}&text=harbour"), ({"scheduled": 1, "succeeded": 1}, True))
        self.assertEqual(self.counts(f"{mine}&submitter=grace"), ({"scheduled": 1}, True))

        def listed(*flags):
            page = json.loads(self.server.run("jobs", "--json", "--label", "case=found", *flags).stdout)
            return [one["name"] for one in page["items"]]
        self.assertEqual(listed("--user", "grace"), ["Grace's"])
        self.assertEqual(listed("--search", "harbour 50%"), ["Harbour 50% off"])
        self.assertEqual(listed("--device-class", job["device_class"], "--state", "succeeded"), ["Harbour 50% off"])
        self.assertEqual(listed("--device", device), ["Harbour 50% off"])
        self.assertEqual(len(listed("--from", "2h")), 3)
        self.assertEqual(listed("--to", "2h"), [])
        self.assertEqual(listed("--to", job["created_at"]), [])
        for flag, value in (("--from", "yesterday"), ("--to", "2w"), ("--device-class", "tpu")):
            refused = self.server.run("jobs", flag, value, check=False)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn(flag, refused.stderr)

    def test_a_filter_that_is_wrong_is_refused_by_name(self):
        for query, name in (("from=yesterday", "from"), ("device_class=tpu", "device_class"), ("text=", "text"), ("device=host", "device"),
                            ("submitter=", "submitter"), (f"text={'x' * 201}", "text")):
            for path in ("jobs", "job-counts"):
                reply = self.api.get(f"/v1/{path}?{query}")
                self.assertEqual(reply.status, 400, (query, reply.body))
                self.assertEqual(reply.json["errors"][0]["parameter"], name)
        for query, name in (("text=%00", "text"), ("text=%FF", "text"), ("submitter=%00", "submitter"), ("label=%C3%28", "label")):
            reply = self.api.get(f"/v1/jobs?{query}")
            self.assertEqual((reply.status, reply.json["errors"][0]["parameter"]), (400, name), query)
        self.assertEqual(self.api.get("/v1/jobs?text=%5C%25_%27%22").status, 200)
        for time in ("0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
            for name in ("from", "to"):
                self.assertIn(self.api.get(f"/v1/jobs?{name}={time}").status, (200, 400), (name, time))

    def test_many_are_cancelled_and_run_again_by_their_filter(self):
        label = {"labels": {"case": "many"}, "run_at": LATER}
        ids = [self.submit(name=f"many {number}", **label) for number in range(5)]
        other = self.submit(api=self.grace, name="kept", **label)
        cancelled = self.api.post("/v1/cancellations", {"filter": {"label": "case=many", "submitter": self.me["user"]["name"]}}).json
        self.assertEqual(cancelled, {"cancelled": 5, "refused": [], "next_cursor": None})
        self.assertEqual(self.counts("label=case%3Dmany"), ({"scheduled": 1, "cancelled": 5}, True))
        named = self.api.post("/v1/cancellations", {"job_ids": [other, ids[0], "nonsense"]}).json
        self.assertEqual((named["cancelled"], [one["job_id"] for one in named["refused"]]), (1, ["nonsense", ids[0]]))
        again = self.api.post("/v1/redrives", {"filter": {"state": "cancelled", "label": "case=many", "text": "many 3"}}).json
        self.assertEqual((again["redriven"], again["refused"]), (1, []))
        self.assertEqual(self.api.wait(ids[3])["state"], "succeeded")
        reply = self.api.post("/v1/cancellations", {"filter": {"state": "failed"}})
        self.assertEqual((reply.status, reply.json["errors"][0]["pointer"]), (422, "/filter/state"))
        reply = self.api.post("/v1/cancellations", {"filter": {"cursor": "x"}})
        self.assertEqual((reply.status, reply.json["errors"][0]["pointer"]), (422, "/filter/cursor"))
        reader = self.server.api("grace", self.team, scopes=("jobs:read",))
        self.assertEqual(reader.post("/v1/cancellations", {"filter": {}}).status, 403)

    def test_attempts_at_a_job_are_listed(self):
        job = self.api.wait(self.submit(name="tried", args={"texts": ["calm"] * 3}))
        page = self.api.get(f"/v1/jobs/{job['id']}/attempts").json
        self.assertIsNone(page["next_cursor"])
        [one] = page["items"]
        self.assertEqual((one["task"], one["number"], one["outcome"], one["items_succeeded"], one["error"]), (0, 1, "done", 3, None))
        self.assertEqual(one["device_class"], job["device_class"])
        devices = {(device["node"], device["device"]) for device in self.api.get("/v1/devices").json["items"]}
        self.assertIn((one["node"], one["device"]), devices)
        started, ended = (datetime.datetime.fromisoformat(one[name].replace("Z", "+00:00")) for name in ("started_at", "ended_at"))
        self.assertLessEqual(started, ended)
        self.assertAlmostEqual((ended - started).total_seconds(), one["seconds"], places=2)

        many = self.api.wait(self.submit(name="pages", args={"texts": [f"calm {number}" for number in range(9_000)]}))
        attempts, cursor = [], ""
        while cursor is not None:
            page = self.api.get(f"/v1/jobs/{many['id']}/attempts?limit=1{cursor and '&cursor=' + cursor}").json
            attempts += page["items"]
            cursor = page["next_cursor"]
        self.assertGreater(len(attempts), 1)
        self.assertEqual([one["task"] for one in attempts], list(range(len(attempts))))
        self.assertEqual(sum(one["items_succeeded"] for one in attempts), 9_000)
        for cursor in ("x", "1", "1.", ".1", "1.2x", "99999999999999999999.1"):
            self.assertEqual(self.api.get(f"/v1/jobs/{many['id']}/attempts?cursor={cursor}").status, 400, cursor)

    def test_tasks_of_a_job_are_listed_and_filtered(self):
        job = self.api.wait(self.submit(name="parts", args={"texts": [f"calm {number}" for number in range(9_000)]}))
        path = f"/v1/jobs/{job['id']}/tasks"
        tasks, cursor = [], ""
        while cursor is not None:
            page = self.api.get(f"{path}?limit=2{cursor and '&cursor=' + cursor}").json
            tasks += page["items"]
            cursor = page["next_cursor"]
        self.assertGreater(len(tasks), 1)
        self.assertEqual([one["task"] for one in tasks], list(range(len(tasks))))
        self.assertEqual({one["state"] for one in tasks}, {"done"})
        self.assertEqual(sum(one["items"] for one in tasks), 9_000)
        self.assertEqual(tasks[1]["first_item"], tasks[0]["items"])
        attempts = {one["task"]: one for one in self.api.get(f"/v1/jobs/{job['id']}/attempts?limit=200").json["items"]}
        for one in tasks:
            for member in ("node", "device", "device_class", "started_at", "ended_at", "items_succeeded", "items_failed", "error"):
                self.assertEqual(one[member], attempts[one["task"]][member], (one["task"], member))
        node, device = tasks[0]["node"], urllib.parse.quote(tasks[0]["device"])
        there = self.api.get(f"{path}?node={node}&device={device}&state=done&attempt_from=1&limit=200").json["items"]
        self.assertIn(tasks[0], there)
        for nothing in ("state=failed", "node=elsewhere", "device=none", "attempt_from=2", "error=memory", "error=%25%22%5C"):
            self.assertEqual(self.api.get(f"{path}?{nothing}").json, {"items": [], "next_cursor": None}, nothing)
        for wrong in ("state=lost", "attempt_from=0", "error=", "cursor=x", "cursor=1"):
            self.assertEqual(self.api.get(f"{path}?{wrong}").status, 400, wrong)
        waiting = self.submit(name="later", run_at=LATER)
        [one] = self.api.get(f"/v1/jobs/{waiting}/tasks").json["items"]
        self.assertEqual((one["state"], one["attempt"], one["node"], one["started_at"]), ("waiting", 0, None, None))

    def test_the_log_of_a_job_tells_why_records_failed_and_not_what_they_say(self):
        items = [{"text": "calm"}, {"text": "a secret of ours", "kept": {"b": "x" * 5000}}]
        job = self.api.wait(self.submit(args={"items": items}))
        path = job["links"]["logs"]
        lines = self.api.get(path).json["items"]
        self.assertEqual([(one["task"], one["attempt"], one["level"], one["source"]) for one in lines],
                         [(0, 1, "info", "queue"), (0, 1, "warning", "worker"), (0, 1, "warning", "queue")])
        attempt = self.api.get(f"/v1/jobs/{job['id']}/attempts").json["items"][0]
        self.assertEqual({one["attempt_id"] for one in lines}, {attempt["id"]})
        self.assertEqual(lines[0]["text"], f"Attempt 1 started on {attempt['node']}, device {attempt['device']} ({attempt['device_class']}).")
        self.assertEqual(lines[1]["text"], "1 of 2 texts failed: invalid_record (1).")
        self.assertRegex(lines[2]["text"], r"^Done in \d+\.\d+ s: 1 item succeeded, 1 failed\.$")
        self.assertNotIn("secret", json.dumps(lines))
        self.assertEqual(self.api.get(f"{path}?level=warning&task=0&attempt=1").json["items"], lines[1:])
        for nothing in ("level=error", "task=1", "attempt=2", f"from={LATER}", "to=2000-01-01T00:00:00Z"):
            self.assertEqual(self.api.get(f"{path}?{nothing}").json["items"], [], nothing)
        first = self.api.get(f"{path}?limit=2")
        following = first.headers["Link"].split(">")[0][1:]
        self.assertEqual(first.json["items"] + self.api.get(following).json["items"], lines)

        shown = self.server.run("logs", job["id"], "--level", "warning").stdout.splitlines()
        self.assertEqual(shown[0], f"{lines[1]['at']} warning task 0 attempt 1 worker: {lines[1]['text']}")
        self.assertEqual(len(shown), 2)
        self.assertEqual(json.loads(self.server.run("logs", "--json", job["id"], "--task", "0").stdout)["items"], lines)
        followed = self.server.run("logs", "--json", "--follow", job["id"]).stdout.splitlines()
        self.assertEqual([json.loads(one) for one in followed], lines)
        self.assertIn("No line matches.", self.server.run("logs", job["id"], "--task", "7").stderr)

        # An ordinary task says nothing of its own: nothing is stored for it.
        plain = self.api.wait(self.submit())
        self.assertEqual({one["source"] for one in self.api.get(plain["links"]["logs"]).json["items"]}, {"queue"})

    def test_views_are_kept_for_their_owner(self):
        view = {"page": "jobs", "name": "Failed", "query": "state=failed"}
        first = self.api.send("PUT", "/v1/saved-views", view).json
        again = self.api.send("PUT", "/v1/saved-views", {**view, "query": "state=failed&since=1d"}).json
        self.assertEqual((again["id"], again["query"]), (first["id"], "state=failed&since=1d"))
        self.assertEqual(self.api.get("/v1/saved-views").json["items"], [again])
        self.assertEqual(self.grace.get("/v1/saved-views").json["items"], [])
        self.assertEqual(self.grace.send("DELETE", f"/v1/saved-views/{first['id']}").status, 404)
        for number in range(99):
            self.assertEqual(self.api.send("PUT", "/v1/saved-views", {**view, "name": f"v{number}"}).status, 200)
        self.assertEqual(self.api.send("PUT", "/v1/saved-views", {**view, "name": "one more"}).status, 409)
        self.assertEqual(self.api.send("PUT", "/v1/saved-views", view).status, 200)  # it replaces
        self.assertEqual(self.api.send("PUT", "/v1/saved-views", {**view, "name": " "}).json["errors"][0]["pointer"], "/name")
        self.assertEqual(self.api.send("DELETE", f"/v1/saved-views/{first['id']}").status, 204)
        self.assertEqual(self.api.send("DELETE", f"/v1/saved-views/{first['id']}").status, 404)

    def test_a_session_switches_to_another_team_of_its_user(self):
        link = self.server.admin("sign-in-link", "--base-url", self.server.base)
        browser = Browser(self.server.base, link)
        me = browser.send("GET", "/v1/users/me")
        made = browser.send("POST", "/v1/teams", {"name": "second"})
        self.submit(name="of the first team", run_at=LATER)
        teams = browser.send("GET", "/v1/users/me/teams")["items"]
        self.assertEqual([(one["team"]["name"], one["role"]) for one in teams],
                         sorted([(me["team"]["name"], "owner"), ("second", "owner")]))
        self.assertIsNone(browser.send("PUT", "/v1/sessions/current/team", {"team_id": made["id"]}))
        after = browser.send("GET", "/v1/users/me")
        self.assertEqual((after["team"]["id"], after["csrf_token"]), (made["id"], browser.csrf))
        self.assertEqual(browser.send("GET", "/v1/jobs")["items"], [])
        browser.send("PUT", "/v1/sessions/current/team", {"team_id": me["team"]["id"]})
        self.assertNotEqual(browser.send("GET", "/v1/jobs")["items"], [])

        # A team that one is no member of is as good as none; tokens are of one team.
        self.assertEqual(browser.status("PUT", "/v1/sessions/current/team", {"team_id": "team_0000000000zzz"}), 404)
        grace = Browser(self.server.base, self.server.admin("sign-in-link", "--user", "grace", "--team", self.team,
                                                            "--base-url", self.server.base))
        self.assertEqual(grace.status("PUT", "/v1/sessions/current/team", {"team_id": made["id"]}), 404)
        self.assertEqual(self.api.send("PUT", "/v1/sessions/current/team", {"team_id": made["id"]}).status, 409)
        self.assertEqual([one["team"]["name"] for one in self.api.get("/v1/users/me/teams").json["items"]], [me["team"]["name"]])


if __name__ == "__main__":
    unittest.main()
