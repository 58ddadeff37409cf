"""Who may do what: every operation of openapi.yaml × every type of caller, against a real server.

A caller without a valid credential gets 401; a token without the operation's scope, or a user whose role does not
include it, 403. Another team gets the same response for this team's objects as for missing ones. New operations of the
contract are in the matrix automatically.
"""

import datetime
import json
import re
import unittest

from every_operation import CANARY, READS, SCOPES, Caller, EveryOperation

# By the caller's own session or token; nothing of a team is named.
PERSONAL = {"createSession", "deleteCurrentSession", "spendPasswordLink"}
# By the secret of a link alone, whoever calls: tests/integration/report_links_test.py and invitations_test.py.
LINKED = {"getInvitationOffer", "getLinkedReport", "getLinkedResultsCsv", "getLinkedResultsJsonl"}
# Workers measure speeds whenever they come to it.
CHANGING = re.compile(r'"(?:request_id|version)":"[^"]*"|"speeds":\[[^\]]*\]|\d{4}-\d\d-\d\dT[\d:.]+Z')


class Access(EveryOperation):
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
                    self.assertEqual(foreign[0], 403)  # the installation's, for its system admins
                elif operation.names:
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

    def seen_by_owner(self):
        quiet = ("getHealth", "getReadiness", "listDevices", "getDeviceHealth", "getQueue", "listTokens", "getUsage", "getUsageCsv",
                 "listWebhookDeliveries")
        return {operation.id: CHANGING.sub("", operation.ask(self.owner, self.ids).body.decode(errors="replace"))
                for operation in self.closed() if operation.method == "GET" and operation.id not in quiet}

    def test_zz_the_owner_may(self):
        """Last: it deletes what the others look at."""
        absent = ("getJobWaitReason", "getJobPictureSvg", "getJobPicturePng", "getJobBaseline")  # of a finished job of texts
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
