"""Whoever reads the server's log may stop reading, or leave, and its disk may be full: the server goes on, and says what was lost."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import own_mounts  # noqa: E402
from full_disk_test import fill  # noqa: E402
from harness import BIN, PATIENCE, Api, Server  # noqa: E402
from tiny_model import until  # noqa: E402


class Unread(Server):
    """A server whose log is not read."""

    def _keep_log(self, stream):
        if stream is not self.process.stderr:
            super()._keep_log(stream)


def ask(test, api, count=2500):
    for _ in range(count):  # at about 150 bytes a line, more than a pipe and the server hold
        test.assertEqual(api.get("/healthz", timeout=30).status, 200)


class LogReader(unittest.TestCase):
    def setUp(self):
        self.server = Unread(log__level="debug", engine__local="false").start()
        self.addCleanup(self.server.remove)
        self.api = Api(self.server.base)

    def test_may_stop_reading(self):
        ask(self, self.api)
        os.set_blocking(self.server.process.stderr.fileno(), False)
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.process.wait(60), 0)

    def test_may_leave(self):
        ask(self, self.api, 10)
        self.server.process.stderr.close()
        ask(self, self.api, 100)
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.process.wait(PATIENCE), 0)


class LogFile(unittest.TestCase):
    def test_goes_on_when_its_disk_has_room_again(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-"))
        self.addCleanup(shutil.rmtree, folder)
        folder.chmod(0o755)
        disk = folder / "disk"
        disk.mkdir()
        own_mounts.mount("log", disk, "tmpfs", options="size=4m")
        self.addCleanup(own_mounts.unmount, disk)
        with open(disk / "log", "w", encoding="utf-8") as log:
            process = subprocess.Popen([BIN / "plimsoll", "serve", "--port", "0", "--data", folder / "data", "--engine.local", "false",
                                        "--log.level", "debug"], stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            api = Api(next(line.split()[1] for line in process.stdout if line.startswith("ready ")))
            fill(self, disk / "ballast")
            ask(self, api)
            (disk / "ballast").unlink()
            until(lambda: "log lines were dropped: they could not be written" in (disk / "log").read_text("utf-8"), "it says nothing")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE), 0)
            self.assertIn("draining", (disk / "log").read_text("utf-8"))
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


if __name__ == "__main__":
    own_mounts.enter()
    unittest.main()
