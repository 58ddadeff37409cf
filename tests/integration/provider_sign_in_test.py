"""Sign-in with an identity provider: a real one, and what a hostile one or a thief might send."""

import re
import socket
import threading
import time
import unittest
import urllib.parse

from harness import PATIENCE, ROOT, Api, Server
from identity_provider import REDIRECT, SECRET, Case, Provider


class SignIn(Case):
    settings = {"oidc__groups": "staff=main:member, leads=main:admin, press=press:viewer",
                "oidc__scopes": "openid email profile groups", "oidc__name": "Example Login"}

    def test_a_new_user_comes_with_the_roles_of_the_groups(self):
        self.assertEqual(self.anybody.get("/v1/sign-in-methods").json, {"provider": "Example Login"})
        self.provider.account("ada", groups=["staff", "press", "choir"])
        session = self.sign_in("ada")
        self.assertEqual(session.status, 201, session.body)
        self.assertEqual((session.json["user"]["name"], session.json["user"]["email"]), ("Ada", "ada@example.com"))
        self.assertEqual(self.roles(session), {"main": "member", "press": "viewer"})
        cookies = session.headers.get_all("Set-Cookie")
        self.assertIn("plimsoll_session=plm_session_", cookies[0])
        self.assertIn("plimsoll_sign_in=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", cookies[1])
        account = self.account_of("Ada")
        self.assertTrue(account["provider_sign_in"])
        events = self.owner.get(f"/v1/audit-events?target={account['id']}&all_teams=true").json["items"]
        self.assertEqual(sorted(event["action"] for event in events), ["member.set", "member.set", "user.create", "user.link"])

    def test_roles_follow_the_groups_at_each_sign_in(self):
        self.provider.account("grace", groups=["leads", "press"])
        self.assertEqual(self.roles(self.sign_in("grace")), {"main": "admin", "press": "viewer"})
        self.provider.account("grace", groups=["staff"])
        again = self.sign_in("grace")
        self.assertEqual(self.roles(again), {"main": "member"})
        self.assertEqual(again.json["user"]["id"], self.account_of("Grace")["id"])
        self.provider.account("grace", groups=[])
        self.assertIn("in no team", self.refused(self.sign_in("grace"), 403))

    def test_whoever_is_in_no_group_gets_no_account(self):
        self.provider.account("eve", groups=["choir"])
        self.assertIn("in no team", self.refused(self.sign_in("eve"), 403))
        self.assertIsNone(self.account_of("Eve"))

    def test_a_disabled_user_stays_out(self):
        self.provider.account("ivy", groups=["staff"])
        user = self.sign_in("ivy").json["user"]["id"]
        self.owner.send("PATCH", f"/v1/users/{user}", {"disabled": True})
        self.assertIn("disabled", self.refused(self.sign_in("ivy"), 403))
        self.owner.send("PATCH", f"/v1/users/{user}", {"disabled": False})
        self.assertEqual(self.sign_in("ivy").status, 201)

    def test_an_address_alone_links_no_account(self):
        self.server.admin("add-user", "mia", "--email", "mia@example.com")
        self.provider.account("mia", groups=["staff"])
        self.assertIn("address", self.refused(self.sign_in("mia"), 403))
        self.assertFalse(self.account_of("mia")["provider_sign_in"])

    def test_a_name_that_is_taken_is_not_a_hindrance(self):
        self.provider.account("anna", name="Admin", groups=["staff"])
        self.server.admin("add-user", "Anna")
        self.provider.account("anna2", name="Anna", preferred_username="anna.two", groups=["staff"])
        self.assertEqual(self.sign_in("anna2").json["user"]["name"], "anna.two")

    def test_a_response_works_once(self):
        self.provider.account("tom", groups=["staff"])
        returned, cookie = self.returned("tom")
        self.assertEqual(self.end(returned, cookie).status, 201)
        self.assertIn("has already been used", self.refused(self.end(returned, cookie)))
        # Nor does its code in another sign-in of the same browser.
        url, cookie = self.begin()
        state = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["state"][0]
        self.assertIn("invalid_grant", self.refused(self.end({**returned, "state": state}, cookie)))

    def test_of_many_at_once_one_gets_in(self):
        self.provider.account("tim", groups=["staff"])
        returned, cookie = self.returned("tim")
        statuses = []
        threads = [threading.Thread(target=lambda: statuses.append(self.end(returned, cookie).status)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(statuses), [201, 401, 401, 401])

    def test_a_response_is_for_the_browser_that_began(self):
        """Otherwise a victim could be signed in as the attacker, or the other way round."""
        self.provider.account("zoe", groups=["staff"])
        returned, cookie = self.returned("zoe")
        _, other = self.begin()
        self.assertIn("does not match this browser's", self.refused(self.end(returned, other)))
        self.assertIn("did not start a sign-in", self.refused(self.end(returned, {})))
        self.assertIn("did not start a sign-in", self.refused(self.end(returned, {"Cookie": "plimsoll_sign_in=" + "A" * 80})))
        self.assertIn("does not match this browser's", self.refused(self.end({**returned, "state": "x"}, cookie)))
        self.assertIn("another issuer", self.refused(self.end({**returned, "iss": "https://evil.example"}, cookie)))

    def test_another_origin_cannot_begin_or_end(self):
        for path, body in (("/v1/provider-sign-ins", None), ("/v1/sessions", {"provider": {"code": "c", "state": "s"}})):
            self.assertEqual(self.anybody.post(path, body, headers={"Origin": "https://evil.example"}).status, 403)

    def test_the_request_is_what_the_standards_ask_for(self):
        url, cookie = self.begin()
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
        self.assertEqual((query["response_type"], query["code_challenge_method"], query["redirect_uri"]), ("code", "S256", REDIRECT))
        self.assertGreaterEqual(len(query["state"]), 43)
        self.assertGreaterEqual(len(query["nonce"]), 43)
        self.assertNotIn(SECRET, url)

    def test_forged_tokens_are_refused_and_the_log_says_why(self):
        self.provider.account("mallory", groups=["leads"])
        self.addCleanup(self.provider.tell, tamper=None)
        for tamper, reason in (({"by": "none"}, "algorithm"), ({"by": "secret"}, "algorithm"), ({"by": "stranger"}, "invalid signature"),
                               ({"claims": {"aud": "another"}}, "another client"), ({"claims": {"iss": "https://evil.example"}}, "another issuer"),
                               ({"claims": {"nonce": "another"}}, "nonce"), ({"claims": {"nonce": None}}, "nonce"),
                               ({"claims": {"exp": 1_000_000_000}}, "expired"), ({"claims": {"iat": 4_000_000_000}}, "future"),
                               ({"claims": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}}, "another access token"),
                               ({"claims": {"sub": "ada"}}, "another user")):
            with self.subTest(tamper=tamper):
                self.provider.tell(tamper=tamper)
                self.assertIn(reason, self.refused(self.sign_in("mallory")))
        self.assertIsNone(self.account_of("Mallory"))
        self.provider.tell(tamper={"claims": {"groups": ["staff"]}})
        self.assertEqual(self.sign_in("mallory").status, 201, "tampering as such works")

    def test_zz_secrets_are_in_no_log(self):
        self.provider.account("cleo", groups=["staff"])
        returned, cookie = self.returned("cleo")
        self.assertEqual(self.end(returned, cookie).status, 201)
        log = "".join(self.server.log)
        for secret in (SECRET, returned["code"], returned["state"], cookie["Cookie"].partition("=")[2]):
            self.assertNotIn(secret, log)
        printed = self.server.run("serve", "--print-config", env={"PLIMSOLL_OIDC_CLIENT_SECRET": SECRET, "PLIMSOLL_OIDC_ISSUER": "https://login.example.com",
                                                                  "PLIMSOLL_OIDC_CLIENT_ID": "plimsoll", "PLIMSOLL_OIDC_REDIRECT_URI": "https://plimsoll.example.com/"})
        self.assertNotIn(SECRET, printed.stdout + printed.stderr)
        self.assertIn("(set)", printed.stdout)


