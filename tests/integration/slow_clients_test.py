"""Clients that are slow on purpose, by slowhttptest: heads (H), bodies (B), many ranges (R), reads (X). Meanwhile a good
client at another address gets every answer. PLIMSOLL_LONG_TESTS: long rounds, idle and attacked in turn, after which the
good client's p99 must stay below twice that of the idle server. Then clients that ask for documents and read nothing:
more than there are places for connections."""

import http.client
import math
import os
import resource
import socket
import statistics
import subprocess
import threading
import time
import unittest
from urllib.parse import urlsplit

from harness import Server, memory

LONG = "PLIMSOLL_LONG_TESTS" in os.environ
ROUNDS, SECONDS, IDLE_SECONDS, CONNECTIONS = (3, 10, 10, 2000) if LONG else (1, 4, 1, 600)
PAUSE = 0.01  # seconds between a good client's requests
MOST_SECONDS = 5  # for an answer to a good client, on a machine that is busy with other tests
MOST_RATIO = 2
MEMORY = 256 << 20  # what the README promises
SYMBOLS = 400
LARGE, LEFT = 100 << 20, 20 << 20  # bytes beside what the server takes, while large reports wait, and later
ATTACKS = {
    "H": ("-i", "1", "-x", "24"),
    "B": ("-i", "1", "-x", "24", "-t", "POST", "-s", "8192", "-f", "application/json"),
    "R": ("-a", "1", "-b", "3000", "-t", "HEAD"),
    "X": ("-n", "1", "-w", "10", "-y", "20", "-z", "5", "-k", "3"),
}
PATHS = {"H": "/v1/jobs", "B": "/v1/sessions", "R": "/openapi.json", "X": "/openapi.json"}


class GoodClient:
    """One kept connection from an address of its own, as the attackers' is a machine of their own."""

    def __init__(self, base, path, token):
        self.where, self.path = urlsplit(base), path
        self.headers = {"Authorization": "Bearer " + token}

    def waits(self, seconds):
        """How long each answer took."""
        connection = http.client.HTTPConnection(self.where.hostname, self.where.port, 60, ("127.0.0.2", 0))
        waits, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            began = time.monotonic()
            connection.request("GET", self.path, headers=self.headers)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, answer.status
            waits.append(time.monotonic() - began)
            time.sleep(PAUSE)
        connection.close()
        return waits


def p99(waits):
    return statistics.quantiles(waits, n=100)[98]


