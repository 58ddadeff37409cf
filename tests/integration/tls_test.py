"""TLS with certificate files, TLS terminated by a proxy, rate limits, and settings that are loaded again."""

import http.client
import itertools
import json
import pathlib
import re
import shutil
import signal
import socket
import ssl
import string
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
import zlib
from urllib.parse import urlsplit

from certificate import make_authority, make_certificate
from harness import PATIENCE, ROOT, Api, Server

sys.path.insert(0, str(ROOT / "tests/support"))
from reverse_proxy import ReverseProxy  # noqa: E402


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

    def test_serves_with_the_certificate_and_reloads_a_renewed_one(self):
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
        while not any("keeping the old one" in line for line in list(self.server.log)):
            self.assertLess(time.monotonic(), deadline)
            self.assertEqual(self.serial(), second)
        self.assertEqual(self.serial(), second)
        self.assertEqual(self.get(self.server.base + "/readyz", self.trusting)[0], 200)


class Reload(unittest.TestCase):
    def setUp(self):
        self.file = pathlib.Path(tempfile.mkdtemp()) / "settings.yaml"
        self.addCleanup(shutil.rmtree, self.file.parent)
        self.write("info", 100, "one.example")
        self.server = Server(engine__local="false", config=self.file).start()
        self.addCleanup(self.server.remove)
        self.api = self.server.api()

    def write(self, level, limit, host):
        self.file.write_text(f"log: {{level: {level}}}\nlimits: {{requests_per_minute: {limit}}}\nhttp: {{allowed_hosts: {host}}}\n")

    def reload(self, *words):
        self.server.log.clear()
        self.server.process.send_signal(signal.SIGHUP)
        return self.server.logged(*words)

    def statuses(self):
        return [Api(self.server.base).get("/readyz", headers={"Host": f"{host}.example"}).status for host in ("one", "two")]

    def test_level_limits_and_lists_change_without_a_restart(self):
        self.assertEqual([self.api.get("/v1/jobs").status for _ in range(5)], [200] * 5)
        self.assertEqual(self.statuses(), [200, 421])
        self.assertFalse([line for line in self.server.log if "listJobs" in line])
        self.write("debug", 3, "two.example")
        self.reload("settings reloaded")
        self.assertEqual(self.statuses(), [421, 200])
        self.assertEqual([self.api.get("/v1/jobs").status for _ in range(4)], [200] * 3 + [429])
        self.server.logged("listJobs")
        self.write("loud", 0, "one.example")
        self.reload("keeping the old ones", "log.level must be")
        self.assertEqual(self.statuses(), [421, 200])
        self.assertEqual(self.api.get("/v1/jobs").status, 429)

    def test_requests_that_are_under_way_go_on(self):
        self.write("info", 0, "one.example")
        self.reload("settings reloaded")
        job = self.api.submit_texts(["calm"])
        told, body = [], json.dumps({"kind": "sentiment", "args": {"texts": ["calm"]}}).encode()
        poll = threading.Thread(target=lambda: told.append(self.api.get(f"/v1/jobs/{job}?wait=60")))
        poll.start()
        with socket.create_connection(("127.0.0.1", int(self.server.base.rpartition(":")[2]))) as line:
            line.sendall(f"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.api.token}\r\n"
                         f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[:10])
            self.write("info", 5, "one.example")
            self.reload("settings reloaded")
            line.sendall(body[10:])
            self.assertTrue(line.recv(100).startswith(b"HTTP/1.1 202 "))
        # One that begins now has all that the new limit allows.
        self.assertEqual(self.api.post(f"/v1/jobs/{job}/cancellation").status, 202)
        poll.join()
        self.assertEqual((told[0].status, told[0].json["state"]), (200, "cancelled"))
        statuses = [self.api.get("/v1/jobs").status for _ in range(5)]
        self.assertEqual((statuses[0], statuses[-1]), (200, 429), statuses)  # the two may have been let in by the new limit


