"""A caller with a whole IPv6 network counts as one client: for its guesses, and for its connections."""

import contextlib
import http.client
import pathlib
import select
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import own_network  # noqa: E402
from harness import PATIENCE, Server  # noqa: E402
from tls_test import nobodys_token  # noqa: E402

NETWORK = [f"2001:db8:0:1::{number:x}" for number in range(1, 9)]
NEIGHBOUR = "2001:db8:0:2::1"
AT_ONCE = 6  # connections per network


class Networks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(engine__local="false", host="::1", limits__connections_per_network=AT_ONCE).start()
        cls.addClassCleanup(cls.server.remove)
        cls.port = int(cls.server.base.rpartition(":")[2])

    def connect(self, source):
        """A connection that was accepted and now waits for its next request."""
        line = http.client.HTTPConnection("::1", self.port, timeout=PATIENCE, source_address=(source, 0))
        self.addCleanup(line.close)
        self.assertEqual(self.status(line, "/healthz"), 200)
        return line

    def status(self, line, path, headers=None):
        line.request("GET", path, headers=headers or {})
        reply = line.getresponse()
        reply.read()
        return reply.status

    def is_open(self, line):
        """Nothing has come since the last response, not even the end."""
        return not select.select([line.sock], [], [], 0)[0]

    def test_its_connections_are_counted_together(self):
        neighbour = self.connect(NEIGHBOUR)
        lines = [self.connect(source) for source in NETWORK]
        self.assertEqual([self.is_open(line) for line in lines], [False, False] + [True] * AT_ONCE)
        self.assertTrue(self.is_open(neighbour))

    def test_its_guesses_are_counted_together(self):
        def guess(source, number):
            line = http.client.HTTPConnection("::1", self.port, timeout=PATIENCE, source_address=(source, 0))
            with contextlib.closing(line):
                return self.status(line, "/v1/jobs", {"Authorization": "Bearer " + nobodys_token(number)})

        statuses = []
        while 429 not in statuses:
            statuses.append(guess(NETWORK[len(statuses) % len(NETWORK)], len(statuses)))
            self.assertLess(len(statuses), 1000)
        self.assertEqual(set(statuses[:-1]), {401})
        self.assertEqual({guess(source, 1000) for source in NETWORK}, {429})
        self.assertEqual(guess(NEIGHBOUR, 1000), 401)


if __name__ == "__main__":
    own_network.enter(*NETWORK, NEIGHBOUR)
    unittest.main()