class SlowClients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # slowhttptest holds a socket for each connection, and the server its end.
        least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most if most < 0 else max(least, min(most, 16384)), most))
        cls.server = Server(limits__requests_per_minute="0", limits__team_requests_per_minute="0",
                            limits__concurrent_requests="0").start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        job = cls.api.submit_texts(["A quiet harbour."])
        cls.api.wait(job)
        cls.good = GoodClient(cls.server.base, f"/v1/jobs/{job}", cls.api.token)
        cls.good.waits(1)

    def attacked(self, mode):
        """The waits of the good client while the attack runs, and what slowhttptest said."""
        attack = subprocess.Popen(
            ["slowhttptest", f"-{mode}", "-c", str(CONNECTIONS), "-r", str(CONNECTIONS), "-l", str(SECONDS + 2),
             "-p", "5", *ATTACKS[mode], "-u", self.server.base + PATHS[mode]],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        told = []
        begun, reader = threading.Event(), threading.Thread(target=lambda: self.listen(attack, told, begun))
        reader.start()
        self.assertTrue(begun.wait(60), "slowhttptest did not begin")
        waits = self.good.waits(SECONDS)
        attack.terminate()
        attack.wait(60)
        reader.join(60)
        return waits, "".join(told)

    @staticmethod
    def listen(attack, told, begun):
        with attack.stdout as lines:
            for line in lines:
                told.append(line)
                if "connected:" in line or "error:" in line:
                    begun.set()
        begun.set()

    def check(self, mode):
        ratios = []
        for _ in range(ROUNDS):
            idle = p99(self.good.waits(IDLE_SECONDS))
            waits, told = self.attacked(mode)
            self.assertIn("connected", told)
            self.assertLess(max(waits), MOST_SECONDS, told)
            ratios.append(p99(waits) / idle)
            print(f"-{mode}: p99 {1000 * idle:.2f} ms idle, {1000 * p99(waits):.2f} ms attacked ({ratios[-1]:.2f}x), "
                  f"{len(waits)} answers", flush=True)
        if LONG:
            self.assertLess(statistics.median(ratios), MOST_RATIO)
        self.assertEqual(self.api.get("/readyz").status, 200)
        self.assertLess(memory(self.server.process.pid, "VmHWM"), MEMORY)

    def test_slow_heads(self):
        self.check("H")

    def test_slow_bodies(self):
        self.check("B")

    def test_many_ranges(self):
        self.check("R")

    def test_slow_reads(self):
        self.check("X")

    def silent(self, count, request, addresses):
        """Connections that ask and read nothing."""
        where, lines = urlsplit(self.server.base), []
        for number in range(count):
            line = socket.socket()
            self.addCleanup(line.close)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            line.bind((f"127.0.{1 + number % addresses}.1", 0))
            line.connect((where.hostname, where.port))
            line.send(request)
            lines.append(line)
        return lines

    def test_silent_readers_of_large_reports_leave_no_memory_behind(self):
        """Theirs is another team than the good client's."""
        self.server.admin("add-user", "vera")
        self.server.admin("add-team", "readers")
        self.server.admin("set-member", "--user", "vera", "--team", "readers", "--role", "member")
        vera = self.server.api("vera", "readers")
        rows = "".join(f"S{symbol},{100 + 9 * math.sin(bar / 7) + bar % 5 + symbol / 10:.2f}\n" for bar in range(60) for symbol in range(SYMBOLS))
        reply = vera.post("/v1/jobs", {"kind": "waves", "args": {"prices": "symbol,close\n" + rows, "surrogates": 0}})
        self.assertEqual(reply.status, 202, reply.body[:500])
        job = reply.json["id"]
        self.assertEqual(vera.wait(job)["state"], "succeeded")
        before = memory(self.server.process.pid, "VmRSS")
        path = f"/v1/jobs/{job}/report"
        size = len(vera.get(path).body)
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {vera.token}\r\n\r\n".encode()
        lines = self.silent(130, request, 2)
        waits = self.one_time(100)
        held = memory(self.server.process.pid, "VmRSS")
        for line in lines:
            line.close()
        vera.get(path)
        deadline = time.monotonic() + 60
        while (left := memory(self.server.process.pid, "VmRSS")) > before + LEFT and time.monotonic() < deadline:
            self.one_time(1)
        print(f"130 silent readers of {size >> 10} KiB: {before >> 20} MB before, {held >> 20} MB, then {left >> 20} MB; "
              f"p99 {1000 * p99(waits):.1f} ms", flush=True)
        self.assertLess(held, before + LARGE)
        self.assertLess(left, before + LEFT)

    def one_time(self, count):
        """How long a client with a new connection for each request waits."""
        where, waits = urlsplit(self.server.base), []
        for _ in range(count):
            began = time.monotonic()
            connection = http.client.HTTPConnection(where.hostname, where.port, 60, ("127.0.0.2", 0))
            connection.request("GET", self.good.path, headers=self.good.headers)
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()
            waits.append(time.monotonic() - began)
            time.sleep(PAUSE)
        return waits

    def test_silent_readers_keep_nobody_out(self):
        request = b"GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n"
        lines = self.silent(4200 if LONG else 1200, request, 20)
        waits = self.one_time(200)
        used = memory(self.server.process.pid, "VmHWM")
        print(f"{len(lines)} silent readers: {used >> 20} MB, p99 {1000 * p99(waits):.1f} ms of {len(waits)} requests", flush=True)
        self.assertLess(used, MEMORY if LONG else 128 << 20)
        self.assertLess(p99(waits), 0.05 if LONG else MOST_SECONDS)


if __name__ == "__main__":
    unittest.main()
