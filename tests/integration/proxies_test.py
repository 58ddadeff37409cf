"""Behind nginx and HAProxy, which keep their connections to the server for requests of others: they and the server agree
about every request, limits count clients, event streams pass at once, and large bodies pass in both directions."""

import collections
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

from ambiguous_requests import HIDDEN, REFUSED, REFUSED_ALONE, UNDERSTOOD
from harness import PATIENCE, ROOT, Api, Server

PROXIES = pathlib.Path(subprocess.check_output([ROOT / "tests/support/proxies"], text=True).strip())
PROBE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"  # 200, a hidden request 404
CASES = {**REFUSED, **REFUSED_ALONE, **UNDERSTOOD}
OPERATING = (ROOT / "deploy/OPERATING.md").read_text("utf-8")
# When a proxy gives up a client that sent half a request, or keeps a connection and asks nothing.
IMPATIENCE = "300ms"

# Around what deploy/OPERATING.md shows.
NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
{user}
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    client_header_timeout {impatience};
    client_body_timeout {impatience};
    keepalive_timeout {impatience};
    {shown}
}}
"""


def shown(language):
    return re.search(rf"^```{language}\n(.*?)^```", OPERATING, re.S | re.M)[1]


def with_values(text, values):
    for old, new in values.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Proxy:
    """A running proxy. `config` makes the text of its configuration from its port and folder."""

    def __init__(self, program, arguments, config):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-"))
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        file = self.folder / "proxy.conf"
        file.write_text(config(self.port, self.folder))
        libraries = [str(folder) for folder in PROXIES.glob("usr/lib/*-linux-gnu")]
        self.log = open(self.folder / "log", "w+")
        self.process = subprocess.Popen([PROXIES / "usr/sbin" / program, *arguments, file], stdout=self.log, stderr=self.log,
                                        env={**os.environ, "LD_LIBRARY_PATH": ":".join(libraries)})
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError((self.folder / "log").read_text()) from None

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()
        shutil.rmtree(self.folder)


def nginx(to, **more):
    def config(port, folder):
        # One connection to the server, so that each request follows one of somebody else.
        block = with_values(shown("nginx"), {"127.0.0.1:7272": f"127.0.0.1:{to}", "keepalive 16": "keepalive 1",
                                             "listen 443 ssl": f"listen 127.0.0.1:{port}", **more})
        return NGINX.format(folder=folder, impatience=IMPATIENCE, shown=block, user="user root;" if os.getuid() == 0 else "")

    return Proxy("nginx", ["-e", "stderr", "-c"], config)


def haproxy(to):
    def config(port, _):
        return with_values(shown("haproxy"), {
            "127.0.0.1:7272": f"127.0.0.1:{to} pool-max-conn 1", "\nbackend plimsoll\n": "\nbackend plimsoll\n    http-reuse always\n",
            ":443 ssl crt /etc/haproxy/plimsoll.pem": f"127.0.0.1:{port}",
            "http-request 10s": f"http-request {IMPATIENCE}\n    timeout http-keep-alive {IMPATIENCE}"})

    return Proxy("haproxy", ["-db", "-f"], config)


KINDS = {"nginx": nginx, "HAProxy": haproxy,
         "nginx that reads whole bodies": lambda to: nginx(to, **{"proxy_request_buffering off": "proxy_request_buffering on"})}


def answers_to(port, sent, address="127.0.0.1"):
    """All that comes until the other side closes."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), PATIENCE, (address, 0)) as line:
        try:
            line.sendall(sent)
            while piece := line.recv(65536):
                received += piece
        except (ConnectionResetError, BrokenPipeError):  # it had not read all when it closed
            pass
    return received


