"""Passwords on a real server: from a system admin's link to the command line, and what the audit log says."""

import collections
import hashlib
import http.client
import itertools
import json
import os
import signal
import threading
import time
import unittest
from urllib.parse import urlsplit

from authenticator import STEP, code_of
from harness import Api, Server

BOAT = "a boat that floats"
HORSE = "the horse of yesterday"
PUBLIC = "correct horse battery staple"


class Passwords(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.remove)
        hashes = sorted(hashlib.sha1(text.encode()).hexdigest().upper() for text in (PUBLIC, "another one"))
        cls.list = cls.server.folder / "breached.txt"
        cls.list.write_text("".join(f"{digits}:7\r\n" for digits in hashes))
        cls.server.settings["passwords__breached_file"] = cls.list
        cls.server.start()
        cls.owner = cls.server.api("admin", "main", ("team:admin", "sys:admin"))

    def make_user(self, name, email=""):
        self.server.admin("add-user", name, *(["--email", email] if email else []))
        self.server.admin("set-member", "--user", name, "--team", "main", "--role", "member")

    def run_with(self, typed, *arguments, **more):
        return self.server.run(*arguments, input=typed, **more)

    def set_by_link(self, name, password, **more):
        link = self.server.admin("password-link", "--user", name, "--base-url", self.server.base)
        return self.run_with(password + "\n", "password", link, "--password-file", "-", **more)

    def login(self, name, password, more=(), **how):
        return self.run_with(password + "\n", "login", "--server", self.server.base, "--user", name, "--password-file", "-", *more,
                             **how)

    def audit(self, action, target):
        events = self.owner.get(f"/v1/audit-events?action={action}&all_teams=true").json["items"]
        return [event for event in events if event["target"] == target]

    def test_a_flood_from_30_networks_keeps_no_known_one_out(self):
        """Each sends few attempts from an address, so that no limit of an address holds them back."""
        self.make_user("finn")
        self.set_by_link("finn", BOAT)
        where, over, statuses = urlsplit(self.server.base), threading.Event(), collections.Counter()

        def sign_in(address, user, password):
            line = http.client.HTTPConnection(where.hostname, where.port, 60, (address, 0))
            line.request("POST", "/v1/sessions", json.dumps({"credentials": {"user": user, "password": password}}),
                         {"Content-Type": "application/json"})
            status = line.getresponse().status
            line.close()
            return status

        def flood(network):
            for attempt in itertools.count():
                if over.is_set():
                    return
                address = f"127.{network}.{attempt // 2500 + 1}.{attempt // 10 % 250 + 1}"
                statuses[sign_in(address, f"nobody {network} {attempt}", HORSE)] += 1
                time.sleep(0.1)

        self.assertEqual(sign_in("127.0.0.2", "finn", BOAT), 201)
        attackers = [threading.Thread(target=flood, args=[10 + number]) for number in range(30)]
        for attacker in attackers:
            attacker.start()
        try:
            while not statuses[503]:
                time.sleep(0.01)
            served = [sign_in("127.0.0.2", "finn", BOAT) for _ in range(20)]
        finally:
            over.set()
        for attacker in attackers:
            attacker.join()
        print(f"sign-in during a flood of {sum(statuses.values())}, {dict(statuses)}: {served.count(201)} of {len(served)} served", flush=True)
        self.assertGreaterEqual(served.count(201), 0.95 * len(served))

    def test_a_hasher_that_hangs_holds_up_sign_ins_alone(self):
        self.make_user("hana")
        self.set_by_link("hana", BOAT)
        credentials = {"credentials": {"user": "hana", "password": BOAT}}
        stranger = Api(self.server.base)
        [hasher] = self.server.children("plimsoll-hasher")
        os.kill(hasher, signal.SIGSTOP)
        statuses = []
        began = time.monotonic()
        waiting = [threading.Thread(target=lambda: statuses.append(stranger.post("/v1/sessions", credentials).status)) for _ in range(3)]
        for one in waiting:
            one.start()
        others = 0
        while any(one.is_alive() for one in waiting):
            before = time.monotonic()
            self.assertEqual(self.owner.get("/v1/users/me").status, 200)
            self.assertLess(time.monotonic() - before, 5)
            others += 1
        # Who waits behind the first one does not wait once more.
        self.assertLess(time.monotonic() - began, 40)
        self.assertEqual(statuses, [503] * 3)
        self.assertGreater(others, 20)
        # Each as another user, whom nobody is: attempts are counted by name.
        for number in itertools.count():
            reply = stranger.post("/v1/sessions", {"credentials": {"user": f"nobody {number}", "password": BOAT}})
            if reply.status != 503:
                break
            self.assertIn("Retry-After", reply.headers)
        self.assertEqual(reply.status, 401, reply.body)
        self.assertEqual(stranger.post("/v1/sessions", credentials).status, 201)
        self.assertNotIn(hasher, self.server.children("plimsoll-hasher"))

    def test_from_the_link_to_the_command_line(self):
        self.make_user("ada", "ada@example.com")
        done = self.set_by_link("ada", BOAT)
        self.assertNotIn(BOAT, done.stdout + done.stderr)
        self.login("Ada@Example.com", BOAT)
        self.assertIn("ada", self.server.run("whoami").stdout)

        files = {name: self.server.folder / name for name in ("present", "new")}
        files["present"].write_text(BOAT + "\n")
        files["new"].write_text(HORSE + "\n")
        change = ("password", "--present-password-file", files["present"], "--password-file", files["new"])
        self.server.run(*change)
        self.assertEqual(self.login("ada", BOAT, check=False).returncode, 3)
        self.login("ada", HORSE)
        refused = self.server.run(*change, check=False)
        self.assertIn("present_password", refused.stderr)

    def test_without_a_terminal_it_says_so(self):
        done = self.server.run("login", "--server", self.server.base, "--user", "admin", check=False,
                               start_new_session=True)
        self.assertIn("no terminal", done.stderr)

    def test_a_first_password_is_not_set_with_a_token(self):
        self.make_user("bob")
        self.server.run("login", self.server.admin("sign-in-link", "--user", "bob", "--base-url", self.server.base))
        self.assertIn("no password yet", self.server.run("password", "--password-file", "-", check=False).stderr)

    def test_a_password_that_became_public_is_refused(self):
        self.make_user("eve")
        done = self.set_by_link("eve", PUBLIC, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("breached passwords", done.stderr)
        self.set_by_link("eve", BOAT)

    def test_a_list_that_is_none_prevents_the_start(self):
        other = self.server.folder / "not-a-list.txt"
        other.write_text("hello\n")
        done = self.server.run("serve", "--port", "0", "--data", self.server.folder / "none", "--passwords.breached_file", other,
                               check=False)
        self.assertIn("passwords.breached_file must begin with a SHA-1", done.stderr)

    def test_a_second_factor_from_the_first_code_to_its_reset(self):
        self.make_user("hedy")
        self.set_by_link("hedy", BOAT)
        self.login("hedy", BOAT)
        offer = json.loads(self.run_with(BOAT + "\n", "second-factor", "add", "--password-file", "-", "--json").stdout)
        self.assertIn(offer["secret"], offer["uri"])
        first, later = code_of(offer["secret"]), code_of(offer["secret"], STEP)
        codes = self.server.run("second-factor", "confirm", first).stdout.split()
        self.assertEqual(len(codes), 10)
        without = self.login("hedy", BOAT, check=False, start_new_session=True)
        self.assertEqual((without.returncode, "--code" in without.stderr), (3, True), without.stderr)
        self.assertEqual(self.login("hedy", BOAT, more=("--code", first), check=False).returncode, 3, "used already")
        self.login("hedy", BOAT, more=("--code", later))
        self.assertEqual(self.login("hedy", BOAT, more=("--code", later), check=False).returncode, 3, "used already")
        self.login("hedy", BOAT, more=("--code", codes[0].lower()))
        self.assertIn("9 recovery codes", self.server.run("second-factor", "show").stdout)
        self.server.admin("remove-second-factor", "hedy")
        self.login("hedy", BOAT)

        hedy = {user["name"]: user["id"] for user in self.owner.get("/v1/users").json["items"]}["hedy"]
        for action in ("second_factor.create", "recovery_code.use", "second_factor.remove"):
            self.assertEqual(len(self.audit(action, hedy)), 1, action)
        told = json.dumps(self.owner.get("/v1/audit-events?all_teams=true").json) + "".join(self.server.log)
        for secret in (offer["secret"], *codes):
            self.assertNotIn(secret, told)

    def test_a_second_factor_is_removed_by_its_owner_or_by_an_admin(self):
        self.make_user("ida")
        self.set_by_link("ida", BOAT)
        ida = self.server.api("ida", "main")

        def second_factor():
            secret = ida.send("PUT", "/v1/users/me/second-factor", {"present_password": BOAT}).json["secret"]
            reply = ida.send("PUT", "/v1/users/me/second-factor/confirmation", {"code": code_of(secret)})
            self.assertEqual(reply.status, 200, reply.body)
            self.assertTrue(ida.get("/v1/users/me/second-factor").json["is_set"])
            return reply.json["recovery_codes"]

        code, *_ = second_factor()
        self.assertEqual(ida.post("/v1/users/me/second-factor/removal", {"code": code}).status, 204)
        self.assertFalse(ida.get("/v1/users/me/second-factor").json["is_set"])
        second_factor()
        user = ida.get("/v1/users/me").json["user"]["id"]
        self.assertEqual(ida.send("DELETE", f"/v1/users/{user}/second-factor").status, 403)
        self.assertEqual(self.owner.send("DELETE", f"/v1/users/{user}/second-factor").status, 204)
        self.assertFalse(ida.get("/v1/users/me/second-factor").json["is_set"])

    def test_a_logout_from_another_server_leaves_this_one(self):
        self.make_user("lena")
        self.set_by_link("lena", BOAT)
        self.login("lena", BOAT)
        elsewhere = self.server.run("logout", check=False, env={"PLIMSOLL_SERVER": "http://127.0.0.1:9"})
        self.assertNotEqual(elsewhere.returncode, 0, elsewhere.stdout)
        self.server.run("jobs")
        self.server.run("logout")
        self.assertNotEqual(self.server.run("jobs", check=False).returncode, 0)

    def test_a_link_is_spent_from_this_origin_alone(self):
        self.make_user("iris")
        link = self.server.admin("password-link", "--user", "iris", "--base-url", self.server.base)
        spend, stranger = {"password_token": link.rpartition("/")[2], "password": BOAT}, Api(self.server.base)
        self.assertEqual(stranger.post("/v1/passwords", spend, headers={"Origin": "https://other.example.com"}).status, 403)
        self.assertEqual(stranger.post("/v1/passwords", {**spend, "password_token": spend["password_token"] + "x"}).status, 401)
        self.assertEqual(stranger.post("/v1/passwords", spend).status, 204)
        self.assertEqual(stranger.post("/v1/passwords", spend).status, 401)

    def test_the_audit_log_tells(self):
        self.make_user("grace")
        self.set_by_link("grace", BOAT)
        users = {user["name"]: user["id"] for user in self.owner.get("/v1/users").json["items"]}
        for action in ("password_link.create", "password.set"):
            self.assertEqual(len(self.audit(action, users["grace"])), 1, action)
        for _ in range(8):
            self.login("grace", HORSE, check=False)
        self.assertEqual(len(self.audit("password.delay", users["grace"])), 1, "told once")
        told = json.dumps(self.owner.get("/v1/audit-events?all_teams=true").json)
        for secret in (BOAT, HORSE, "argon2"):
            self.assertNotIn(secret, told)
        self.assertFalse([line for line in self.server.log if BOAT in line or HORSE in line or "argon2" in line])


if __name__ == "__main__":
    unittest.main()
