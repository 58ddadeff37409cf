"""A server whose owners' team has something of each kind, and every operation of openapi.yaml with a call of it."""

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


class Operation:
    def __init__(self, document, path, method, shared):
        self.spec = spec = document["paths"][path][method]
        self.path, self.method, self.id = path, method.upper(), spec["operationId"]
        self.scope, self.open = spec.get("x-scope"), spec.get("security") == []
        self.names = re.findall(r"{(\w+)}", path)
        content = spec.get("requestBody", {}).get("content", {})
        self.type, body = next(iter(content.items()), (None, {}))
        self.body = body.get("example")
        self.query, self.filters, self.headers = [], [], {}
        for parameter in shared + spec.get("parameters", []):
            if "$ref" in parameter:
                parameter = document["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
            if parameter["in"] == "query":
                self.filters.append(parameter["name"])
            if parameter["in"] == "header" and parameter.get("required"):
                self.headers[parameter["name"]] = parameter["example"]
            if parameter["in"] == "query" and parameter.get("required"):
                self.query.append(f"{parameter['name']}={parameter.get('example', 0)}")

    def path_of(self, ids, query=()):
        path = re.sub(r"{(\w+)}", lambda name: str(ids[name[1]]), self.path)
        return path + ("?" if query or self.query else "") + "&".join([*self.query, *query])

    def ask(self, caller, ids, body=None, query=(), **headers):
        body = self.body if body is None else body
        body = json.dumps(body) if self.type == "application/json" else body
        headers = {**self.headers, **headers}
        if self.type:
            headers["Content-Type"] = self.type
        return caller.send(self.method, self.path_of(ids, query), body, headers)


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


class EveryOperation(unittest.TestCase):
    settings = {}

    @classmethod
    def setUpClass(cls):
        hooks = "https://hooks.example.com"
        cls.server = Server(webhooks__allowed_origins=hooks, models__hub="http://127.0.0.1:9", **cls.settings).start()
        cls.addClassCleanup(cls.server.remove)
        cls.document = document = Caller(cls.server.base).make("GET", "/openapi.json")
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
            "view_id": make("PUT", "/v1/saved-views", {"page": "jobs", "name": CANARY, "query": "text=" + CANARY})["id"],
            # Nothing here names this model: how many other teams use one is reported.
            "model": "roberta", "device_class": "cpu",
            # Made by an identity provider alone: tests/integration/provider_sign_in_test.py.
            "identity_id": "idn_0000000000001"}
        make("PUT", f"/v1/teams/{cls.ids['team_id']}/shares/cpu", {"weight": 1})
        [device, *_] = make("GET", "/v1/devices")["items"]
        cls.ids |= {name: device[name] for name in ("node", "device")}

    @classmethod
    def session_id(cls):
        cls.owner.make("POST", "/v1/sessions", {"token": cls.secret("admin", SCOPES)})
        return cls.owner.make("GET", "/v1/sessions")["items"][0]["id"]

    @staticmethod
    def nobodys(value):
        """An id of the same form that nobody has."""
        if isinstance(value, int) or value == "cpu":
            return value
        return value[:-1] + ("9" if value[-1] != "9" else "8")

    @classmethod
    def operation(cls, name):
        return next(operation for operation in cls.operations if operation.id == name)
