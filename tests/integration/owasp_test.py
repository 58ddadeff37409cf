"""The OWASP API Security Top 10 of 2023, with at least one test per category.

API1 objects and API5 functions of others: access_test.py, every operation x every caller. API4 resources: attacks_test.py and
smuggling_test.py. API7 requests that the server makes: resolver_test.py, webhooks_test.py, profile_test.py
and provider_sign_in_test.py (allowed origins, addresses, redirects). Injection: injection_test.py. The others are here.
"""

import base64
import json
import socket
import unittest

from harness import Api, Server

HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
           "Cross-Origin-Resource-Policy": "same-origin"}
SCOPES = ("jobs:read", "reports:read", "jobs:write", "team:admin", "sys:admin")
# What a caller may not decide about what it makes.
FOREIGN = {"id": "job_0000000000001", "team_id": "team_0000000000001", "team": {"id": "team_0000000000001"}, "user_id": "user_0000000000001",
           "submitter": "root", "state": "succeeded", "is_admin": True, "role": "owner", "created_at": "2020-01-01T00:00:00Z",
           "progress": {"items_done": 1}, "hash": "0", "csrf_token": "0"}
# Members that show a secret, and the only schemas that may have them.
SECRETS = {"secret": {"TokenCreated", "WebhookCreated", "ReportLinkCreated", "SecondFactorOffer", "InvitationCreated",
                      "InvitationSignIn"}, "sign_in_token": {"SignInLink", "SessionCreate"},
           "csrf_token": {"Session", "Me"}, "token": {"TokenCreated", "SessionCreate"}, "cookie": set(),
           # Passwords are in requests only.
           "password": {"PasswordSignIn", "PasswordChange", "PasswordLinkUse"}, "present_password": {"PasswordChange", "SecondFactorRequest"},
           "password_token": {"PasswordLink", "PasswordLinkUse"}, "invitation_token": {"InvitationUse"},
           # What identity providers send stays within the server.
           "client_secret": set(), "id_token": set(), "access_token": set()}


def unsigned(claims):
    parts = ({"alg": "none", "typ": "JWT"}, claims)
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + "."