class Proxies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(engine__local="false", http__trusted_proxies="127.0.0.1", log__level="debug").start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        cls.proxies = {}
        for name, start in KINDS.items():
            cls.proxies[name] = start(int(cls.server.base.rpartition(":")[2]))
            cls.addClassCleanup(cls.proxies[name].close)

    def behind_each(self, check):
        for name, proxy in self.proxies.items():
            with self.subTest(name):
                check(proxy, Api(proxy.base, self.api.token))

    def test_no_request_is_hidden_from_the_proxy(self):
        """Whatever a client sends: the next client's request on the same connection to the server gets its own answer, and
        a request that the server saw was answered to who sent it. Each case hides a path of its own."""
        def check(proxy, _):
            answered = {}
            for number, (name, sent) in enumerate(CASES.items()):
                hidden = f"/v1/hidden-{proxy.port}-{number}."
                last = HIDDEN.replace(b"/v1/hidden", hidden.encode()).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
                received = answers_to(proxy.port, sent + last)
                answered[hidden] = name, received.count(b"HTTP/1.1 404 ")
                probe = answers_to(proxy.port, PROBE)
                self.assertEqual(probe.count(b"HTTP/1.1 "), 1, (name, probe))
                self.assertTrue(probe.startswith(b"HTTP/1.1 200 "), (name, received, probe))
            marker = f"/v1/last-{proxy.port}"
            Api(self.server.base).get(marker)
            self.server.logged(marker)
            seen = collections.Counter(found for line in self.server.log for found in re.findall(r"/v1/hidden-\d+-\d+\.", line))
            for hidden, (name, count) in answered.items():
                self.assertLessEqual(seen[hidden], count, name)
            self.assertGreater(sum(seen[hidden] for hidden in answered), 3)  # some of them are no attacks

        self.behind_each(check)

    def test_limits_count_clients(self):
        body = b'{"sign_in_token":"plm_signin_none"}'
        request = (b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
                   b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

        def check(proxy, _):
            network = 1 + list(self.proxies.values()).index(proxy)
            guesser, other = f"127.0.{network}.2", f"127.0.{network}.3"
            codes = [answers_to(proxy.port, request, guesser)[9:12] for _ in range(11)]
            self.assertEqual(codes, [b"401"] * 10 + [b"429"])
            self.assertEqual(answers_to(proxy.port, request, other)[9:12], b"401")

        self.behind_each(check)

    def test_events_pass_at_once(self):
        def check(_, api):
            job = api.submit_texts(["calm"])
            request = (f"GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                       f"Authorization: Bearer {api.token}\r\n\r\n")
            with socket.create_connection(("127.0.0.1", int(api.base.rpartition(":")[2])), PATIENCE) as line:
                line.sendall(request.encode())
                received = b""
                while b"data:" not in received:
                    received += line.recv(65536)
                self.assertNotIn(b"cancelled", received)
                self.assertEqual(api.post(f"/v1/jobs/{job}/cancellation").status, 202)
                while b"cancelled" not in received:
                    piece = line.recv(65536)
                    self.assertTrue(piece, received[-2000:])
                    received += piece

        self.behind_each(check)

    def test_large_bodies_pass(self):
        line = json.dumps({"text": "Fair winds. " * 80}) + "\n"
        body = (line * (20 * 1024 * 1024 // len(line))).encode()

        def check(proxy, api):
            made = api.post("/v1/datasets", {"name": f"file-{proxy.port}", "format": "jsonl", "bytes": len(body)}).json
            reply = api.send("PUT", f"/v1/datasets/{made['id']}/content?offset=0", body,
                             headers={"Content-Type": "application/octet-stream"})
            self.assertEqual((reply.status, reply.json["bytes_received"]), (200, len(body)), reply.body)
            whole = Api(self.server.base).get("/openapi.json").body
            self.assertEqual(api.get("/openapi.json").body, whole)
            part = api.get("/openapi.json", headers={"Range": "bytes=10-99"})
            self.assertIn((part.status, part.body), {(206, whole[10:100]), (200, whole)})

        self.behind_each(check)


if __name__ == "__main__":
    unittest.main()
