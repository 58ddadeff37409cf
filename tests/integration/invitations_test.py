"""Invitations: who may make them, who may accept them, once, and what ends them."""

import datetime
import json
import threading
import unittest

from harness import Api, Server

SCOPES = ("jobs:read", "reports:read", "jobs:write", "team:admin")


def later(**time):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(**time)).isoformat()


class Invitations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.owner = cls.server.api("admin", "main", (*SCOPES, "sys:admin"))
        cls.stranger = Api(cls.server.base)
        cls.server.admin("add-team", "rivals")
        for name, team, role in (("adam", "main", "admin"), ("mia", "main", "member"), ("tom", "rivals", "owner")):
            cls.server.admin("add-user", name, "--email", name + "@example.com")
            cls.server.admin("set-member", "--user", name, "--team", team, "--role", role)

    def invite(self, api=None, **spec):
        reply = (api or self.owner).post("/v1/invitations", spec)
        self.assertEqual(reply.status, 201, reply.body)
        return reply.json

    def offer(self, secret):
        return self.stranger.get("/v1/invitation-offer", headers={"X-Invitation": secret})

    def arrive(self, secret, name, **more):
        """As a new user."""
        return self.stranger.post("/v1/sessions", {"invitation": {"secret": secret, "name": name, **more}})

    def sign_in(self, name, team):
        """A session; its headers."""
        link = self.server.admin("sign-in-link", "--user", name, "--team", team)
        reply = self.stranger.post("/v1/sessions", {"sign_in_token": link.rpartition("/")[2]})
        self.assertEqual(reply.status, 201, reply.body)
        return {"Cookie": reply.headers["Set-Cookie"].partition(";")[0], "X-CSRF-Token": reply.json["csrf_token"]}

    def join(self, headers, secret):
        return self.stranger.post("/v1/users/me/teams", {"invitation_token": secret}, headers=headers)

    def role_of(self, name):
        team = self.owner.get("/v1/users/me").json["team"]["id"]
        members = self.owner.get(f"/v1/teams/{team}/members").json["items"]
        return next((member["role"] for member in members if member["user"]["name"] == name), None)

    def open_ones(self):
        return [one["id"] for one in self.owner.get("/v1/invitations").json["items"]]

    def audited(self, invitation):
        events = self.owner.get(f"/v1/audit-events?target={invitation['id']}").json["items"]
        return [(event["action"], event["user"]) for event in reversed(events)]

    def test_a_new_user_comes_by_a_link_once(self):
        made = self.invite(role="viewer")
        invitation, secret = made["invitation"], made["secret"]
        self.assertEqual((invitation["role"], invitation["email"], invitation["created_by"]["name"]), ("viewer", None, "admin"))
        self.assertEqual(made["path"], "/#/join/" + secret)
        self.assertIn(invitation["id"], self.open_ones())
        self.assertNotIn(secret, self.owner.get("/v1/invitations").body.decode())
        offer = self.offer(secret).json
        self.assertEqual((offer["team_name"], offer["role"], offer["invited_by"]), ("main", "viewer", "admin"))

        session = self.arrive(secret, "nora", email="Nora@Example.com")
        self.assertEqual(session.status, 201, session.body)
        self.assertEqual((session.json["user"]["name"], session.json["user"]["email"]), ("nora", "nora@example.com"))
        self.assertEqual((session.json["role"], session.json["team"]["name"]), ("viewer", "main"))
        self.assertEqual(self.role_of("nora"), "viewer")
        self.assertEqual(self.arrive(secret, "nick").status, 401)
        self.assertEqual(self.offer(secret).status, 404)
        self.assertNotIn(invitation["id"], self.open_ones())
        self.assertEqual(self.owner.send("DELETE", "/v1/invitations/" + invitation["id"]).status, 404)
        self.assertEqual(self.audited(invitation), [("invitation.create", "admin"), ("invitation.accept", "nora")])
        # The first password of somebody who came without one.
        headers = {"Cookie": session.headers["Set-Cookie"].partition(";")[0], "X-CSRF-Token": session.json["csrf_token"]}
        self.assertEqual(self.stranger.send("PUT", "/v1/users/me/password", {"password": "a boat that floats"}, headers=headers).status, 204)

    def test_a_user_joins_another_team(self):
        secret = self.invite(role="admin")["secret"]
        headers = self.sign_in("tom", "rivals")
        joined = self.join(headers, secret)
        self.assertEqual((joined.status, joined.json["team"]["name"], joined.json["role"]), (200, "main", "admin"), joined.body)
        self.assertEqual(self.join(headers, secret).status, 404)
        self.assertEqual(self.join(headers, self.invite()["secret"]).status, 409)
        self.assertEqual(self.role_of("tom"), "admin")

    def test_a_token_joins_nothing(self):
        secret = self.invite()["secret"]
        self.assertEqual(self.server.api("mia", "main", SCOPES[:3]).post("/v1/users/me/teams", {"invitation_token": secret}).status, 409)
        self.assertEqual(self.offer(secret).status, 200)

    def test_an_address_is_for_its_owner(self):
        made = self.invite(email="Zoe@Example.com")
        self.assertEqual(made["invitation"]["email"], "zoe@example.com")
        self.assertEqual(self.join(self.sign_in("mia", "main"), made["secret"]).status, 403)
        session = self.arrive(made["secret"], "zoe", email="other@example.com")
        self.assertEqual((session.status, session.json["user"]["email"]), (201, "zoe@example.com"), session.body)

    def test_a_name_that_is_taken_uses_nothing_up(self):
        secret = self.invite()["secret"]
        # As it is written in other cases, with digits, in scripts (Cyrillic, Greek), widths and with what nobody sees.
        for look in ("mia", "MIA ", "mla", "m1a", "m\u0456a", "mi\u0430", "\u041c\u0406\u0410", "m\u03b9a", "\uff4d\uff49\uff41", "m\u200bia", "\u00admia", "mi\ufe0fa"):
            self.assertIn(self.arrive(secret, look).status, (409, 422), look)
        self.assertIsNone(self.role_of("mina"))
        # An address is a claim: others may have it, and nobody learns whether it has an account.
        self.assertEqual(self.arrive(secret, "mina", email="mia@example.com").status, 201)
        self.assertEqual(self.arrive(self.invite(email="mia@example.com")["secret"], "another mia").status, 201)

    def test_of_many_at_once_one_is_let_in(self):
        secret, statuses = self.invite()["secret"], []
        arrivals = [threading.Thread(target=lambda name=name: statuses.append(self.arrive(secret, name).status))
                    for name in (f"crowd {number}" for number in range(6))]
        for arrival in arrivals:
            arrival.start()
        for arrival in arrivals:
            arrival.join()
        self.assertEqual(sorted(statuses), [201] + [401] * 5)
        self.assertEqual(sum(self.role_of(f"crowd {number}") is not None for number in range(6)), 1)

    def test_who_may_invite(self):
        adam = self.server.api("adam", "main", SCOPES)
        self.assertEqual(adam.post("/v1/invitations", {"role": "owner"}).status, 403)
        self.assertEqual(self.invite(adam, role="admin")["invitation"]["role"], "admin")
        self.assertEqual(self.server.api("adam", "main", ("team:admin",)).post("/v1/invitations", {}).status, 403)
        self.assertEqual(self.server.api("mia", "main", SCOPES[:3]).post("/v1/invitations", {}).status, 403)

    def test_it_ends_when_its_creator_may_no_longer_invite(self):
        for name, end in (("eve", ("set-member", "--user", "eve", "--team", "main", "--role", "member")),
                          ("ivy", ("remove-user", "ivy"))):
            with self.subTest(name):
                self.server.admin("add-user", name)
                self.server.admin("set-member", "--user", name, "--team", "main", "--role", "admin")
                secret = self.invite(self.server.api(name, "main", SCOPES))["secret"]
                self.assertEqual(self.offer(secret).status, 200)
                self.server.admin(*end)
                self.assertEqual(self.offer(secret).status, 404)
                self.assertEqual(self.arrive(secret, "guest of " + name).status, 401)

    def test_revoked_or_expired(self):
        made = self.invite()
        path = "/v1/invitations/" + made["invitation"]["id"]
        for other in (self.server.api("tom", "rivals", SCOPES).send("DELETE", path), self.owner.send("DELETE", "/v1/invitations/inv_0000000000zzz")):
            self.assertEqual(other.status, 404)
        self.assertEqual(self.owner.send("DELETE", path).status, 204)
        self.assertEqual(self.owner.send("DELETE", path).status, 404)
        self.assertEqual(self.offer(made["secret"]).status, 404)
        self.assertEqual(self.audited(made["invitation"]), [("invitation.create", "admin"), ("invitation.revoke", "admin")])
        brief = self.invite(expires_at=later(seconds=2))["secret"]
        while self.offer(brief).status != 404:
            pass
        self.assertEqual(self.arrive(brief, "too late").status, 401)

    def test_what_is_refused(self):
        for spec in ({"role": "captain"}, {"email": "nobody"}, {"email": "a\nb@example.com"}, {"expires_at": later(days=-1)},
                     {"expires_at": later(days=31)}, {"team_id": "team_0000000000001"}):
            with self.subTest(spec=spec):
                self.assertEqual(self.owner.post("/v1/invitations", spec).status, 422)
        secret = self.invite()["secret"]
        self.assertEqual(self.arrive(secret, "").status, 422)
        self.assertEqual(self.offer(secret[:-1]).status, 404)
        self.assertEqual(self.offer("plm_signin_5hXw2KfTqM8aVbD0sRy6LcJ1nPz_0aB4cD").status, 404)

    def test_a_key_makes_one_invitation(self):
        key = {"Idempotency-Key": "invite-once"}
        first = self.owner.post("/v1/invitations", {}, headers=key)
        again = self.owner.post("/v1/invitations", {}, headers=key)
        self.assertEqual((first.status, again.status), (201, 409))
        self.assertEqual(again.headers["Location"], first.headers["Location"])
        self.assertNotIn(first.json["secret"], again.body.decode())

    def test_the_command_line(self):
        self.server.api()  # signs it in
        made = json.loads(self.server.run("invitations", "add", "--role", "viewer", "--email", "cli@example.com", "--json").stdout)
        self.assertIn("cli@example.com", self.server.run("invitations", "list").stdout)
        told = self.server.run("invitations", "add", "--days", "1")
        self.assertIn(self.server.base + "/#/join/plm_invite_", told.stdout)
        self.server.run("invitations", "revoke", made["invitation"]["id"])
        self.assertEqual(self.offer(made["secret"]).status, 404)


if __name__ == "__main__":
    unittest.main()
