"""Attacks by one caller, or by somebody without credentials, that must not affect others."""

import contextlib
import gzip
import os
import pathlib
import socket
import threading
import time
import unittest

from harness import Api, Server, memory
from tiny_model import until

PROMISED_MEMORY = 256 << 20  # bytes, README.md
MEMORY_AFTERWARDS = 80_000_000
BODY = 8 << 20


def filled(start, unit, end):
    """JSON of almost BODY bytes: many values that become much larger when they are parsed."""
    count = (BODY - len(start) - len(end)) // (len(unit) + 1)
    return (start + ",".join([unit] * count) + end).encode()


HOSTILE = {
    "empty texts": ("/v1/jobs", filled('{"kind":"sentiment","args":{"texts":[', '""', "]}}")),
    "objects in objects": ("/v1/waves-checks", filled('{"bars":[', '{"":{}}', "]}")),
    "numbers": ("/v1/waves-checks", filled('{"bars":[', "1", "]}")),
    "members": ("/v1/jobs", ("{" + ",".join(f'"{i:x}":0' for i in range(800_000)) + "}").encode()[:BODY]),
    "one text": ("/v1/jobs", b'{"kind":"sentiment","args":{"texts":["' + b"a" * (BODY - 100) + b'"]}}'),
}


class Attacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(limits__requests_per_minute="0", limits__team_requests_per_minute="0").start()
        cls.addClassCleanup(cls.server.remove)
        cls.admin = cls.server.api()
        cls.port = int(cls.server.base.rpartition(":")[2])
        for name, role in (("vera", "viewer"), ("tom", "member")):
            cls.server.admin("add-user", name)
            cls.server.admin("add-team", f"team of {name}")
            cls.server.admin("set-member", "--user", name, "--team", f"team of {name}", "--role", role)
        cls.vera = cls.server.api("vera", "team of vera", scopes=("jobs:read",))
        cls.tom = cls.server.api("tom", "team of tom")

    def connect(self, text):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        self.addCleanup(connection.close)
        connection.sendall(text.encode())
        return connection

    def head(self, api, path, fields):
        return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Authorization: Bearer {api.token}\r\n{fields}\r\n")

    def test_bodies_stay_within_the_promised_memory(self):
        senders, statuses = [], []
        for number in range(64):
            path, body = list(HOSTILE.values())[number % len(HOSTILE)]
            api = (self.tom, self.admin)[number % 2]

            def send(api=api, path=path, body=body):
                with contextlib.suppress(OSError):  # refused before all of it was sent
                    statuses.append(api.post(path, body).status)

            senders.append(threading.Thread(target=send))
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        self.assertLessEqual(set(statuses), {202, 400, 413, 422, 503})
        peak = memory(self.server.process.pid, "VmHWM")
        self.assertLess(peak, PROMISED_MEMORY, f"{peak >> 20} MiB")
        # And they leave nothing behind.
        deadline = time.monotonic() + 300
        while (left := memory(self.server.process.pid, "VmRSS")) >= MEMORY_AFTERWARDS:
            self.assertLess(time.monotonic(), deadline, f"{left >> 20} MiB")
            self.assertEqual(self.admin.get("/v1/jobs").status, 200)
        print(f"64 hostile bodies at once: {peak >> 20} MiB at most, then {left >> 20} MiB", flush=True)

    def test_a_compressed_body_is_refused_without_unpacking_it(self):
        bomb = gzip.compress(b'"' + b"0" * (64 << 20) + b'"')
        before = memory(self.server.process.pid, "VmHWM")
        for path in ("/v1/jobs", "/v1/sessions"):
            for coding in ("gzip", "deflate", "br", "gzip, gzip"):
                reply = self.tom.post(path, bomb, headers={"Content-Encoding": coding})
                self.assertEqual(reply.status, 415, (path, coding, reply.body))
        self.assertLess(memory(self.server.process.pid, "VmHWM") - before, 16 << 20)

    def test_chunk_extensions_and_trailers_cost_nothing_before_sign_in(self):
        head = "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        before = memory(self.server.process.pid, "VmRSS")
        for start in ("2;", "2\r\n{}\r\n0\r\nX: "):
            connection = self.connect(head + start)
            with contextlib.suppress(OSError):  # cut off
                for _ in range(256):
                    connection.sendall(b"a" * (1 << 20))
            with contextlib.suppress(OSError):
                self.assertIn(b" 400 ", connection.recv(4096))
        self.assertLess(memory(self.server.process.pid, "VmRSS") - before, 64 << 20)

    def test_silent_bodies_block_nobody(self):
        for _ in range(16):
            self.connect(self.head(self.vera, "/v1/waves-checks", f"Content-Length: {BODY}\r\n"))
        self.assertEqual(self.vera.get("/v1/jobs").status, 200)  # after them in the server's queue
        self.tom.submit_texts(["good"] * 5000)
        self.assertEqual(self.tom.post("/v1/sessions", {"token": "plm_api_none"}).status, 401)

    def test_a_download_that_is_not_read_on_waits_in_the_server(self):
        job = self.tom.submit_texts(["Fair winds, and a ship that carries what its line allows. " * 4] * 10_000)
        self.tom.wait(job)
        line = socket.socket()
        self.addCleanup(line.close)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", self.port))
        line.sendall((f"GET /v1/jobs/{job}/results.jsonl HTTP/1.1\r\nHost: localhost\r\n"
                      f"Authorization: Bearer {self.tom.token}\r\n\r\n").encode())
        self.assertIn(b" 200 ", line.recv(64))
        ends = [f"{port:04X}" for port in (self.port, line.getsockname()[1])]

        def unsent():
            for entry in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
                fields = entry.split()
                if [end.rpartition(":")[2] for end in fields[1:3]] == ends:
                    return int(fields[4].partition(":")[0], 16)
            raise AssertionError("the connection has ended")

        most = 0
        for _ in range(200):  # in which the server would fill what the system gives it
            self.assertEqual(self.admin.get("/v1/jobs").status, 200)
            most = max(most, unsent())
        self.assertGreater(most, 0)
        self.assertLess(most, 256 << 10)

    def test_a_callers_computations_affect_only_itself(self):
        job = {"kind": "training-config", "args": {"model": {"preset": "minilm-l6"}, "gpus": ["t4"]}}
        statuses = []

        def ask():
            for _ in range(20):
                statuses.append(self.vera.post("/v1/estimates", job).status)

        askers = [threading.Thread(target=ask) for _ in range(12)]
        for asker in askers:
            asker.start()
        others = [self.tom.post("/v1/estimates", job).status for _ in range(20)]
        for asker in askers:
            asker.join()
        self.assertEqual(set(others), {200})
        self.assertLessEqual(set(statuses), {200, 503})

    def test_the_programs_it_starts_hold_none_of_its_sockets(self):
        open_connection = self.connect("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertIn(b"200", open_connection.recv(4096))
        sockets = set()
        for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            if int(fields[1].rpartition(":")[2], 16) == self.port:
                sockets.add(f"socket:[{fields[9]}]")
        self.assertTrue(sockets)

        def held(pid):
            names = set()
            for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    names.add(os.readlink(link))
            return names & sockets

        self.assertTrue(held(self.server.process.pid))
        # One that starts while connections are open, too.
        [supervisor] = self.server.children("supervise")
        os.kill(supervisor, 9)
        # Workers of the dead one may end with a job in hand: the next one's are asked for.
        until(lambda: [pid for pid in self.server.children("supervise") if pid != supervisor], "no other supervisor")
        job = self.tom.submit_texts(["good"])
        self.tom.wait(job)
        engines = self.server.children("plimsoll-engine")
        self.assertTrue(engines)
        for pid in engines:
            self.assertEqual(held(pid), set(), pid)

    def test_a_symbolic_link_in_the_cluster_is_not_followed(self):
        server = Server().start()
        self.addCleanup(server.remove)
        server.stop()
        victim = server.folder / "victim"
        victim.write_text("untouched")
        for name in ("postgresql.conf", "pg_hba.conf", "pg_ident.conf"):
            (server.folder / "data/postgres" / f"{name}.new").symlink_to(victim)
        before = victim.stat()
        server.start()
        after = victim.stat()
        self.assertEqual(victim.read_text(), "untouched")
        self.assertEqual((before.st_uid, before.st_mode), (after.st_uid, after.st_mode))
        self.assertEqual(Api(server.base).get("/readyz").status, 200)


if __name__ == "__main__":
    unittest.main()