class Proxy(unittest.TestCase):
    def cookie(self, server, headers):
        reply = Api(server.base).post("/v1/sessions", {"sign_in_token": server.admin("sign-in-link").rpartition("/")[2]}, headers=headers)
        self.assertEqual(reply.status, 201, reply.body)
        return reply.headers["Set-Cookie"]

    def test_behind_a_trusted_proxy_cookies_are_secure(self):
        server = Server(engine__local="false", http__trusted_proxies="127.0.0.1").start()
        self.addCleanup(server.remove)
        cookie = self.cookie(server, {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"})
        self.assertTrue(cookie.startswith("__Host-plimsoll="), cookie)
        self.assertIn("; Secure", cookie)

    def test_other_clients_headers_are_ignored(self):
        server = Server(engine__local="false").start()
        self.addCleanup(server.remove)
        cookie = self.cookie(server, {"X-Forwarded-Proto": "https"})
        self.assertTrue(cookie.startswith("plimsoll_session="), cookie)
        self.assertNotIn("; Secure", cookie)


def nobodys_token(number):
    """Well formed: others are refused without a look-up, and count as no guess."""
    text, digits = f"plm_api_{number:027}", string.digits + string.ascii_uppercase + string.ascii_lowercase
    crc = zlib.crc32(text.encode())
    return text + "_" + "".join(digits[crc // 62**place % 62] for place in range(5, -1, -1))


class Guesses(unittest.TestCase):
    """Unknown credentials, sent through a proxy that all clients share."""

    def start(self, **settings):
        self.server = Server(engine__local="false", **settings).start()
        self.addCleanup(self.server.remove)
        self.token = self.server.api().token
        self.proxy = ReverseProxy(("127.0.0.1", urlsplit(self.server.base).port))
        self.addCleanup(self.proxy.close)

    def status(self, client, token, headers=None):
        """Of a request from an address of this machine."""
        line = http.client.HTTPConnection("127.0.0.1", self.proxy.port, timeout=PATIENCE, source_address=(client, 0))
        try:
            line.request("GET", "/v1/jobs", headers={"Authorization": "Bearer " + token, **(headers or {})})
            reply = line.getresponse()
            reply.read()
            if reply.status == 429:
                self.assertGreaterEqual(int(reply.headers["Retry-After"]), 1)
            return reply.status
        finally:
            line.close()

    def guess(self, client, headers=None):
        """Until the limit refuses it; each answer before says that the credential is unknown."""
        for n in itertools.count():
            status = self.status(client, nobodys_token(n), headers)
            if status == 429:
                return n
            self.assertEqual(status, 401)
            self.assertLess(n, 1000)

    def test_only_the_guessing_client_has_to_wait(self):
        self.start(http__trusted_proxies="127.0.0.1")
        self.assertGreaterEqual(self.guess("127.0.0.66"), 60)
        self.assertEqual(self.status("127.0.0.77", self.token), 200)
        self.assertEqual(self.status("127.0.0.77", nobodys_token(10**6)), 401)
        # Nobody gets away by naming somebody else, or makes somebody else wait.
        self.assertEqual(self.status("127.0.0.66", nobodys_token(10**6), {"X-Forwarded-For": "127.0.0.78"}), 429)
        self.guess("127.0.0.67", {"X-Forwarded-For": "127.0.0.77"})
        self.assertEqual(self.status("127.0.0.77", nobodys_token(10**6 + 1)), 401)

    def test_without_trust_the_proxy_counts_as_the_guessing_client(self):
        self.start()
        self.guess("127.0.0.66")
        self.assertEqual(self.status("127.0.0.77", nobodys_token(10**6)), 429)


class Limits(unittest.TestCase):
    def test_a_rate_limited_client_gets_retry_after(self):
        server = Server(engine__local="false", limits__requests_per_minute="20").start()
        self.addCleanup(server.remove)
        api = server.api()
        other = Api(server.base, api.post("/v1/tokens", {"name": "other", "scopes": ["jobs:read"]}).json["secret"])
        replies = [api.get("/v1/jobs") for _ in range(60)]
        refused = [reply for reply in replies if reply.status == 429]
        self.assertTrue(refused)
        self.assertEqual({reply.status for reply in replies}, {200, 429})
        allowed = [reply for reply in replies if reply.status == 200]
        self.assertEqual(allowed[0].headers["RateLimit-Policy"], '"caller";q=20;w=60, "team";q=240000;w=60')
        left = [int(re.match(r'"caller";r=([0-9]+);t=[1-3], "team";r=[0-9]+;t=1$', reply.headers["RateLimit"])[1]) for reply in allowed]
        self.assertLess(left[0], 20)
        self.assertGreater(left[0], left[9])
        self.assertEqual(min(left), 0)
        self.assertIn(refused[-1].headers["Retry-After"], ("1", "2", "3"))
        self.assertEqual(refused[-1].headers["RateLimit-Policy"], '"caller";q=20;w=60')
        self.assertEqual(refused[-1].json["type"], "/docs/problems/too-many-requests")
        self.assertEqual(other.get("/v1/jobs").status, 200)
        self.assertIn('"caller";r=', other.get("/v1/jobs/job_0000000000000").headers["RateLimit"])
        health = Api(server.base).get("/healthz")
        self.assertEqual((health.status, health.headers["RateLimit"]), (200, None))


if __name__ == "__main__":
    unittest.main()
