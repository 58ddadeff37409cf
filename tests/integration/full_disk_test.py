"""The disk of the data folder is full: what is stored can be read, who wants to store more is told why and when to come
back, and as soon as there is room everything goes on."""

import base64
import errno
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import own_mounts  # noqa: E402
from harness import Server  # noqa: E402
from tiny_model import until  # noqa: E402

MB = 1 << 20
FULL = "The disk of the database is full."


def fill(test, ballast):
    """The disk, to the last page, whatever others take meanwhile."""
    with ballast.open("ab", 0) as file, test.assertRaises(OSError) as full:
        while True:
            file.write(b"x" * MB)
    test.assertEqual(full.exception.errno, errno.ENOSPC)


class FullDisk(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.remove)
        self.disk = self.server.folder / "data"
        self.disk.mkdir()
        own_mounts.mount("disk", self.disk, "tmpfs", options=f"size={400 * MB},mode=755")
        self.addCleanup(own_mounts.unmount, self.disk)
        self.addCleanup(self.server.stop)
        self.api = self.server.start().api()
        self.ballast = self.disk / "ballast"

    def submit(self, size):
        """A job of one text, which cannot be compressed."""
        text = base64.b64encode(os.urandom(size * 3 // 4)).decode()
        return self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": [text[at:at + 1000] for at in range(0, len(text), 1000)]}})

    def test_reads_go_on_and_writes_come_back(self):
        job = self.api.submit_texts(["good", "a disaster"])
        self.assertEqual(self.api.wait(job)["state"], "succeeded")
        rows = self.api.results(job)
        fill(self, self.ballast)
        refused = self.submit(4 * MB)
        self.assertEqual((refused.status, refused.json["detail"]), (503, FULL))
        self.assertGreaterEqual(int(refused.headers["Retry-After"]), 1)
        self.assertEqual(self.api.results(job), rows)
        self.assertEqual([one["id"] for one in self.api.get("/v1/jobs").json["items"]], [job])
        unready = self.api.get("/readyz")  # another server may have room
        self.assertEqual((unready.status, unready.json["detail"]), (503, FULL))
        self.ballast.unlink()
        stored = self.submit(4 * MB)
        self.assertEqual(stored.status, 202, stored.body[:500])
        self.assertEqual(self.api.wait(stored.json["id"])["state"], "succeeded")

    def test_a_database_that_had_to_stop_comes_back_with_all_it_promised(self):
        job = self.api.submit_texts(["good", "a disaster"])
        self.assertEqual(self.api.wait(job)["state"], "succeeded")
        rows = self.api.results(job)
        fill(self, self.ballast)
        self.write_until_it_stops()
        self.server.logged("cannot start the private PostgreSQL", FULL)
        for path in ("/v1/jobs", f"/v1/jobs/{job}/results.jsonl"):
            refused = self.api.get(path)
            self.assertEqual((refused.status, refused.json["detail"]), (503, FULL), path)
            self.assertGreaterEqual(int(refused.headers["Retry-After"]), 1)
        self.assertEqual((self.api.get("/readyz").status, self.api.get("/healthz").status), (503, 200))
        self.ballast.unlink()
        until(lambda: self.api.get("/readyz").status == 200, "the database did not come back")
        self.assertEqual(self.api.results(job), rows)
        stored = self.submit(4 * MB)
        self.assertEqual(stored.status, 202, stored.body[:500])
        self.assertEqual(self.api.wait(stored.json["id"])["state"], "succeeded")

    def write_until_it_stops(self):
        """The log that PostgreSQL writes ahead needs its next file."""
        [socket] = self.disk.rglob(".s.PGSQL.5432")
        write = f"select count(pg_logical_emit_message(true, 'full', repeat('x', {MB}))) from generate_series(1, 200)"
        said = subprocess.run(["psql", "-qX", f"host={socket.parent} user=plimsoll_superuser dbname=plimsoll", "-c", write],
                              capture_output=True, text=True).stderr
        self.assertIn("server closed the connection", said)


if __name__ == "__main__":
    own_mounts.enter()
    unittest.main()
