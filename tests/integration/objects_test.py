"""Datasets and results in an S3-compatible store: nothing is different for readers, nothing is lost while it is away, and what
nobody needs is deleted.

    PLIMSOLL_TEST_S3=$(tests/support/versitygw) python3 tests/integration/objects_test.py

runs the same beside a real S3 server."""

import csv
import io
import random
import unittest

import bucket
from harness import Api, Server

LINES = 12_000


def make_file(lines, seed):
    """Texts that pack badly, so that chunks are large."""
    rng = random.Random(seed)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "text"])
    for i in range(lines):
        writer.writerow([i, f"{rng.choice(['good', 'bad', 'sad', 'great'])} {rng.getrandbits(240):x}"])
    return out.getvalue().encode()


class Objects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bucket = bucket.make_bucket()
        cls.addClassCleanup(cls.bucket.close)
        cls.store = {"objects__url": cls.bucket.url, "objects__prefix": "here/", "objects__access_key": bucket.KEY,
                     "objects__secret_key": bucket.SECRET, "objects__ca_file": cls.bucket.authority}
        cls.server = Server(**cls.store).start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def create(self, body):
        reply = self.api.post("/v1/datasets", {"name": "file", "format": "csv", "bytes": len(body)})
        self.assertEqual(reply.status, 201, reply.body)
        return reply.json["id"]

    def put(self, dataset, body, offset=0):
        return self.api.send("PUT", f"/v1/datasets/{dataset}/content?offset={offset}", body,
                             headers={"Content-Type": "application/octet-stream"})

    def upload(self, body):
        dataset = self.create(body)
        reply = self.put(dataset, body)
        self.assertEqual((reply.status, reply.json.get("state")), (200, "ready"), reply.body)
        return dataset

    def submit(self, dataset):
        reply = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"dataset": dataset, "columns": {"custom_id": "id"}}})
        self.assertEqual(reply.status, 202, reply.body)
        return reply.json["id"]

    def below(self, folder):
        return [name for name in self.bucket.names() if name.startswith(f"here/{folder}/")]

    def doctor(self, **more):
        settings = {**self.store, **more}
        flags = [part for key, value in settings.items() if value for part in ("--" + key.replace("__", "."), str(value))]
        return self.server.run("doctor", "--data", self.server.folder / "data", *flags, check=False).stdout

    def restart(self):
        self.server.stop()
        self.server.start()
        self.api.base = self.server.base

    def test_readers_see_no_difference(self):
        body = make_file(LINES, 1)
        dataset = self.upload(body)
        self.assertGreater(len(self.below("datasets")), 0)
        job = self.submit(dataset)
        self.assertEqual(self.api.wait(job)["state"], "succeeded")
        self.assertGreater(len(self.below("results")), 0)
        rows = self.api.results(job)
        texts = [row["text"] for row in csv.DictReader(io.StringIO(body.decode()))]
        self.assertEqual([row["text"] for row in rows], texts)
        sample = random.Random(2).sample(range(LINES), 200)
        inline = self.api.submit_texts([texts[i] for i in sample])
        self.api.wait(inline)
        self.assertEqual([rows[i]["compound"] for i in sample], [row["compound"] for row in self.api.results(inline)])
        # Its length is known before anything is read, from the rows alone.
        whole = self.api.get(f"/v1/jobs/{job}/results.jsonl")
        self.assertEqual(int(whole.headers["Content-Length"]), len(whole.body))
        seen = self.api.get(f"/v1/datasets/{dataset}/records?offset={LINES - 1}").json
        self.assertEqual(seen["items"][0]["values"][1], texts[-1])
        link = self.api.post(f"/v1/jobs/{job}/report-links", {}).json["path"].rsplit("/", 1)[1]
        linked = Api(self.server.base).get("/v1/linked-report/results.jsonl", headers={"X-Report-Link": link})
        self.assertEqual((linked.status, linked.body), (200, whole.body))

    def test_while_the_store_is_away_everything_waits(self):
        first, second = make_file(LINES, 3), make_file(LINES, 4)
        dataset, late = self.upload(first), self.create(second)
        done = self.submit(dataset)
        self.assertEqual(self.api.wait(done)["state"], "succeeded")
        self.bucket.stop()
        reply = self.put(late, second)
        self.assertEqual(reply.status, 503, reply.body)
        self.assertIn("object store", reply.json["detail"])
        self.assertIn("Retry-After", reply.headers)
        self.assertEqual(self.api.get(f"/v1/datasets/{late}").json["bytes_received"], 0)
        self.assertEqual(self.api.get(f"/v1/datasets/{dataset}/records?offset=3").status, 503)
        waiting = self.submit(dataset)
        self.server.logged("work waits", "object store")
        # What needs no object goes on.
        self.assertEqual(self.api.get(f"/v1/jobs/{done}/report").status, 200)
        self.bucket.start()
        self.assertEqual(self.put(late, second).json["state"], "ready")
        ended = self.api.wait(waiting)
        self.assertEqual((ended["state"], ended["progress"]["items_failed"]), ("succeeded", 0))
        tries = self.api.get(f"/v1/jobs/{waiting}/attempts").json["items"]
        self.assertEqual({(one["number"], one["outcome"]) for one in tries}, {(1, "done")})
        self.assertEqual(len(self.api.results(waiting)), LINES)

    def test_what_no_row_names_is_deleted_after_a_day(self):
        kept, gone = self.upload(make_file(LINES, 5)), self.upload(make_file(LINES, 6))
        job, deleted = self.submit(kept), self.submit(gone)
        for one in (job, deleted):
            self.assertEqual(self.api.wait(one)["state"], "succeeded")
        for path in (f"/v1/jobs/{deleted}", f"/v1/datasets/{gone}"):
            self.assertEqual(self.api.send("DELETE", path).status, 204)
        before = self.bucket.names()
        self.bucket.put("here/results/1/0/abc-1", b"x")
        foreign = {"here/notes.txt", "here/a %20", "here/a + b", "here/a&b", "elsewhere/results/1/0/abc-1"}
        for name in foreign:
            self.bucket.put(name, b"x")
        self.restart()  # it does each duty at once
        self.server.logged("objects collected", "objects=0")
        self.assertEqual(len(self.bucket.names()), len(before) + 6)
        self.bucket.make_older(2)
        self.restart()
        self.server.logged("objects collected")
        left = self.bucket.names()
        self.assertLessEqual(foreign, set(left))
        self.assertLess(set(left) - foreign, set(before))
        self.assertNotIn("here/results/1/0/abc-1", left)
        self.assertEqual(len(self.api.results(job)), LINES)
        self.assertEqual(self.api.get(f"/v1/datasets/{kept}/records?offset=1").status, 200)

    def test_doctor_tries_it_and_names_what_is_wrong(self):
        self.assertIn("can be written, read, listed and deleted from", self.doctor())
        if isinstance(self.bucket, bucket.CheckingBucket):  # which also answers as a bucket with a host name of its own
            self.assertIn("can be written, read, listed and deleted from", self.doctor(objects__url=self.bucket.url.removesuffix("/bucket")))
        told = self.doctor(objects__secret_key="wrong")
        self.assertIn("SignatureDoesNotMatch, HTTP 403", told)
        self.assertIn("objects.secret_key", told)
        self.assertIn("certificate verify failed", self.doctor(objects__ca_file=None))
        self.assertIn("Connection refused", self.doctor(objects__url=f"http://127.0.0.1:{bucket.free_port()}/bucket"))
        refused = self.server.run("serve", "--objects.url", self.bucket.url, check=False)
        self.assertIn("objects.url also needs objects.access_key", refused.stderr)


if __name__ == "__main__":
    unittest.main()