class Linking(Case):
    """Existing users by their address, nobody new, and another algorithm and way to send the secret."""
    settings = {"oidc__link_users": "true", "oidc__create_users": "false", "oidc__allowed_domains": "example.com"}
    client, secret, authentication = "plimsoll-ec", "another secret, long enough", "client_secret_post"

    def test_existing_users_sign_in_and_keep_their_teams(self):
        self.server.admin("add-user", "mia", "--email", "mia@example.com")
        self.server.admin("set-member", "--user", "mia", "--team", "main", "--role", "admin")
        self.provider.account("mia", name="Somebody")
        session = self.sign_in("mia")
        self.assertEqual((session.status, session.json["user"]["name"]), (201, "mia"), session.body)
        self.assertEqual(self.roles(session), {"main": "admin"})
        # From now on by the subject: the address may change.
        self.provider.account("mia", email="maria@example.com")
        self.assertEqual(self.sign_in("mia").json["user"]["name"], "mia")

    def test_an_address_that_nobody_verified_links_nobody(self):
        self.server.admin("add-user", "vic", "--email", "vic@example.com")
        self.server.admin("set-member", "--user", "vic", "--team", "main", "--role", "owner")
        self.provider.account("vic", email_verified=False)
        self.assertIn("no verified address", self.refused(self.sign_in("vic"), 403))
        # The ID token speaks of an address that it does not name: it is not that of the userinfo.
        self.provider.tell(tamper={"claims": {"email_verified": True}})
        self.addCleanup(self.provider.tell, tamper=None)
        self.assertIn("no verified address", self.refused(self.sign_in("vic"), 403))

    def test_others_are_refused(self):
        self.provider.account("eve")
        self.assertIn("No user matches", self.refused(self.sign_in("eve"), 403))
        self.provider.account("bob", email="bob@example.org")
        self.assertIn("oidc.allowed_domains", self.refused(self.sign_in("bob"), 403))

    def test_new_keys_are_found(self):
        self.server.admin("add-user", "kim", "--email", "kim@example.com")
        self.server.admin("set-member", "--user", "kim", "--team", "main", "--role", "viewer")
        self.provider.account("kim")
        self.assertEqual(self.sign_in("kim").status, 201)
        self.provider.tell(rotate=True)
        # They are looked for, though not at every sign-in.
        deadline = time.monotonic() + PATIENCE
        while (reply := self.sign_in("kim")).status != 201:
            self.assertIn("does not list", self.refused(reply))
            self.assertLess(time.monotonic(), deadline)


