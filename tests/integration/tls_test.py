"""TLS with certificate files, TLS ended by a proxy in front, and limits on what one caller may ask."""

import shutil
import signal
import ssl
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from certificate import make_authority, make_certificate
from harness import PATIENCE, Api, Server


class Tls(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.authority = make_authority(self.folder)
        self.certificate, self.key = make_certificate(self.folder, self.authority)
        self.server = Server(engine__local="false", http__tls_certificate=self.certificate, http__tls_key=self.key,
                             metrics__listen="127.0.0.1:0").start()
        self.addCleanup(self.server.remove)
        self.port = int(self.server.base.rpartition(":")[2])
        self.trusting = ssl.create_default_context(cafile=self.authority[0])

    def get(self, url, context):
        with urllib.request.urlopen(url, timeout=PATIENCE, context=context) as answer:
            return answer.status, answer.headers

    def serial(self):
        return ssl.get_server_certificate(("127.0.0.1", self.port))

    def test_serves_with_the_certificate_and_takes_up_a_renewed_one(self):
        self.assertTrue(self.server.base.startswith("https://"))
        status, headers = self.get(self.server.base + "/readyz", self.trusting)
        self.assertEqual((status, headers["Strict-Transport-Security"]), (200, "max-age=31536000"))
        self.assertEqual(self.get(self.server.metrics, self.trusting)[0], 200)
        with self.assertRaises(urllib.error.URLError):
            self.get(self.server.base + "/readyz", ssl.create_default_context())
        with self.assertRaises(OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=PATIENCE)

        first = self.serial()
        make_certificate(self.folder, self.authority)  # the same files
        self.server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + PATIENCE
        while self.serial() == first and time.monotonic() < deadline:
            pass  # each round is a handshake
        second = self.serial()
        self.assertNotEqual(second, first)
        self.assertEqual(self.get(self.server.base + "/readyz", self.trusting)[0], 200)

        self.key.write_text("no key")
        self.server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + PATIENCE
        while not any("the old one stays" in line for line in list(self.server.log)):
            self.assertLess(time.monotonic(), deadline)
            self.assertEqual(self.serial(), second)
        self.assertEqual(self.serial(), second)
        self.assertEqual(self.get(self.server.base + "/readyz", self.trusting)[0], 200)


class Proxy(unittest.TestCase):
    def cookie(self, server, headers):
        reply = Api(server.base).post("/v1/sessions", {"sign_in_token": server.link.rpartition("/")[2]}, headers=headers)
        self.assertEqual(reply.status, 201, reply.body)
        return reply.headers["Set-Cookie"]

    def test_behind_a_trusted_proxy_cookies_are_secure(self):
        server = Server(engine__local="false", http__trusted_proxies="127.0.0.1").start()
        self.addCleanup(server.remove)
        cookie = self.cookie(server, {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"})
        self.assertTrue(cookie.startswith("__Host-plimsoll="), cookie)
        self.assertIn("; Secure", cookie)

    def test_nobody_else_can_say_so(self):
        server = Server(engine__local="false").start()
        self.addCleanup(server.remove)
        cookie = self.cookie(server, {"X-Forwarded-Proto": "https"})
        self.assertTrue(cookie.startswith("plimsoll_session="), cookie)
        self.assertNotIn("; Secure", cookie)


class Limits(unittest.TestCase):
    def test_who_asks_too_much_is_told_when_to_come_back(self):
        server = Server(engine__local="false", limits__requests_per_minute="20").start()
        self.addCleanup(server.remove)
        api = server.api()
        other = Api(server.base, api.post("/v1/tokens", {"name": "other", "scopes": ["jobs:read"]}).json["secret"])
        replies = [api.get("/v1/jobs") for _ in range(60)]
        refused = [reply for reply in replies if reply.status == 429]
        self.assertTrue(refused)
        self.assertEqual({reply.status for reply in replies}, {200, 429})
        self.assertIn(refused[-1].headers["Retry-After"], ("1", "2", "3"))
        self.assertEqual(refused[-1].headers["RateLimit-Policy"], '"caller";q=20;w=60')
        self.assertEqual(refused[-1].json["type"], "urn:plimsoll:problem:too-many-requests")
        self.assertEqual(other.get("/v1/jobs").status, 200)
        self.assertEqual(Api(server.base).get("/healthz").status, 200)


if __name__ == "__main__":
    unittest.main()
