"""What an identity provider decides besides roles, how its users sign out and are unlinked, and how many sign-ins wait."""

import json
import socket
import threading
import time
import unittest

from harness import Api, Server
from identity_provider import REDIRECT, Browser, Case


class Administrators(Case):
    settings = {"oidc__groups": "*=main:viewer", "oidc__admin_groups": "platform, ops", "oidc__scopes": "openid email profile groups"}

    def test_a_group_makes_system_admins(self):
        self.provider.account("uma", groups=["staff", "ops"])
        user = self.sign_in("uma").json["user"]
        self.assertTrue(user["is_admin"])
        self.provider.account("uma", groups=["staff"])
        self.assertFalse(self.sign_in("uma").json["user"]["is_admin"])
        events = self.owner.get(f"/v1/audit-events?target={user['id']}&action=user.update&all_teams=true").json["items"]
        self.assertEqual([(event["data"]["is_admin"], event["data"]["by"]) for event in events],
                         [(False, "identity provider"), (True, "identity provider")])

    def test_the_last_system_admin_stays(self):
        self.provider.account("max", groups=["platform"])
        user = self.sign_in("max").json["user"]["id"]
        me = self.owner.get("/v1/users/me").json["user"]["id"]
        self.assertEqual(self.owner.send("PATCH", f"/v1/users/{me}", {"is_admin": False}).status, 200)
        self.provider.account("max", groups=[])
        self.assertTrue(self.sign_in("max").json["user"]["is_admin"])
        self.server.logged("kept the last system admin", "subject max")
        self.server.admin("set-user", "admin", "--administrator", "true")
        self.assertFalse(self.sign_in("max").json["user"]["is_admin"])
        self.assertEqual(self.account_of("Max")["id"], user)

    def test_an_unlinked_user_does_not_come_back_alone(self):
        self.provider.account("ned", groups=[])
        user = self.sign_in("ned").json["user"]["id"]
        path = f"/v1/users/{user}/identities"
        page = self.owner.get(path).json
        [identity] = page["items"]
        self.assertEqual((identity["issuer"], identity["subject"], page["next_cursor"]), (self.provider.issuer, "ned", None))
        self.assertEqual(self.owner.send("DELETE", f"{path}/{identity['id']}").status, 204)
        self.assertEqual(self.owner.send("DELETE", f"{path}/{identity['id']}").status, 404)
        self.assertEqual(self.owner.get(path).json["items"], [])
        self.assertFalse(self.account_of("Ned")["provider_sign_in"])
        self.assertIn("address", self.refused(self.sign_in("ned"), 403))
        [event] = self.owner.get(f"/v1/audit-events?target={user}&action=user.unlink&all_teams=true").json["items"]
        self.assertEqual(event["data"], {"issuer": self.provider.issuer, "subject": "ned"})
        self.assertEqual(self.owner.get("/v1/users/user_0000000000zzz/identities").status, 404)

    def test_the_command_line_unlinks_too(self):
        self.provider.account("nora", groups=[])
        user = self.sign_in("nora").json["user"]["id"]
        [identity] = json.loads(self.server.admin("identities", user, "--json"))["identities"]
        self.assertEqual((identity["issuer"], identity["subject"]), (self.provider.issuer, "nora"))
        self.assertIn("nora", self.server.admin("identities", user))
        self.assertEqual(json.loads(self.server.admin("unlink", user, identity["id"], "--json")), {"id": identity["id"]})
        self.assertEqual(self.server.admin("identities", user), "")
        for wrong in (identity["id"], "idn_0000000000zzz", "nora"):
            with self.assertRaisesRegex(AssertionError, "identity"):
                self.server.admin("unlink", user, wrong)
        [event] = self.owner.get(f"/v1/audit-events?target={user}&action=user.unlink&all_teams=true").json["items"]
        self.assertEqual(event["data"], {"issuer": self.provider.issuer, "subject": "nora"})


class SignOut(Case):
    settings = {"oidc__groups": "*=main:viewer", "oidc__sign_out": "true"}

    def sign_out(self, headers):
        reply = self.anybody.post("/v1/provider-sign-outs", headers=headers)
        self.assertEqual(reply.status, 200, reply.body)
        self.assertIn("plimsoll_sign_out=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", reply.headers["Set-Cookie"])
        return reply.json["sign_out_url"]

    def test_the_session_at_the_provider_ends_too(self):
        self.provider.account("ada")
        url, cookie = self.begin()
        browser = Browser()
        session = self.end(browser.sign_in(url, "ada"), cookie)
        self.assertEqual(session.status, 201, session.body)
        self.assertIsNone(browser.open(self.begin()[0])[0], "the provider knows the browser")
        given = {part.partition("=")[0]: part for part in (one.partition(";")[0] for one in session.headers.get_all("Set-Cookie"))}
        self.assertNotIn("Set-Cookie", self.anybody.get("/v1/users/me", headers={"Cookie": given["plimsoll_session"]}).headers)
        there = self.sign_out({"Cookie": given["plimsoll_sign_out"]})
        self.assertTrue(there.startswith(self.provider.issuer + "/"), there)
        self.assertEqual(browser.sign_out(there), REDIRECT)
        self.assertIn('name="login"', browser.open(self.begin()[0])[0], "the provider asks again")
        self.assertNotIn(given["plimsoll_sign_out"].partition("=")[2], "".join(self.server.log))

    def test_who_did_not_come_from_there_does_not_go_there(self):
        self.assertIsNone(self.sign_out({}))
        self.assertIsNone(self.sign_out({"Cookie": "plimsoll_sign_out="}))
        self.assertNotIn("id_token_hint", self.sign_out({"Cookie": "plimsoll_sign_out=-"}))
        self.assertEqual(self.anybody.post("/v1/provider-sign-outs", headers={"Origin": "https://evil.example"}).status, 403)


class Crowd(unittest.TestCase):
    """A provider that never responds holds a bounded number of sign-ins, of each network fewer, and delays nothing else."""

    def test_sign_ins_that_wait_are_bounded(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(128)
            server = Server(oidc__issuer=f"http://127.0.0.1:{silent.getsockname()[1]}", oidc__client_id="plimsoll", oidc__redirect_uri=REDIRECT,
                            oidc__allowed_networks="127.0.0.0/8", http__trusted_proxies="127.0.0.1").start()
            self.addCleanup(server.remove)
            statuses = {}

            def begin(network):
                reply = Api(server.base).post("/v1/provider-sign-ins", headers={"X-Forwarded-For": f"198.18.{network}.1"})
                statuses.setdefault(network, []).append((reply.status, reply.json["detail"]))

            threads = [threading.Thread(target=begin, args=(network,)) for network in range(5) for _ in range(17)]
            for thread in threads:
                thread.start()
            began = time.monotonic()
            self.assertEqual(Api(server.base).get("/v1/sign-in-methods").status, 200)
            self.assertLess(time.monotonic() - began, 5)
            for thread in threads:
                thread.join()
        crowded = {network: sum("in progress" in detail for _, detail in replies) for network, replies in statuses.items()}
        self.assertEqual({status for replies in statuses.values() for status, _ in replies}, {503})
        self.assertTrue(all(count >= 1 for count in crowded.values()), crowded)  # 16 a network
        self.assertEqual(sum(crowded.values()), 5 * 17 - 64, crowded)  # 64 in all


if __name__ == "__main__":
    unittest.main()
