"""Bytes on which two HTTP parsers could disagree about where a request ends, or whose it is. Each case is followed by a
second request. A parser that misreads the first would respond to the second as it is, or run a request hidden in the
body of the first. Such a case must be refused and the connection closed: exactly one response, 4xx.
"""

import socket
import unittest
from urllib.parse import urlsplit

from ambiguous_requests import HIDDEN, REFUSED, REFUSED_ALONE, UNDERSTOOD, get
from harness import PATIENCE, Server


class Smuggling(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(engine__local="false").start()
        cls.addClassCleanup(cls.server.remove)
        where = urlsplit(cls.server.base)
        cls.address = where.hostname, where.port

    def exchange(self, sent):
        """All that comes until the server closes."""
        with socket.create_connection(self.address, timeout=PATIENCE) as line:
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
            received = b""
            try:
                while piece := line.recv(65536):
                    received += piece
            except ConnectionResetError:  # it had not read all when it closed
                pass
            return received

    def statuses(self, received):
        return [int(part[:3]) for part in received.split(b"HTTP/1.1 ")[1:]]

    def test_ambiguous_requests_are_refused_and_close_the_connection(self):
        self.assertGreater(len(REFUSED), 60)
        for name, sent in REFUSED.items():
            with self.subTest(name):
                statuses = self.statuses(self.exchange(sent + HIDDEN))
                self.assertLessEqual(len(statuses), 1)
                self.assertTrue(all(400 <= status < 500 for status in statuses), statuses)
                self.assertNotIn(401, statuses)  # the body was taken for a sign-in

    def test_unambiguous_requests_are_parsed_to_their_end(self):
        for name, sent in UNDERSTOOD.items():
            with self.subTest(name):
                first, *rest = self.statuses(self.exchange(sent + HIDDEN))
                self.assertIn(first, (200, 401, 422))
                self.assertEqual(rest, [404])

    def test_a_refusal_with_a_clear_end_does_not_affect_the_next_request(self):
        for name, sent in REFUSED_ALONE.items():
            with self.subTest(name):
                first, *rest = self.statuses(self.exchange(sent + HIDDEN))
                self.assertIn(first, (400, 404, 405))
                self.assertEqual(rest, [404])

    def test_it_still_serves(self):
        self.assertEqual(self.statuses(self.exchange(get(b"Connection: close"))), [200])


if __name__ == "__main__":
    unittest.main()
