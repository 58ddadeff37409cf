"""Who may do what: every operation of openapi.yaml × every type of caller, against a real server.

A caller without a valid credential gets 401; a token without the operation's scope, or a user whose role does not
include it, 403. Another team gets the same response for this team's objects as for missing ones. New operations of the
contract are in the matrix automatically.
"""

import datetime
import http.client
import itertools
import json
import re
import unittest
from urllib.parse import urlsplit

from harness import PATIENCE, Reply, Server, answers

SCOPES = ("jobs:read", "reports:read", "jobs:write", "team:admin", "sys:admin")
READS = ("jobs:read", "reports:read")
CANARY = "canary-of-the-owners"
METHODS = ("get", "put", "post", "patch", "delete")
# By the caller's own session or token; nothing of a team is named.
PERSONAL = {"createSession", "deleteCurrentSession", "spendPasswordLink"}
# By the secret of a link alone, whoever calls: tests/integration/report_links_test.py and invitations_test.py.
LINKED = {"getInvitationOffer", "getLinkedReport", "getLinkedResultsCsv", "getLinkedResultsJsonl"}
CHANGING = re.compile(r'"(?:request_id|version)":"[^"]*"|\d{4}-\d\d-\d\dT[\d:.]+Z')


class Operation:
    def __init__(self, document, path, method, shared):
        spec = document["paths"][path][method]
        self.path, self.method, self.id = path, method.upper(), spec["operationId"]
        self.scope, self.open = spec.get("x-scope"), spec.get("security") == []
        self.names = re.findall(r"{(\w+)}", path)
        content = spec.get("requestBody", {}).get("content", {})
        self.type, body = next(iter(content.items()), (None, {}))
        self.body = body.get("example")
        self.query = []
        for parameter in shared + spec.get("parameters", []):
            if "$ref" in parameter:
                parameter = document["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
            if parameter["in"] == "query" and parameter.get("required"):
                self.query.append(f"{parameter['name']}={parameter.get('example', 0)}")

    def ask(self, caller, ids, **headers):
        path = re.sub(r"{(\w+)}", lambda name: str(ids[name[1]]), self.path)
        body = json.dumps(self.body) if self.type == "application/json" else self.body
        if self.type:
            headers["Content-Type"] = self.type
        return caller.send(self.method, path + ("?" if self.query else "") + "&".join(self.query), body, headers)


class Caller:
    """One credential, or none. Each request may come from an address of its own: wrong ones are counted by address."""

    addresses = (f"127.1.{high}.{low}" for high, low in itertools.product(range(256), range(1, 255)))

    def __init__(self, base, headers=(), wrong=False):
        self.base, self.headers, self.wrong = base, dict(headers), wrong
        self.connection = None

    def send(self, method, path, body=None, headers=()):
        if self.wrong or self.connection is None:
            where = urlsplit(self.base)
            source = (next(self.addresses), 0) if self.wrong else None
            self.connection = http.client.HTTPConnection(where.hostname, where.port, PATIENCE, source)
        self.connection.request(method, path, body, {**self.headers, **dict(headers)})
        answer = self.connection.getresponse()
        reply = Reply(answer.status, answer.headers, answer.read())
        answers.check(self.base, method, path, reply)
        if self.wrong or answer.will_close:
            self.connection.close()
            self.connection = None
        return reply

    def make(self, method, path, body=None):
        reply = self.send(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        assert reply.status < 300, (method, path, reply.status, reply.body)
        return reply.json if reply.body else None


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(webhooks__allowed_origins="https://hooks.example.com", models__hub="http://127.0.0.1:9").start()
        cls.addClassCleanup(cls.server.remove)
        document = Caller(cls.server.base).make("GET", "/openapi.json")
        cls.operations = [Operation(document, path, method, item.get("parameters", []))
                          for path, item in document["paths"].items() for method in METHODS if method in item]
        # Reads first, so that they read what deletions take away.
        cls.operations.sort(key=lambda operation: METHODS.index(operation.method.lower()))
        cls.server.admin("add-team", "rivals")
        for name, team in (("vera", "main"), ("gone", "main"), ("idle", "main"), ("spare", "main"), ("tom", "rivals")):
            cls.server.admin("add-user", name)
            role = {"vera": "viewer", "tom": "owner"}.get(name, "member")
            cls.server.admin("set-member", "--user", name, "--team", team, "--role", role)
        cls.owner = cls.bearer("admin", SCOPES)
        cls.rival = cls.bearer("tom", SCOPES[:4], "rivals")
        cls.fill()

    @classmethod
    def secret(cls, user, scopes, team="main"):
        given = [part for scope in scopes for part in ("--scope", scope)]
        return cls.server.admin("add-token", "matrix", "--user", user, "--team", team, *given).split()[-1]

    @classmethod
    def bearer(cls, user, scopes, team="main", wrong=False):
        return Caller(cls.server.base, {"Authorization": "Bearer " + cls.secret(user, scopes, team)}, wrong)

    @classmethod
    def fill(cls):
        """Something of each kind that the owners' team has, each with the canary where it may have a text."""
        make = cls.owner.make
        sentiment = {"kind": "sentiment", "name": CANARY, "args": {"texts": [CANARY, "good"]}}
        measured = {"kind": "profile", "args": {"mode": "sentiment", "limits": {"max_batch": 1}}}
        job, profile = (make("POST", "/v1/jobs", spec)["id"] for spec in (sentiment, measured))
        for wanted in (job, profile):
            while make("GET", f"/v1/jobs/{wanted}?wait=30")["finished_at"] is None:
                pass
        me = make("GET", "/v1/users/me")
        users = {user["name"]: user["id"] for user in make("GET", "/v1/users")["items"]}
        make("PUT", f"/v1/policies/{CANARY.replace('-', '_')}", cls.operation("setPolicy").body)
        make("PUT", f"/v1/gpu-profiles/{CANARY.replace('-', '_')}", cls.operation("setGpuProfile").body)
        cls.ids = {
            "job_id": job, "index": 0, "team_id": me["team"]["id"], "user_id": users["spare"],
            "policy_id": CANARY.replace("-", "_"), "gpu_profile_id": CANARY.replace("-", "_"),
            "baseline_id": make("PUT", f"/v1/jobs/{profile}/baseline")["id"],
            "dataset_id": make("POST", "/v1/datasets", {"name": CANARY, "format": "csv", "bytes": 5})["id"],
            "schedule_id": make("POST", "/v1/schedules", {
                "name": CANARY, "cron": "0 3 * * *", "job": {"kind": "sentiment", "args": {"texts": [CANARY]}}})["id"],
            "hold_id": make("POST", "/v1/holds", {"team_id": me["team"]["id"], "mode": "pause", "reason": CANARY})["id"],
            "webhook_id": make("POST", "/v1/webhooks", {"name": CANARY, "url": "https://hooks.example.com/" + CANARY})["webhook"]["id"],
            "measurement_id": make("POST", "/v1/training-measurements", cls.operation("createTrainingMeasurement").body)["id"],
            "token_id": make("POST", "/v1/tokens", {"name": CANARY, "scopes": ["jobs:read"]})["token"]["id"],
            "report_link_id": make("POST", f"/v1/jobs/{job}/report-links", {"note": CANARY})["report_link"]["id"],
            "invitation_id": make("POST", "/v1/invitations", {"email": CANARY + "@example.com"})["invitation"]["id"],
            "service_account_id": make("POST", "/v1/service-accounts", {"name": CANARY})["id"],
            "session_id": cls.session_id(),
            "operation_id": make("POST", "/v1/model-operations", {
                "action": "pull", "model": "desk/" + CANARY, "name": CANARY, "audience": "team"})["id"],
            "audit_event_id": make("GET", "/v1/audit-events?limit=1")["items"][0]["id"],
            "view_id": make("PUT", "/v1/saved-views", {"page": "jobs", "name": CANARY, "query": "text=" + CANARY})["id"],
            # Nothing here names this model: how many other teams use one is told.
            "model": "roberta", "device_class": "cpu", "task": 0,
            # Made by an identity provider alone: tests/integration/provider_sign_in_test.py.
            "identity_id": "idn_0000000000001"}
        make("PUT", f"/v1/teams/{cls.ids['team_id']}/shares/cpu", {"weight": 1})
        [device, *_] = make("GET", "/v1/devices")["items"]
        cls.ids |= {name: device[name] for name in ("node", "device")}
        cls.ids["attempt_id"] = make("GET", f"/v1/jobs/{job}/attempts")["items"][0]["id"]
        cls.ids["delivery_id"] = make("POST", f"/v1/webhooks/{cls.ids['webhook_id']}/deliveries")["id"]
        cls.ids["due_at"] = make("POST", f"/v1/schedules/{cls.ids['schedule_id']}/runs")["due_at"]

    @classmethod
    def session_id(cls):
        cls.owner.make("POST", "/v1/sessions", {"token": cls.secret("admin", SCOPES)})
        return cls.owner.make("GET", "/v1/sessions")["items"][0]["id"]

    @classmethod
    def operation(cls, name):
        return next(operation for operation in cls.operations if operation.id == name)

    def cells(self, caller, operations, expected, **headers):
        for operation in operations:
            reply = operation.ask(caller, self.ids, **headers)
            with self.subTest(operation.id):
                self.assertEqual((reply.status, reply.headers["Content-Type"]), (expected, "application/problem+json"), reply.body[:300])
                self.assertNotIn(CANARY, reply.body.decode(errors="replace"))

    def closed(self):
        operations = [operation for operation in self.operations if not operation.open]
        self.assertGreater(len(operations), 80)
        return operations

    def test_no_good_credential(self):
        base, full = self.server.base, self.secret("admin", SCOPES)
        left, disabled, revoked = (self.bearer(user, READS, wrong=True) for user in ("gone", "idle", "admin"))
        me = {"Accept": "application/json"}
        members = f"/v1/teams/{self.ids['team_id']}/members/"
        users = {user["name"]: user["id"] for user in self.owner.make("GET", "/v1/users")["items"]}
        self.owner.make("DELETE", members + users["gone"])
        self.owner.make("PATCH", "/v1/users/" + users["idle"], {"disabled": True})
        self.assertEqual(revoked.send("GET", "/v1/users/me", headers=me).status, 200)
        hint = revoked.headers["Authorization"].removeprefix("Bearer ")[:12]
        [token] = [token["id"] for token in self.owner.make("GET", "/v1/tokens")["items"] if token["hint"] == hint]
        self.owner.make("DELETE", "/v1/tokens/" + token)
        callers = {
            "anonymous": Caller(base, wrong=True),
            "truncated": Caller(base, {"Authorization": "Bearer " + full[:-1]}, wrong=True),
            "other scheme": Caller(base, {"Authorization": "Basic " + full}, wrong=True),
            "sign-in link": Caller(base, {"Authorization": "Bearer " + self.server.admin("sign-in-link").rpartition("/")[2]}, wrong=True),
            "revoked": revoked, "left the team": left, "disabled": disabled}
        for name, caller in callers.items():
            with self.subTest(name):
                self.cells(caller, self.closed(), 401)

    def test_expired(self):
        """A session that has been ended, and a token whose time is over, are no credential."""
        session = self.owner.send("POST", "/v1/sessions", json.dumps({"token": self.secret("admin", SCOPES)}),
                                  {"Content-Type": "application/json"})
        self.assertEqual(session.status, 201, session.body)
        cookie = session.headers["Set-Cookie"].partition(";")[0]
        ended = Caller(self.server.base, {"Cookie": cookie, "X-CSRF-Token": session.json["csrf_token"]}, wrong=True)
        without = Caller(self.server.base, {"Cookie": cookie})
        writes = [operation for operation in self.closed() if operation.method != "GET"]
        self.cells(without, writes, 403)
        self.assertEqual(ended.send("DELETE", "/v1/sessions/current").status, 204)
        self.cells(ended, self.closed(), 401)

    def test_a_token_past_its_time(self):
        soon = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)).isoformat()
        secret = self.owner.make("POST", "/v1/tokens", {"name": "brief", "scopes": ["jobs:read"], "expires_at": soon})["secret"]
        brief = Caller(self.server.base, {"Authorization": "Bearer " + secret}, wrong=True)
        self.assertEqual(brief.send("GET", "/v1/users/me").status, 200)
        while brief.send("GET", "/v1/users/me").status != 401:
            pass
        self.cells(brief, self.closed(), 401)

    def test_an_archived_team(self):
        self.server.admin("add-team", "yesterday")
        self.server.admin("set-member", "--user", "admin", "--team", "yesterday", "--role", "owner")
        caller = self.bearer("admin", SCOPES, "yesterday", wrong=True)
        team = caller.make("GET", "/v1/users/me")["team"]["id"]
        self.owner.make("PATCH", "/v1/teams/" + team, {"archived": True})
        self.cells(caller, self.closed(), 401)

    def test_a_scope_that_the_token_lacks(self):
        for scope in SCOPES:
            with self.subTest(scope):
                lacking = self.bearer("admin", [other for other in SCOPES if other != scope])
                operations = [operation for operation in self.operations if operation.scope == scope]
                self.assertTrue(operations)
                self.cells(lacking, operations, 403)

    def test_a_role_that_does_not_give_it(self):
        viewer = self.bearer("vera", READS)
        self.cells(viewer, [operation for operation in self.closed() if operation.scope not in (None, *READS)], 403)
        for operation in self.closed():
            if operation.scope in READS and operation.method == "GET":
                self.assertNotIn(operation.ask(viewer, self.ids).status, (401, 403), operation.id)

    def test_another_team_reads_and_changes_nothing(self):
        before = self.seen_by_owner()
        self.assertGreater(sum(CANARY in body or CANARY.replace("-", "_") in body for body in before.values()), 8)
        for operation in self.operations:
            if operation.id in PERSONAL | LINKED:
                continue
            with self.subTest(operation.id):
                foreign = self.seen(operation, self.ids)
                self.assertNotIn(CANARY, foreign[1])
                if operation.scope == "sys:admin":
                    self.assertEqual(foreign[0], 403)  # the installation's, for its administrators
                elif operation.names and operation.id not in ("getDevice", "getDeviceClass"):  # everybody's
                    missing = {name: self.nobodys(value) for name, value in self.ids.items()}
                    self.assertEqual(foreign, self.seen(operation, missing))
        self.assertEqual(self.seen_by_owner(), before)

    def seen(self, operation, ids):
        """The rival's answer, without what differs each time, and the ids."""
        reply = operation.ask(self.rival, ids)
        text = CHANGING.sub("", reply.body.decode(errors="replace"))
        for name in operation.names:
            text = text.replace(ids[name] if isinstance(ids[name], str) else f'"{ids[name]}"', name)
        return reply.status, text

    @staticmethod
    def nobodys(value):
        """An id of the same form that nobody has."""
        if isinstance(value, int) or value == "cpu":
            return value
        return "1999" + value[4:] if value.endswith("Z") else value[:-1] + ("9" if value[-1] != "9" else "8")

    def seen_by_owner(self):
        quiet = ("getHealth", "getReadiness", "listDevices", "getDevice", "getDeviceHealth", "getQueue", "listTokens", "getUsage", "getUsageCsv",
                 "listWebhookDeliveries", "getWebhookDelivery")
        return {operation.id: CHANGING.sub("", operation.ask(self.owner, self.ids).body.decode(errors="replace"))
                for operation in self.closed() if operation.method == "GET" and operation.id not in quiet}

    def test_zz_the_owner_may(self):
        """Last: it deletes what the others look at."""
        absent = ("getJobWaitReason", "getJobPictureSvg", "getJobPicturePng", "getJobBaseline",  # of a finished job of texts
                  "getModel",  # of a model that is not installed
                  "getUserIdentity")  # of a user who does not come from an identity provider
        for operation in self.operations:
            if operation.id in PERSONAL | LINKED:
                continue
            reply = operation.ask(self.owner, self.ids)
            with self.subTest(operation.id):
                self.assertNotIn(reply.status, (401, 403, 500), reply.body[:300])
                if operation.method == "GET" and operation.id not in absent:
                    self.assertLess(reply.status, 400, reply.body[:300])


if __name__ == "__main__":
    unittest.main()
