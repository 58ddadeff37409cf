"""Whoever reads the server's log may stop reading, or leave: the server goes on, and says what was lost."""

import os
import signal
import unittest

from harness import PATIENCE, Api, Server


class Unread(Server):
    """A server whose log is not read."""

    def _keep_log(self, stream):
        if stream is not self.process.stderr:
            super()._keep_log(stream)


class LogReader(unittest.TestCase):
    def setUp(self):
        self.server = Unread(log__level="debug", engine__local="false").start()
        self.addCleanup(self.server.remove)
        self.api = Api(self.server.base)

    def ask(self, count=1500):
        for _ in range(count):  # at about 150 bytes a line, more than a pipe holds
            self.assertEqual(self.api.get("/healthz", timeout=30).status, 200)

    def test_may_stop_reading(self):
        self.ask()
        os.set_blocking(self.server.process.stderr.fileno(), False)
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.process.wait(60), 0)

    def test_may_leave(self):
        self.ask(10)
        self.server.process.stderr.close()
        self.ask(100)
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.process.wait(PATIENCE), 0)


if __name__ == "__main__":
    unittest.main()