class TopTen(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = Api(cls.server.base, cls.server.admin(
            "add-token", "all", "--user", "admin", "--team", "main", *(part for scope in SCOPES for part in ("--scope", scope))).split()[-1])
        cls.document = Api(cls.server.base).get("/openapi.json").json

    def resolved(self, node):
        while "$ref" in node:
            at = self.document
            for name in node["$ref"].split("/")[1:]:
                at = at[name]
            node = at
        return node

    def test_2_only_secrets_of_the_right_kind_are_credentials(self):
        token = self.api.token
        signed_in = self.api.post("/v1/sessions", {"token": token})
        cookie = signed_in.headers["Set-Cookie"].partition(";")[0]
        link = self.server.admin("sign-in-link").rpartition("/")[2]
        wrong = [token[:-1], token.upper(), token.replace("plm_api_", "plm_session_"), cookie.partition("=")[2], link,
                 unsigned({"sub": "admin"}), "", "null", "Bearer " + token]
        for text in wrong:
            with self.subTest(text[:20]):
                self.assertEqual(Api(self.server.base).get("/v1/users/me", headers={"Authorization": "Bearer " + text}).status, 401)
        name = cookie.partition("=")[0]
        for text in (token, link, unsigned({})):
            with self.subTest(cookie=text[:20]):
                self.assertEqual(Api(self.server.base).get("/v1/users/me", headers={"Cookie": f"{name}={text}"}).status, 401)

    def test_2_a_session_has_a_secret_that_nobody_chose(self):
        secrets = set()
        for _ in range(2):
            reply = self.api.post("/v1/sessions", {"token": self.api.token}, headers={"Cookie": "plimsoll_session=plm_session_chosen"})
            cookie = reply.headers["Set-Cookie"]
            self.assertIn("HttpOnly; SameSite=Lax", cookie)
            secrets.add(cookie.partition(";")[0])
        self.assertEqual(len(secrets), 2)
        self.assertNotIn("plimsoll_session=plm_session_chosen", secrets)

    def test_zz_2_guessing_ends_after_ten_tries(self):
        """Last: nobody signs in from this address for a while."""
        guess = Api(self.server.base)
        statuses = [guess.post("/v1/sessions", {"sign_in_token": f"plm_signin_{i}"}).status for i in range(11)]
        self.assertEqual(statuses, [401] * 10 + [429])

    def test_3_nothing_but_what_the_contract_names_is_set(self):
        """Every member that a caller might slip in is refused by every operation that does not take it."""
        checked = 0
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                body = operation.get("requestBody") if isinstance(operation, dict) else None
                content = (body or {}).get("content", {}).get("application/json")
                if content is None:
                    continue
                target = path.replace("{device_class}", "cpu")
                target = "/".join("x" if part.startswith("{") else part for part in target.split("/"))
                alone = "maxProperties" in self.resolved(content["schema"])
                for member, value in FOREIGN.items():
                    if member in self.members(content["schema"]):
                        continue
                    reply = self.api.send(method.upper(), target, {**({} if alone else content["example"]), member: value})
                    # A path that names nothing is looked at after the body.
                    with self.subTest(operation["operationId"], member=member):
                        self.assertEqual(reply.status, 422, reply.body[:300])
                        self.assertIn(member, reply.body.decode())
                    checked += 1
        self.assertGreater(checked, 300)

    def members(self, schema):
        schema = self.resolved(schema)
        names = set(schema.get("properties", {}))
        for variant in schema.get("oneOf", []) + schema.get("allOf", []):
            names |= self.members(variant)
        return names

    def test_3_secrets_are_in_the_answers_that_make_them_and_no_others(self):
        for name, schema in self.document["components"]["schemas"].items():
            for member in set(schema.get("properties", {})) & set(SECRETS):
                self.assertIn(name, SECRETS[member], member)

    def test_6_one_teams_flood_is_counted_against_that_team(self):
        self.server.admin("add-team", "flood")
        self.server.admin("add-user", "fred")
        self.server.admin("set-member", "--user", "fred", "--team", "flood", "--role", "member")
        fred = self.server.api("fred", "flood")
        team = fred.get("/v1/users/me").json["team"]["id"]
        self.assertEqual(self.api.send("PUT", f"/v1/teams/{team}/limits", {"queued_jobs": None, "jobs_per_minute": 3}).status, 200)
        job = {"kind": "sentiment", "args": {"texts": ["calm"]}}
        replies = [fred.post("/v1/jobs", job) for _ in range(5)]
        self.assertEqual([reply.status for reply in replies], [202] * 3 + [429] * 2)
        self.assertEqual(replies[-1].json["type"], "/docs/problems/over-quota")
        self.assertEqual(self.api.post("/v1/jobs", job).status, 202)

    def test_8_headers_of_every_answer(self):
        for path in ("/healthz", "/v1/users/me", "/v1/nothing", "/v1/jobs?limit=x", "/openapi.yaml"):
            with self.subTest(path):
                reply = self.api.get(path)
                self.assertEqual({name: reply.headers[name] for name in HEADERS}, HEADERS)
                self.assertIn("default-src 'none'", reply.headers["Content-Security-Policy"])
                self.assertIsNone(reply.headers["Server"])
                self.assertIsNone(reply.headers["Access-Control-Allow-Origin"])

    def test_8_another_origin_may_do_nothing(self):
        reply = self.api.send("OPTIONS", "/v1/jobs", headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"})
        self.assertIsNone(reply.headers["Access-Control-Allow-Origin"])
        login = self.api.post("/v1/sessions", {"token": self.api.token}, headers={"Origin": "https://evil.example"})
        self.assertEqual(login.status, 403)

    def test_8_only_the_methods_of_the_contract(self):
        for method in ("TRACE", "CONNECT", "PROPFIND", "TRACK"):
            with self.subTest(method):
                with socket.create_connection(("127.0.0.1", int(self.server.base.rpartition(":")[2])), timeout=60) as line:
                    line.sendall(f"{method} /v1/jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                 f"Authorization: Bearer {self.api.token}\r\n\r\n".encode())
                    answer = b"".join(iter(lambda: line.recv(65536), b""))
                self.assertIn(answer.split(b" ", 2)[1], (b"400", b"405", b"501"), answer[:200])
                self.assertNotIn(self.api.token.encode(), answer)

    def test_8_a_refusal_reveals_no_internals(self):
        for path in ("/v1/jobs/%00", "/v1/jobs/job_0000000000001'--", "/v1/jobs?label=%27;drop", "/v1/datasets/data_zzzzzzzzzzzzz", "/v1/jobs?cursor=A"):
            text = self.api.get(path).body.decode().lower()
            for word in ("select ", "pg_", "sqlstate", ".cpp", "exception", "/home", "/var/", "plimsoll."):
                self.assertNotIn(word, text, path)

    def test_9_what_the_contract_does_not_name_is_not_there(self):
        documented = set(self.document["paths"])
        for path in ("/v2/jobs", "/v1/internal", "/v1/debug", "/v1/admin", "/v1/metrics", "/metrics", "/v1/jobs/x/task", "/v1/users/me/password",
                     "/actuator", "/.env", "/v1/openapi.yaml", "/swagger.json"):
            if path not in documented:
                with self.subTest(path):
                    self.assertEqual(self.api.get(path).status, 404)

    def test_10_a_hostile_file_is_data(self):
        """What comes from elsewhere, such as a file of a model hub or a user, is parsed, never run or followed."""
        reply = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"items": [
            {"custom_id": "=HYPERLINK(0)", "text": "\u202e ${jndi:ldap://x} {{7*7}} <script>"}]}})
        job = self.api.wait(reply.json["id"])
        self.assertEqual(job["state"], "succeeded")
        table = self.api.get(f"/v1/jobs/{job['id']}/results.csv").body.decode()
        self.assertIn("'=HYPERLINK(0)", table)


if __name__ == "__main__":
    unittest.main()
