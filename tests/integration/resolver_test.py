"""Whom the server calls when names resolve to what an attacker wants: addresses inside, several at once, others the next
time. The resolver is the test's, and so is every address: whoever is called is seen."""

import http.server
import pathlib
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import own_network  # noqa: E402
from harness import PATIENCE, Api, Server  # noqa: E402

PUBLIC, PUBLIC_6, LISTED = "93.184.216.34", "2606:4700::1111", "10.1.2.3"
INSIDE = ["127.0.0.1", "10.0.0.1", "10.1.3.3", "169.254.169.254", "192.168.1.1", "100.64.0.1", "0.0.0.0", "::1", "::",
          "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "fc00::1", "fe80::1", "64:ff9b::7f00:1", "2002:7f00:1::", "ff02::1"]
HERE = [address for address in INSIDE if address.startswith(("10.", "169.", "192.", "100.", "fc00", "64:", "2002:"))]
NOT_ALLOWED = "The receiver's host name resolves to an address that is not allowed."


class Everybody:
    """Listens at every address of this network. `called` are the addresses that somebody connected to."""

    def __init__(self):
        self.called, self.servers = [], []
        everybody = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def setup(self):
                everybody.called.append(self.request.getsockname()[0])
                super().setup()

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                if self.path.startswith("/to?"):
                    self.send_response(307)
                    self.send_header("Location", self.path.removeprefix("/to?"))
                else:
                    self.send_response(204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_GET = do_POST

            def log_message(self, *_):
                pass

        for family, address, port in ((socket.AF_INET, "0.0.0.0", 80), (socket.AF_INET6, "::", 80), (socket.AF_INET, "0.0.0.0", 443)):
            kind = type("AtAll", (http.server.ThreadingHTTPServer,), {"address_family": family})
            server = kind((address, port), Handler, bind_and_activate=False)
            if family == socket.AF_INET6:
                server.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            server.server_bind()
            server.server_activate()
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.servers.append(server)

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()


class Resolver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.names = own_network.Names()
        cls.addClassCleanup(cls.names.close)
        cls.everybody = Everybody()
        cls.addClassCleanup(cls.everybody.close)
        cls.names.told["idp.example.com"] = [["127.0.0.1"]]
        cls.server = Server(webhooks__allowed_origins="http://*.example.com", webhooks__allowed_networks="10.1.2.0/24",
                            oidc__issuer="https://idp.example.com", oidc__client_id="x", oidc__redirect_uri="http://127.0.0.1:7/").start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def hook(self, name, *turns, path="/"):
        """A webhook at a name with these answers."""
        name += ".example.com"
        self.names.told[name] = list(turns)
        hook = self.api.post("/v1/webhooks", {"name": "test", "url": f"http://{name}{path}"})
        self.assertEqual(hook.status, 201, hook.body)
        return "/v1/webhooks/" + hook.json["webhook"]["id"]

    def attempted(self, hook):
        """The delivery of a notice, once it was tried, and whom the server called."""
        before = len(self.everybody.called)
        sent = self.api.post(hook + "/deliveries")
        self.assertEqual(sent.status, 202, sent.body)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            listed = self.api.get(f"{hook}/deliveries").json["items"]
            delivery = next(one for one in listed if one["id"] == sent.json["id"])
            if delivery["error"] or delivery["state"] == "delivered":
                return delivery, self.everybody.called[before:]
        raise AssertionError(delivery)

    def attempted_once(self, *arguments, **more):
        hook = self.hook(*arguments, **more)
        try:
            return self.attempted(hook)
        finally:  # so that it is not tried again beside others
            self.api.send("DELETE", hook)

    def test_public_and_listed_addresses_are_called(self):
        for name, address in (("public", PUBLIC), ("public6", PUBLIC_6), ("listed", LISTED)):
            delivery, called = self.attempted_once(name, [address])
            self.assertEqual((delivery["state"], called), ("delivered", [address]), delivery)

    def test_addresses_inside_are_not(self):
        for number, address in enumerate(INSIDE):
            with self.subTest(address):
                delivery, called = self.attempted_once(f"inside{number}", [address])
                self.assertEqual((delivery["error"], called), (NOT_ALLOWED, []))

    def test_one_address_inside_spoils_all(self):
        for number, addresses in enumerate(([PUBLIC, "127.0.0.1"], ["10.0.0.1", PUBLIC], [PUBLIC, "::1"], [PUBLIC_6, "169.254.169.254"])):
            with self.subTest(addresses):
                delivery, called = self.attempted_once(f"mixed{number}", addresses)
                self.assertEqual((delivery["error"], called), (NOT_ALLOWED, []))

    def test_another_name_hides_nothing(self):
        self.names.told["hidden.example.com"] = [["10.0.0.1"]]
        delivery, called = self.attempted_once("alias", "hidden.example.com")
        self.assertEqual((delivery["error"], called), (NOT_ALLOWED, []))

    def test_a_name_is_asked_once_for_each_attempt(self):
        hook = self.hook("rebound", [PUBLIC], ["127.0.0.1"])
        self.addCleanup(self.api.send, "DELETE", hook)
        delivery, called = self.attempted(hook)
        self.assertEqual((delivery["state"], called, self.names.asked["rebound.example.com"]), ("delivered", [PUBLIC], 1))
        delivery, called = self.attempted(hook)
        self.assertEqual((delivery["error"], called, self.names.asked["rebound.example.com"]), (NOT_ALLOWED, [], 2))

    def test_redirects_lead_nowhere(self):
        for to in ("http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/", "//10.0.0.1/", "http://listed.example.com/"):
            with self.subTest(to):
                delivery, called = self.attempted_once("redirecting", [PUBLIC], path="/to?" + to)
                self.assertIn("redirects are not followed", delivery["error"])
                self.assertEqual((delivery["status"], called), (307, [PUBLIC]))

    def test_names_that_do_not_exist_are_reported(self):
        delivery, called = self.attempted_once("missing")
        self.assertIn("cannot be resolved", delivery["error"])
        self.assertEqual(called, [])

    def test_silent_names_of_webhooks_hold_up_no_sign_in(self):
        hook = self.hook("silent", "silence")
        self.addCleanup(self.api.send, "DELETE", hook)
        for _ in range(4):
            self.assertEqual(self.api.post(hook + "/deliveries").status, 202)
        while not self.names.asked["silent.example.com"]:
            self.api.get("/v1/users/me")
        self.assertEqual(Api(self.server.base).post("/v1/provider-sign-ins").status, 503)
        self.assertIn(None, [delivery["error"] for delivery in self.api.get(hook + "/deliveries").json["items"]])

    def test_silent_names_of_a_webhook_hold_up_no_other(self):
        hook = self.hook("mute", "silence")
        self.addCleanup(self.api.send, "DELETE", hook)
        for _ in range(6):
            self.assertEqual(self.api.post(hook + "/deliveries").status, 202)
        while not self.names.asked["mute.example.com"]:
            self.api.get("/v1/users/me")
        delivery, called = self.attempted_once("audible", [PUBLIC])
        self.assertEqual((delivery["state"], called), ("delivered", [PUBLIC]), delivery)
        self.assertEqual({delivery["error"] for delivery in self.api.get(hook + "/deliveries").json["items"]}, {None})

    def test_an_identity_provider_inside_is_not_called(self):
        before = len(self.everybody.called)
        begun = Api(self.server.base).post("/v1/provider-sign-ins")
        self.assertEqual(begun.status, 503, begun.body)
        self.assertIn("oidc.allowed_networks", "".join(self.server.log))
        self.assertEqual(self.everybody.called[before:], [])


if __name__ == "__main__":
    own_network.enter(PUBLIC, PUBLIC_6, LISTED, *HERE)
    unittest.main()
