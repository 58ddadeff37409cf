"""The statuses that a rule gives and not an operation: whoever documents one of them answers with it. New operations are in
here automatically."""

import collections
import itertools
import json
import unittest

from every_operation import SCOPES, Caller, EveryOperation, Operation
from harness import Api, Server

# Operations that need a session: with a token they answer 409.
OF_SESSIONS = ("deleteCurrentSession", "switchTeam", "joinTeam")
HUGE = str(1 << 40)  # bytes, beyond the limit of every operation


def documenting(operations, status):
    return [operation for operation in operations if status in operation.spec["responses"]]


class EveryStatus(EveryOperation):
    @classmethod
    def fill(cls):
        super().fill()
        link = cls.owner.make("POST", f"/v1/jobs/{cls.ids['job_id']}/report-links", {})
        for operation in cls.operations:
            if "X-Report-Link" in operation.headers:
                operation.headers["X-Report-Link"] = link["secret"]

    def problem(self, reply, status):
        self.assertEqual(reply.status, status, reply.body[:500])
        self.assertEqual(reply.headers["Content-Type"], "application/problem+json")

    def test_a_body_of_another_media_type_is_refused(self):
        found = documenting(self.operations, "415")
        self.assertGreater(len(found), 40)
        for operation in found:
            with self.subTest(operation.id):
                path = operation.path_of(self.ids)
                self.problem(self.owner.send(operation.method, path, "x", {**operation.headers, "Content-Type": "text/x-none"}), 415)

    def test_an_unknown_parameter_is_refused(self):
        found = documenting(self.operations, "400")
        self.assertGreater(len(found), 90)
        for operation in found:
            with self.subTest(operation.id):
                self.problem(operation.ask(self.owner, self.ids, query=["nobody_knows=1"]), 400)

    def test_a_body_beyond_the_limit_is_refused_before_it_is_sent(self):
        found = documenting(self.operations, "413")
        self.assertGreater(len(found), 40)
        for operation in found:
            with self.subTest(operation.id):
                path = operation.path_of(self.ids)
                headers = {**operation.headers, "Content-Type": operation.type, "Content-Length": HUGE}
                self.problem(self.owner.send(operation.method, path, None, headers), 413)

    def test_what_does_not_exist_is_not_found(self):
        found = documenting(self.operations, "404")
        named = [operation for operation in found if operation.names]
        self.assertGreater(len(named), 60)
        nobodys = {name: self.nobodys(value) for name, value in self.ids.items()}
        for operation in named:
            ids = nobodys | {"model": "vader"} if operation.id == "getModelUse" else nobodys  # any other may come to be used
            with self.subTest(operation.id):
                self.problem(operation.ask(self.owner, ids, {} if operation.id == "createReportLink" else None), 404)
        others = self.absent()
        self.assertEqual(set(others), {operation.id for operation in found if not operation.names})
        for name, (caller, sent) in others.items():
            with self.subTest(name):
                self.problem(self.operation(name).ask(caller, self.ids, **sent), 404)

    def absent(self):
        """Who asks for what that does not exist, where no part of the path names it."""
        job, user, team = (self.nobodys(self.ids[name]) for name in ("job_id", "user_id", "team_id"))
        session, stranger = self.session(), Caller(self.server.base)
        code = {"body": {"code": "287082"}}
        count = {"pattern": "zigzag", "direction": "up", "ends": [0, 1, 2, 3]}
        link = {"X-Report-Link": self.nobodys(self.operation("getLinkedReport").headers["X-Report-Link"])}
        return {
            "getUsage": (self.owner, {"query": ["team_id=absent"]}),
            "getUsageCsv": (self.owner, {"query": ["team_id=absent"]}),
            "createHold": (self.owner, {"body": {"team_id": team, "mode": "pause", "reason": "a test"}}),
            "createModelOperation": (self.owner, {"body": {"action": "verify", "model": "absent"}}),
            "createPolicyPreview": (self.owner, {"body": {"policy_id": "absent"}}),
            "listTrainingMeasurements": (self.owner, {"query": ["job_id=absent"]}),
            "createWavesCheck": (self.owner, {"body": {"job_id": job, **count}}),
            "createWavesReplay": (self.owner, {"body": {"job_id": job, "last": 1}}),
            "switchTeam": (session, {"body": {"team_id": team}}),
            "joinTeam": (session, {}),
            "listReportLinks": (self.owner, {"query": ["job_id=absent"]}),
            "getLinkedReport": (stranger, link),
            "getLinkedResultsCsv": (stranger, link),
            "getLinkedResultsJsonl": (stranger, link),
            "confirmMySecondFactor": (self.owner, code),
            "removeMySecondFactor": (self.owner, code),
            "createPasswordLink": (self.owner, {"body": {"user_id": user}}),
            "createSignInLink": (self.owner, {"body": {"user_id": user, "team_id": team}}),
            "createProviderSignIn": (stranger, {}),  # no identity provider
            "getInvitationOffer": (stranger, {}),
        }

    def session(self):
        """Signed in as a browser is."""
        caller = Caller(self.server.base)
        reply = caller.send("POST", "/v1/sessions", json.dumps({"token": self.secret("admin", SCOPES)}), {"Content-Type": "application/json"})
        cookies = [cookie.partition(";")[0] for cookie in reply.headers.get_all("Set-Cookie")]
        caller.headers = {"Cookie": "; ".join(cookies), "X-CSRF-Token": reply.json["csrf_token"], "Origin": self.server.base}
        return caller

    def test_who_may_not_act_for_the_whole_user_manages_no_credentials(self):
        """Those that need a scope are in access_test.py."""
        narrow, forged = self.bearer("admin", ["jobs:read"]), self.session()
        del forged.headers["X-CSRF-Token"]
        foreign = Caller(self.server.base, {"Origin": "https://other.example.com"})
        found = [operation for operation in documenting(self.operations, "403") if not operation.scope]
        self.assertGreater(len(found), 12)
        for operation in found:
            caller = foreign if operation.open else forged if operation.id in OF_SESSIONS else narrow
            with self.subTest(operation.id):
                self.problem(operation.ask(caller, self.ids), 403)

    def test_a_stream_that_has_ended_is_not_begun_again(self):
        events = self.owner.make("GET", f"/v1/jobs/{self.ids['job_id']}/events?limit=200")
        last = {"Last-Event-ID": str(events["next_after"]), "Accept": "text/event-stream"}
        ended = self.operation("listJobEvents").ask(self.owner, self.ids, **last)
        self.assertEqual((ended.status, ended.body), (204, b""))

    def test_what_a_caller_has_is_not_sent_again(self):
        found = documenting(self.operations, "304")
        self.assertGreater(len(found), 4)
        for operation in found:
            with self.subTest(operation.id):
                whole = operation.ask(self.owner, self.ids)
                self.assertEqual(whole.status, 200, whole.body[:500])
                same = operation.ask(self.owner, self.ids, **{"If-None-Match": whole.headers["ETag"]})
                self.assertEqual((same.status, same.body), (304, b""))

    def test_a_part_is_sent_or_refused(self):
        found = documenting(self.operations, "416")
        self.assertGreater(len(found), 4)
        for operation in found:
            with self.subTest(operation.id):
                whole = operation.ask(self.owner, self.ids)
                part = operation.ask(self.owner, self.ids, Range="bytes=1-3")
                self.assertEqual((part.status, part.body), (206, whole.body[1:4]))
                self.problem(operation.ask(self.owner, self.ids, Range="bytes=999999999-"), 416)


