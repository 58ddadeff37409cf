"""Many attempts to open an event stream, from thousands of addresses, with a valid token and without: as many streams as a
user may have are opened, every other attempt gets a refusal that says when to come back, others are served meanwhile,
and memory stays within what the README promises. PLIMSOLL_LONG_TESTS: 100,000 attempts. And what streams on which nothing
happens ask of the database."""

import collections
import itertools
import os
import selectors
import socket
import subprocess
import sys
import threading
import time
import unittest

from harness import PATIENCE, Server, memory

ATTEMPTS = 100_000 if "PLIMSOLL_LONG_TESTS" in os.environ else 4_000
AT_ONCE = 500
STREAMS = 16  # of a user
PROMISED_MEMORY = 256 << 20  # bytes, README.md


class Attempts:
    """Opens connections and reads the head of each answer. Streams stay open until close()."""

    def __init__(self, port, requests):
        self.port, self.requests = port, itertools.cycle(requests)
        self.addresses = (f"127.{a}.{b}.{c}" for a, b, c in itertools.product(range(1, 256), range(256), range(1, 255)))
        self.selector = selectors.DefaultSelector()
        self.streams, self.unanswered, self.without_time = [], 0, 0
        self.statuses = collections.Counter()

    def begin(self):
        line = socket.socket()
        line.setblocking(False)
        line.bind((next(self.addresses), 0))
        line.connect_ex(("127.0.0.1", self.port))
        self.selector.register(line, selectors.EVENT_WRITE)

    def run(self, count):
        begun = ended = 0
        while ended < count:
            while begun < count and begun - ended < AT_ONCE:
                self.begin()
                begun += 1
            for key, _ in self.selector.select(PATIENCE):
                if key.events == selectors.EVENT_WRITE:
                    key.fileobj.send(next(self.requests))
                    self.selector.modify(key.fileobj, selectors.EVENT_READ)
                    continue
                ended += 1
                self.selector.unregister(key.fileobj)
                self.take(key.fileobj)

    def take(self, line):
        try:
            head = line.recv(65536)
        except ConnectionResetError:
            head = b""
        if not head.startswith(b"HTTP/1.1 "):
            self.unanswered += 1
        status = int(head[9:12] or 0)
        self.statuses[status] += 1
        if status == 200:
            self.streams.append(line)
            return
        self.without_time += status in (429, 503) and b"\r\nRetry-After: " not in head
        line.close()

    def close(self):
        for line in self.streams:
            line.close()
        self.streams.clear()


class StreamFlood(unittest.TestCase):
    def test_attempts_are_refused_cleanly(self):
        server = Server(engine__local="false", limits__requests_per_minute="0", limits__team_requests_per_minute="0").start()
        self.addCleanup(server.remove)
        server.admin("add-user", "eve")
        server.admin("set-member", "--user", "eve", "--team", "main", "--role", "viewer")
        admin, eve = server.api(), server.api("eve", "main", ("jobs:read",))
        job = admin.submit_texts(["calm"])
        head = f"GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
        with_token = (head + f"Authorization: Bearer {eve.token}\r\n\r\n").encode()
        attempts = Attempts(int(server.base.rpartition(":")[2]), [with_token, with_token, with_token, (head + "\r\n").encode()])
        self.addCleanup(attempts.close)
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(0.0005)  # the flood's thread shares the interpreter with the good client
        flood = threading.Thread(target=attempts.run, args=[ATTEMPTS])
        flood.start()
        waits, began = [], time.monotonic()
        while flood.is_alive():
            asked = time.monotonic()
            self.assertEqual(admin.get(f"/v1/jobs/{job}").status, 200)
            waits.append(time.monotonic() - asked)
        flood.join()
        print(f"{sum(attempts.statuses.values())} attempts: {dict(attempts.statuses)} in {time.monotonic() - began:.1f} s; "
              f"{len(waits)} requests of others, the longest {max(waits):.2f} s", flush=True)
        self.assertEqual(sum(attempts.statuses.values()), ATTEMPTS)
        self.assertEqual((attempts.unanswered, attempts.without_time), (0, 0))
        self.assertEqual(attempts.statuses[200], STREAMS)
        self.assertLessEqual(set(attempts.statuses), {200, 401, 429, 503})
        self.assertLess(memory(server.process.pid, "VmHWM"), PROMISED_MEMORY)
        self.assertEqual(self.status_of_stream(attempts, with_token), 429)
        attempts.close()
        deadline = time.monotonic() + PATIENCE
        while self.status_of_stream(attempts, with_token) != 200:
            self.assertLess(time.monotonic(), deadline, "a stream that ended is still counted")

    def status_of_stream(self, attempts, request):
        with socket.create_connection(("127.0.0.1", attempts.port), PATIENCE, ("127.0.0.2", 0)) as line:
            line.sendall(request)
            return int(line.recv(65536)[9:12])

    def test_idle_streams_read_no_events(self):
        server = Server(engine__local="false").start()
        self.addCleanup(server.remove)
        api = server.api()
        job = api.submit_texts(["calm"])
        for _ in range(STREAMS):
            line = socket.create_connection(("127.0.0.1", int(server.base.rpartition(":")[2])), PATIENCE)
            self.addCleanup(line.close)
            line.sendall(f"GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                         f"Authorization: Bearer {api.token}\r\n\r\n".encode())
            text = b""
            while b"event: job\n" not in text:
                text += line.recv(65536)
        self.until_read(server, 2 * STREAMS)  # PostgreSQL has counted what came before
        events, _ = self.scans(server)
        jobs = self.until_read(server, 8)
        self.assertLess(self.scans(server)[0] - events, jobs / 8)

    def until_read(self, server, times):
        """How often the job was read again, at least so many times."""
        before, deadline = self.scans(server)[1], time.monotonic() + PATIENCE
        while (read := self.scans(server)[1] - before) < times:
            self.assertLess(time.monotonic(), deadline, "the streams do not look at their job")
        return read

    def scans(self, server):
        """Of the tables of events and of jobs."""
        count = ("select coalesce(sum(seq_scan + coalesce(idx_scan, 0)) filter (where relname ~ '^event_[0-9]'), 0),"
                 " coalesce(sum(seq_scan + coalesce(idx_scan, 0)) filter (where relname ~ '^job_[0-9]'), 0) from pg_stat_user_tables")
        told = subprocess.check_output(["psql", "-qXAt", f"host={server.folder}/data/run user=plimsoll_superuser dbname=plimsoll", "-c", count],
                                       text=True)
        return [int(number) for number in told.split("|")]


if __name__ == "__main__":
    unittest.main()
