"""The first start: interrupted, and without secrets in the log. Later ones: in a folder that is not a cluster, or is damaged."""

import json
import os
import select
import shutil
import signal
import subprocess
import time
import unittest
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from harness import BIN, PATIENCE, Server, command_line, descendants


class FirstStart(unittest.TestCase):
    def setUp(self):
        self.server = Server(first_start=True, engine__local="false")
        self.addCleanup(self.server.remove)

    def begin(self):
        return subprocess.Popen([BIN / "plimsoll", "serve", "--port", "0", "--data", self.server.folder / "data"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.server.environment())

    def test_initdb_ends_with_the_start_that_began_it(self):
        for way in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(way):
                start = self.begin()
                deadline = time.monotonic() + PATIENCE
                made = []
                while not made:
                    self.assertLess(time.monotonic(), deadline)
                    self.assertIsNone(start.poll())
                    made = [pid for pid in descendants(start.pid) if "/initdb" in command_line(pid)]
                initdb = os.pidfd_open(made[0])
                self.addCleanup(os.close, initdb)
                start.send_signal(way)
                start.wait(PATIENCE)
                self.assertTrue(select.select([initdb], [], [], 30)[0], "initdb goes on")
        self.server.start()  # over what they left

    def test_the_first_link_is_not_left_in_a_log(self):
        self.server.start()
        self.server.stop()
        said = "".join(self.server.log)
        self.assertNotIn("plm_signin_", said)
        self.assertIn("plimsoll admin sign-in-link", said)

    def test_addresses_are_json_on_request(self):
        begun = subprocess.Popen([BIN / "plimsoll", "--json", "serve", "--port", "0", "--metrics.listen", "127.0.0.1:0",
                                  "--engine.local", "false", "--data", self.server.folder / "data"],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=self.server.environment())
        told = {}
        while "ready" not in told:
            told |= json.loads(begun.stdout.readline())
        begun.send_signal(signal.SIGTERM)
        rest, _ = begun.communicate(timeout=PATIENCE)
        self.assertEqual((begun.returncode, rest), (0, ""))
        self.assertEqual(sorted(told), ["metrics", "ready"])
        self.assertRegex(told["ready"], r"^http://127\.0\.0\.1:\d+$")
        self.assertRegex(told["metrics"], r"/metrics$")


class Host(unittest.TestCase):
    def status(self, server, host):
        request = urllib.request.Request(server.base + "/healthz", headers={"Host": host})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def test_other_names_are_refused_unless_allowed(self):
        with Server(engine__local="false") as server:
            port = urlsplit(server.base).port
            for host in (f"127.0.0.1:{port}", "localhost", "[::1]"):
                self.assertEqual(self.status(server, host), 200, host)
            self.assertEqual(self.status(server, "evil.example"), 421)
        with Server(engine__local="false", http__allowed_hosts="plimsoll.example.com") as server:
            self.assertEqual(self.status(server, "plimsoll.example.com"), 200)
            self.assertEqual(self.status(server, "evil.example"), 421)

    def test_a_trusted_proxy_may_forward_any_name(self):
        with Server(engine__local="false", http__trusted_proxies="127.0.0.1") as server:
            self.assertEqual(self.status(server, "plimsoll.example.com"), 200)


class LaterStart(unittest.TestCase):
    def setUp(self):
        self.server = Server(engine__local="false")
        self.addCleanup(self.server.remove)

    def test_a_folder_that_is_not_a_cluster_is_named_and_unchanged(self):
        self.server.start()
        self.server.stop()
        cluster = self.server.folder / "data/postgres"
        (cluster / "PG_VERSION").rename(cluster / "PG_VERSION.lost")
        with self.assertRaisesRegex(AssertionError, "postgres exists but is not a PostgreSQL cluster: its file PG_VERSION is missing"):
            self.server.start()
        self.assertFalse((self.server.folder / "data/postgres.new").exists())
        (cluster / "PG_VERSION.lost").rename(cluster / "PG_VERSION")
        self.server.start()

    def test_a_path_with_quotes_is_named(self):
        for path in ("it's", 'so "called"'):
            refused = self.server.run("serve", "--port", "0", "--data", self.server.folder / path / "data", check=False)
            self.assertEqual(refused.returncode, 1, refused)
            self.assertIn(f"must not contain quotes, backslashes, $ or ends of lines: {self.server.folder / path}", refused.stderr)

    def test_a_cluster_that_cannot_start_says_why(self):
        self.server.start()
        self.server.stop()
        cluster = self.server.folder / "data/postgres"
        (cluster / "pg_wal").rename(cluster / "pg_wal.lost")
        (cluster / "pg_wal").mkdir(0o700)
        shutil.chown(cluster / "pg_wal", cluster.owner(), cluster.group())
        with self.assertRaisesRegex(AssertionError, "(?s)did not start.*checkpoint record"):
            self.server.start()
        shutil.rmtree(cluster / "pg_wal")
        (cluster / "pg_wal.lost").rename(cluster / "pg_wal")
        if os.geteuid() == 0:
            owner = cluster.owner()
            shutil.chown(cluster, "root")
            with self.assertRaisesRegex(AssertionError, "postgres is not a folder that PostgreSQL's user owns"):
                self.server.start()
            shutil.chown(cluster, owner)
        self.server.start()

    def test_a_cache_that_cannot_be_made_stops_no_worker(self):
        environment = {**self.server.environment(), "XDG_CACHE_HOME": "/proc/nowhere"}
        self.server.environment = lambda: environment
        self.server.settings.clear()
        self.server.start()
        api = self.server.api()
        self.assertEqual(api.wait(api.submit_texts(["good"]))["state"], "succeeded")
        self.assertIn("/proc/nowhere", self.server.logged("kernel cache"))


if __name__ == "__main__":
    unittest.main()