class EveryLimit(unittest.TestCase):
    def test_a_caller_beyond_its_rate_is_told_when_to_come_back(self):
        server = Server(limits__requests_per_minute="1").start()
        self.addCleanup(server.remove)
        document = Caller(server.base).make("GET", "/openapi.json")
        operations = [Operation(document, path, method, item.get("parameters", []))
                      for path, item in document["paths"].items() for method in item if method not in ("parameters", "summary")]
        scopes = [part for scope in ("jobs:read", "reports:read", "jobs:write", "team:admin", "sys:admin") for part in ("--scope", scope)]
        token = server.admin("add-token", "busy", "--user", "admin", "--team", "main", *scopes).split()[-1]
        caller = Caller(server.base, {"Authorization": "Bearer " + token})
        self.addCleanup(lambda: caller.connection and caller.connection.close())
        self.assertEqual(caller.send("GET", "/v1/jobs").status, 200)
        ids = collections.defaultdict(lambda: "1", job_id="job_00d7k3v9x2m7q")
        found = [operation for operation in documenting(operations, "429") if not operation.open]
        self.assertGreater(len(found), 100)
        for operation in found:
            with self.subTest(operation.id):
                reply = operation.ask(caller, ids)
                self.assertEqual(reply.status, 429, reply.body[:500])
                self.assertGreaterEqual(int(reply.headers["Retry-After"]), 1)

    def test_an_address_beyond_its_failures_is_told_when_to_come_back(self):
        """Whoever may ask without credentials can guess secrets."""
        server = Server().start()
        self.addCleanup(server.remove)
        link, password = {"X-Report-Link": "nobody"}, {"password_token": "nobody", "password": "a boat that floats high"}
        guesses = {
            "getLinkedReport": ("GET", "/v1/linked-report", None, link),
            "getLinkedResultsCsv": ("GET", "/v1/linked-report/results.csv", None, link),
            "getLinkedResultsJsonl": ("GET", "/v1/linked-report/results.jsonl", None, link),
            "getInvitationOffer": ("GET", "/v1/invitation-offer", None, {"X-Invitation": "nobody"}),
            "spendPasswordLink": ("POST", "/v1/passwords", password, {}),
        }
        api = Api(server.base)
        for name, (method, path, body, headers) in guesses.items():
            with self.subTest(name):
                failed = itertools.takewhile(lambda reply: reply.status != 429, (api.send(method, path, body, headers) for _ in range(100)))
                self.assertLessEqual({reply.status for reply in failed}, {401, 404})
                reply = api.send(method, path, body, headers)
                self.assertEqual(reply.status, 429, reply.body[:500])
                self.assertGreaterEqual(int(reply.headers["Retry-After"]), 1)


if __name__ == "__main__":
    unittest.main()