class PublicClient(Case):
    settings = {"oidc__groups": "*=main:viewer"}
    client, secret = "plimsoll-public", None

    def test_it_needs_no_secret(self):
        self.provider.account("ada")
        self.assertEqual(self.roles(self.sign_in("ada")), {"main": "viewer"})

    def test_the_last_owner_stays(self):
        self.server.admin("add-user", "olga", "--email", "olga@example.com")
        self.provider.account("olga", email="olga2@example.com", name="Olga2")
        user = self.sign_in("olga").json["user"]["id"]
        main = self.owner.get("/v1/users/me").json["team"]["id"]
        self.owner.send("PUT", f"/v1/teams/{main}/members/{user}", {"role": "owner"})
        me = self.owner.get("/v1/users/me").json["user"]["id"]
        self.owner.send("PUT", f"/v1/teams/{main}/members/{me}", {"role": "viewer"})
        self.assertEqual(self.roles(self.sign_in("olga")), {"main": "owner"})
        self.server.logged("kept the team's last owner")


class Unreachable(unittest.TestCase):
    def start(self, issuer, **more):
        self.server = Server(oidc__issuer=issuer, oidc__client_id="plimsoll", oidc__redirect_uri=REDIRECT, **more).start()
        self.addCleanup(self.server.remove)
        return self.server

    def test_a_provider_that_is_down_stops_nothing_else(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            server = self.start(f"http://127.0.0.1:{unused.getsockname()[1]}", oidc__allowed_networks="127.0.0.0/8",
                                oidc__sign_out="true")
            sign_in = Api(server.base).post("/v1/provider-sign-ins")
            sign_out = Api(server.base).post("/v1/provider-sign-outs", headers={"Cookie": "plimsoll_sign_out=-"})
        self.assertEqual((sign_in.status, sign_out.status), (503, 503))
        self.assertGreaterEqual(int(sign_out.headers["Retry-After"]), 1)
        self.server.logged("could not be reached")
        self.assertEqual(server.api().get("/v1/users/me").status, 200)

    def test_a_private_address_needs_leave(self):
        provider = Provider()
        self.addCleanup(provider.close)
        server = self.start(provider.issuer)
        self.assertEqual(Api(server.base).post("/v1/provider-sign-ins").status, 503)
        self.server.logged("oidc.allowed_networks")

    def test_settings_that_cannot_work_are_refused(self):
        good = {"oidc.issuer": "https://login.example.com", "oidc.client_id": "plimsoll", "oidc.redirect_uri": "https://plimsoll.example.com/"}
        for change in ({"oidc.issuer": "http://login.example.com"}, {"oidc.client_id": ""}, {"oidc.redirect_uri": ""},
                       {"oidc.redirect_uri": "https://plimsoll.example.com/?next=x"}, {"oidc.groups": "staff"}, {"oidc.issuer": ""},
                       {"oidc.client_secret": "x", "oidc.client_secret_file": "/dev/null"}, {"oidc.client_secret_file": "/dev/null"},
                       {"oidc.allowed_domains": "@example.com"}, {"oidc.ca_file": "/nowhere"}):
            flags = [part for key, value in {**good, **change}.items() for part in ("--" + key, value)]
            server = Server()
            self.addCleanup(server.remove)
            with self.subTest(change=change):
                done = server.run("serve", "--port", "0", "--data", server.folder / "data", *flags, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("oidc", done.stdout + done.stderr)


class Documentation(unittest.TestCase):
    def test_the_worked_example_is_accepted(self):
        page = (ROOT / "web/src/routes/docs/topics/identity-provider.md").read_text("utf-8")
        [example] = re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S)
        server = Server()
        self.addCleanup(server.remove)
        (server.folder / "plimsoll.yaml").write_text(example)
        printed = server.run("serve", "--config", server.folder / "plimsoll.yaml", "--print-config").stdout
        for value in ("https://login.example.com/realms/work", "*=main:viewer", "/etc/plimsoll/oidc-secret"):
            self.assertIn(value, printed)


class NoProvider(unittest.TestCase):
    def test_there_is_nothing_to_sign_in_with(self):
        with Server() as server:
            anybody = Api(server.base)
            self.assertEqual(anybody.get("/v1/sign-in-methods").json, {"provider": None})
            self.assertEqual(anybody.post("/v1/provider-sign-ins").status, 404)
            guesses = [anybody.post("/v1/sessions", {"provider": {"code": "c", "state": "s"}}).status for _ in range(11)]
            self.assertEqual(guesses, [401] * 10 + [429])


if __name__ == "__main__":
    unittest.main()
