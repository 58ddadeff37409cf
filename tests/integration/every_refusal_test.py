"""Every operation that documents 409 gives it, by a rule that holds for all of its sort or by a case of its own: one that
is new has to come under a rule or into the list. And every operation that needs the database says 503 while it is away."""

import unittest
import uuid

from authenticator import STEP, code_of
from every_operation import Caller, EveryOperation
from every_status_test import documenting
from queue_client import connect, url_for
from tiny_model import make as make_model

DEAD_SERVER = """
create function nothing_more() returns trigger language plpgsql as 'begin return null; end';
create trigger dead_server before update or delete on kept_answer for each row execute function nothing_more();
"""
TEXTS = {"kind": "sentiment", "args": {"texts": ["good"]}}


class EveryRefusal(EveryOperation):
    @classmethod
    def setUpClass(cls):
        cls.settings = {"database__url": url_for("plimsoll_app"), "database__worker_url": url_for("plimsoll_worker")}
        cls.database = connect()
        cls.addClassCleanup(cls.database.close)
        super().setUpClass()
        cls.found = {operation.id: operation for operation in documenting(cls.operations, "409")}
        cls.of_keys = {name for name, operation in cls.found.items() if "x-keeps-answer" in operation.spec}
        cls.of_jobs = {name for name, operation in cls.found.items() if operation.names[:1] == ["job_id"]} - cls.of_keys - {"cancelJob"}
        # The team is paused: neither ever begins.
        cls.waiting = cls.owner.make("POST", "/v1/jobs", {**TEXTS, "unique": {"key": "alone"}})["id"]
        cls.measuring = cls.owner.make("POST", "/v1/jobs", {"kind": "profile", "args": {"mode": "sentiment"}})["id"]

    def conflict(self, reply):
        self.assertEqual(reply.status, 409, reply.body[:500])
        self.assertEqual(reply.headers["Content-Type"], "application/problem+json")
        return reply.json

    def test_a_job_that_has_not_finished(self):
        self.assertGreater(len(self.of_jobs), 8)
        for name in sorted(self.of_jobs):
            with self.subTest(name):
                job = self.measuring if name.endswith("Baseline") else self.waiting
                self.conflict(self.found[name].ask(self.owner, {**self.ids, "job_id": job}))

    def test_a_key_whose_first_call_has_no_response(self):
        self.assertGreater(len(self.of_keys), 12)
        self.database.execute(DEAD_SERVER)
        self.addCleanup(self.database.execute, "drop function nothing_more cascade")
        for name in sorted(self.of_keys):
            with self.subTest(name):
                key = {"Idempotency-Key": str(uuid.uuid4())}
                self.found[name].ask(self.owner, self.ids, **key)
                self.assertIn("has no response yet", self.conflict(self.found[name].ask(self.owner, self.ids, **key))["detail"])

    def test_a_key_of_another_request(self):
        key = {"Idempotency-Key": str(uuid.uuid4())}
        # Jobs keep their keys themselves.
        first = {"createJob": TEXTS, "createServiceAccount": {"name": "of the key"}}
        for name, body in first.items():
            reply = self.operation(name).ask(self.owner, self.ids, body, **key)
            self.assertLess(reply.status, 300, reply.body)
        # A bundle says it job by job.
        taking = [operation for operation in self.operations
                  if "IdempotencyKey" in str(operation.spec.get("parameters")) and operation.id != "createJobBundle"]
        self.assertGreater(len(taking), 15)
        for operation in taking:
            with self.subTest(operation.id):
                reply = operation.ask(self.owner, self.ids, **key)
                self.assertEqual(reply.status, 422, reply.body[:500])
                self.assertEqual(reply.json["type"], "/docs/problems/idempotency-mismatch")

    def test_every_other_conflict(self):
        cases = self.cases()
        self.assertEqual(set(cases), set(self.found) - self.of_jobs - self.of_keys)
        for name, (body, caller, ids) in cases.items():
            with self.subTest(name):
                self.conflict(self.found[name].ask(caller, {**self.ids, **ids}, body))

    def test_while_the_database_is_away(self):
        link = self.owner.make("POST", "/v1/password-links", {"user_id": self.ids["user_id"]})["password_token"]
        secrets = {"createSession": {"token": self.secret("admin", ["jobs:read"])},
                   "spendPasswordLink": {"password_token": link, "password": "a boat that floats high"}}
        # Nobody has used its token: the server cannot know it from before, so what it answers from memory asks, too.
        newcomer = self.bearer("admin", ["jobs:read"])
        self.database.execute("alter role plimsoll_app nologin")
        self.addCleanup(self.database.execute, "alter role plimsoll_app login")
        self.database.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'plimsoll_app'")
        self.server.logged("the database is not reachable")
        stranger, refused = Caller(self.server.base), set()
        self.addCleanup(lambda: stranger.connection.close())
        self.addCleanup(lambda: newcomer.connection.close())
        for operation in self.operations:
            with self.subTest(operation.id):
                reply = operation.ask(stranger if operation.open else newcomer, self.ids, secrets.get(operation.id))
                if reply.status == 503:
                    refused.add(operation.id)
                    self.assertGreaterEqual(int(reply.headers["Retry-After"]), 1)
                    self.assertEqual(reply.headers["Content-Type"], "application/problem+json")
                else:
                    self.assertTrue(operation.open, reply.body[:500])
                    self.assertLess(reply.status, 500, reply.body[:500])
        told = {operation.id for operation in documenting(self.operations, "503")}
        # These two ask the identity provider first, and here is none.
        self.assertEqual(told - refused, {"createProviderSignIn", "createProviderSignOut"})

    def cases(self):
        """What to send as whom to which resource."""
        def case(body=None, by=self.owner, **ids):
            return body, by, ids

        make, me = self.owner.make, self.owner.make("GET", "/v1/users/me")
        daily = {"cron": "0 3 * * *", "job": {**TEXTS, "unique": {"key": "alone"}}}
        schedule = make("POST", "/v1/schedules", {"name": "daily", **daily})["id"]
        dataset = make("POST", "/v1/datasets", {"name": "used", "format": "csv", "bytes": 11})["id"]
        content = self.operation("uploadDatasetContent")
        self.assertEqual(content.ask(self.owner, {**self.ids, "dataset_id": dataset}, "text\nA\nB\nC\n").status, 200)
        make("POST", "/v1/jobs", {"kind": "sentiment", "args": {"dataset": dataset}})
        series = [{"symbol": "ACME", "close": [10, 12, 11, 14, 13, 12.5, 16, 15]}]
        waves = make("POST", "/v1/jobs", {"kind": "waves", "args": {"series": series}})["id"]
        make("POST", "/v1/service-accounts", {"name": "taken"})
        admin = me["user"]["id"]
        return {
            "createJob": case({**TEXTS, "unique": {"key": "alone"}}),
            "createJobBundle": case({"jobs": [{**TEXTS, "unique": {"key": "alone"}}]}),
            "cancelJob": case(),
            "replaceSchedule": case({"name": "daily", **daily}),
            "createScheduleRun": case(schedule_id=schedule),
            "deleteDataset": case(dataset_id=dataset),
            "uploadDatasetContent": case(dataset_id=dataset),
            "cleanUpDevice": case(device=self.dead_device()),
            "removeModel": case(model=self.used_model()),
            "setPolicy": case(policy_id=self.filled("setPolicy", "policy_id", 50)),
            "setGpuProfile": case(gpu_profile_id=self.filled("setGpuProfile", "gpu_profile_id", 24)),
            "saveView": case({"page": "jobs", "name": self.views(100), "query": ""}),
            "createWavesCheck": case({"job_id": waves, "pattern": "zigzag", "direction": "up", "ends": [0, 1, 2, 3]}),
            "createWavesReplay": case({"job_id": waves, "last": 1}),
            "deleteCurrentSession": case(),
            "switchTeam": case(),
            "joinTeam": case(),
            **self.cases_of_passwords(admin, case),
            "updateUser": case({"name": "vera"}),
            "deleteUser": case(user_id=admin),
            "updateTeam": case({"name": "rivals"}),
            "setTeamMember": case({"role": "viewer"}, user_id=admin),
            "removeTeamMember": case(user_id=admin),
            "updateServiceAccount": case({"name": "taken"}),
        }

    def cases_of_passwords(self, user, case):
        """Of one who has a password and a second factor."""
        make, password = self.owner.make, "a boat that floats high"
        link = make("POST", "/v1/password-links", {"user_id": user})
        make("POST", "/v1/passwords", {"password_token": link["password_token"], "password": password})
        secret = make("PUT", "/v1/users/me/second-factor", {"present_password": password})["secret"]
        make("PUT", "/v1/users/me/second-factor/confirmation", {"code": code_of(secret)})
        return {
            "setMyPassword": case({"password": password}, by=self.rival),  # who has none
            "offerMySecondFactor": case({"present_password": password}),
            "confirmMySecondFactor": case({"code": code_of(secret, STEP)}),
        }

    def dead_device(self):
        """One that a worker ran a day ago."""
        self.database.execute("""
            insert into worker overriding system value
            select (jsonb_populate_record(w, '{"id": 9999, "device": "gone"}')).* from worker w where device = %s""", [self.ids["device"]])
        self.database.execute("update worker set seen_at = seen_at - interval '1 day' where device = 'gone'")
        return "gone"

    def filled(self, name, parameter, most):
        """Puts as many as a team may have; an id for one more."""
        for number in range(most):
            reply = self.operation(name).ask(self.owner, {**self.ids, parameter: f"one_{number}"})
        self.assertEqual(reply.status, 409, reply.body)
        return "one_more"

    def views(self, most):
        for number in range(most):
            reply = self.operation("saveView").ask(self.owner, self.ids, {"page": "jobs", "name": f"one {number}", "query": ""})
        self.assertEqual(reply.status, 409, reply.body)
        return "one more"

    def used_model(self):
        self.server.run("model", "add", make_model(self.server), "--name", "tiny")
        self.owner.make("PUT", "/v1/policies/desk", {"model": "tiny"})
        return "tiny"


if __name__ == "__main__":
    unittest.main()
