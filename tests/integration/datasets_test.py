"""Uploaded files: processed while they arrive, resumed after any interruption, and run as jobs."""

import csv
import gzip
import http.client
import io
import json
import os
import random
import socket
import time
import unittest
import urllib.parse

from harness import PATIENCE, Server

LINES = 1_000_000 if os.environ.get("PLIMSOLL_LONG_TESTS") else 30_000
WORDS = "good bad great awful the market ship calm storm not very happy sad :) harbour strike profit loss".split()


def make_texts(count, seed=7):
    """Texts with everything that CSV and JSON have to keep: quotes, commas, line breaks, other scripts."""
    rng = random.Random(seed)
    texts = []
    for i in range(count):
        words = [rng.choice(WORDS) for _ in range(rng.randrange(1, 20))]
        text = " ".join(words)
        if i % 7 == 0:
            text = f'She said "{text}",\nand left\r\nat once'
        if i % 11 == 0:
            text += " – größer 好"
        texts.append(text)
    return texts


def as_csv(texts):
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(["key", "headline", "note"])
    writer.writerows([f"k{i}", text, "x"] for i, text in enumerate(texts))
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def as_jsonl(texts):
    return "".join(json.dumps({"key": f"k{i}", "headline": text}) + "\n" for i, text in enumerate(texts)).encode()


class Datasets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def create(self, body, format="csv", name="file"):
        reply = self.api.post("/v1/datasets", {"name": name, "format": format, "bytes": len(body)})
        self.assertEqual(reply.status, 201, reply.body)
        return reply.json["id"]

    def put(self, dataset, offset, part):
        return self.api.send("PUT", f"/v1/datasets/{dataset}/content?offset={offset}", part,
                             headers={"Content-Type": "application/octet-stream"})

    def upload(self, body, format="csv"):
        dataset = self.create(body, format)
        reply = self.put(dataset, 0, body)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json

    def submit(self, dataset, columns, **more):
        reply = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"dataset": dataset, "columns": columns}},
                              **more)
        self.assertEqual(reply.status, 202, reply.body)
        return reply.json["id"]

    def check_results(self, job, texts):
        """As good as the same texts sent inline, of which another test knows that they are right."""
        ended = self.api.wait(job)
        self.assertEqual((ended["state"], ended["progress"]["items_done"], ended["progress"]["items_failed"]),
                         ("succeeded", len(texts), 0))
        rows = self.api.results(job)
        self.assertEqual([row["index"] for row in rows], list(range(len(texts))))
        self.assertEqual([row["custom_id"] for row in rows], [f"k{i}" for i in range(len(texts))])
        sample = sorted(random.Random(1).sample(range(len(texts)), min(len(texts), 10_000)))
        inline = self.api.submit_texts([texts[i] for i in sample])
        self.api.wait(inline)
        score = lambda row: (row["text"], row["compound"], row["positive"], row["neutral"], row["negative"])
        self.assertEqual([score(rows[i]) for i in sample], [score(row) for row in self.api.results(inline)])

    def test_a_csv_file_becomes_a_job_with_exact_results(self):
        texts = make_texts(LINES)
        dataset = self.upload(as_csv(texts))
        self.assertEqual((dataset["state"], dataset["records"], dataset["records_failed"]), ("ready", LINES, 0))
        self.assertEqual(dataset["columns"], ["key", "headline", "note"])
        self.check_results(self.submit(dataset["id"], {"text": "headline", "custom_id": "key"}), texts)

    def test_json_lines_in_parts_of_any_size(self):
        texts = make_texts(LINES // 3, seed=8)
        body = as_jsonl(texts)
        dataset = self.create(body, "jsonl")
        rng, at = random.Random(3), 0
        sizes = [1, 2, 3, 100, 70_000]
        while at < len(body):
            part = body[at:at + (sizes.pop() if sizes else rng.randrange(1, len(body) // 3))]
            reply = self.put(dataset, at, part)
            self.assertEqual(reply.status, 200, reply.body)
            at += len(part)
            self.assertEqual(reply.headers["Upload-Offset"], str(at))
        self.assertEqual(reply.json["state"], "ready")
        self.check_results(self.submit(dataset, {"text": "headline", "custom_id": "key"}), texts)

    def test_an_upload_resumes_after_a_cut_connection_and_a_killed_server(self):
        texts = make_texts(LINES, seed=9)
        body = as_csv(texts)
        dataset = self.create(body)
        self.send_and_break(dataset, 0, body, len(body) // 3)
        offset = self.settled_offset(dataset, len(body) // 3)
        self.assertEqual(self.put(dataset, offset + 1, b"x").status, 409)

        # In the middle of the next part the server dies.
        sent = self.send_and_break(dataset, offset, body, 2 * len(body) // 3, then=self.server.kill)
        self.server.start()
        self.api.base = self.server.base
        reply = None
        while reply is None or reply.status == 409:  # what the dead server had sent is still being stored
            reply = self.api.send("HEAD", f"/v1/datasets/{dataset}")
            again = int(reply.headers["Upload-Offset"])
            self.assertTrue(offset <= again <= sent, (offset, again, sent))
            reply = self.put(dataset, again, body[again:])
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual((reply.json["state"], reply.json["records"]), ("ready", LINES))
        self.check_results(self.submit(dataset, {"text": "headline", "custom_id": "key"}), texts)

    def send_and_break(self, dataset, offset, body, until, then=None):
        """Announces the whole rest and sends it up to `until` alone."""
        where = urllib.parse.urlsplit(self.api.base)
        with socket.create_connection((where.hostname, where.port)) as line:
            line.sendall((f"PUT /v1/datasets/{dataset}/content?offset={offset} HTTP/1.1\r\nHost: localhost\r\n"
                          f"Authorization: Bearer {self.api.token}\r\nContent-Type: application/octet-stream\r\n"
                          f"Content-Length: {len(body) - offset}\r\n\r\n").encode() + body[offset:until])
            if then:
                then()
        return until

    def settled_offset(self, dataset, expected):
        """What was sent before the connection broke is stored a moment later."""
        deadline, offset = time.monotonic() + PATIENCE, None
        while offset != expected:
            self.assertLess(time.monotonic(), deadline, offset)
            offset = int(self.api.send("HEAD", f"/v1/datasets/{dataset}").headers["Upload-Offset"])
        return offset

    def test_bad_lines_fail_alone_and_are_listed(self):
        good, long_field = "fine weather", "x" * 1_000_000
        body = ("id,text\n1," + good + "\n2\n3,\"" + long_field + "\"\n4,a,b\n5,\"" + "y" * 1_100_000 + "\"\n6,").encode()
        body += b"\xff\xfe\n7," + good.encode() + b"\n"
        dataset = self.upload(body)
        self.assertEqual((dataset["records"], dataset["records_failed"]), (7, 4))
        page = self.api.get(f"/v1/datasets/{dataset['id']}/errors?limit=3").json
        self.assertEqual([(e["index"], e["line"], e["error_code"]) for e in page["items"]],
                         [(1, 3, "wrong_field_count"), (3, 5, "wrong_field_count"), (4, 6, "too_large")])
        rest = self.api.get(f"/v1/datasets/{dataset['id']}/errors?cursor={page['next_cursor']}").json
        self.assertEqual(([e["error_code"] for e in rest["items"]], rest["next_cursor"]), (["invalid_utf8"], None))
        text = self.api.get(f"/v1/datasets/{dataset['id']}/errors.csv").body.decode()
        self.assertEqual([row["line"] for row in csv.DictReader(io.StringIO(text))], ["3", "5", "6", "7"])
        lines = self.api.get(f"/v1/datasets/{dataset['id']}/errors.jsonl").body.splitlines()
        self.assertEqual([json.loads(line)["index"] for line in lines], [1, 3, 4, 5])
        preview = self.api.get(f"/v1/datasets/{dataset['id']}/records?offset=1&limit=2").json
        self.assertEqual(preview["columns"], ["id", "text"])
        self.assertIsNone(preview["items"][0]["values"])
        self.assertEqual(preview["items"][1]["values"][1], "x" * 200 + "…")
        ended = self.api.wait(self.submit(dataset["id"], {"custom_id": "id"}))
        self.assertEqual((ended["state"], ended["progress"]["items_failed"]), ("succeeded", 5))
        rows = self.api.results(ended["id"])
        self.assertEqual([(row["line"], row["error_code"]) for row in rows],
                         [(2, None), (3, "wrong_field_count"), (4, "too_large"), (5, "wrong_field_count"), (6, "too_large"),
                          (7, "invalid_utf8"), (8, None)])
        told = self.api.get(f"/v1/jobs/{ended['id']}/report").json["summary"]["errors"]
        self.assertEqual([error["line"] for error in told], [3, 4, 5, 6, 7])

    def test_files_that_cannot_be_read_are_refused_with_a_reason(self):
        for body, format, why in [
                (b"\n\n", "csv", "no header"),
                (b"text\n", "csv", "no records"),
                (b"text\n" + b"x\n" * 1_000_001, "csv", "1000000 records"),
                (b",".join(b"c" for _ in range(1001)) + b"\n", "csv", "1000 columns")]:
            dataset = self.create(body, format)
            reply = self.put(dataset, 0, body)
            self.assertEqual(reply.status, 422, reply.body)
            self.assertIn(why, reply.json["detail"])
            seen = self.api.get(f"/v1/datasets/{dataset}").json
            self.assertEqual((seen["state"], seen["records"]), ("failed", 0))
            self.assertIn(why, seen["error"])
            self.assertEqual(self.put(dataset, 0, body).status, 409)
            refused = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"dataset": dataset}})
            self.assertEqual((refused.status, refused.json["errors"][0]["pointer"]), (422, "/args/dataset"))

    def test_limits_name_the_field_and_the_rule(self):
        reply = self.api.post("/v1/datasets", {"name": "x", "format": "csv", "bytes": 536870913})
        self.assertEqual((reply.status, reply.json["errors"][0]["pointer"]), (422, "/bytes"))
        body = b"text\ngood\n"
        dataset = self.create(body)
        longer = self.put(dataset, 0, body + b"more")
        self.assertEqual((longer.status, "10 bytes" in longer.json["detail"]), (413, True), longer.body)
        unready = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"dataset": dataset}})
        self.assertEqual((unready.status, "incomplete" in unready.json["errors"][0]["detail"]), (422, True))
        self.assertEqual(self.put(dataset, 0, body).status, 200)
        column = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"dataset": dataset, "columns": {"text": "no"}}})
        self.assertEqual((column.status, column.json["errors"][0]["pointer"]), (422, "/args/columns/text"))
        both = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"dataset": dataset, "texts": ["a"]}})
        self.assertEqual(both.status, 422)

    def test_another_teams_dataset_looks_missing(self):
        dataset = self.upload(b"text\nmine\n")["id"]
        self.server.admin("add-team", "others")
        self.server.admin("add-user", "eve")
        self.server.admin("set-member", "--team", "others", "--user", "eve", "--role", "owner")
        other = self.server.api(user="eve", team="others")
        missing = "data_" + "0" * 12 + "9"
        for method, path in [("GET", ""), ("GET", "/records"), ("GET", "/errors"), ("DELETE", "")]:
            foreign, absent = (other.send(method, f"/v1/datasets/{one}{path}") for one in (dataset, missing))
            self.assertEqual((foreign.status, absent.status), (404, 404), path)
            self.assertEqual({**foreign.json, "request_id": ""}, {**absent.json, "request_id": ""})
        foreign, absent = (other.post("/v1/jobs", {"kind": "sentiment", "args": {"dataset": one}}) for one in (dataset, missing))
        self.assertEqual({**foreign.json, "request_id": ""}, {**absent.json, "request_id": ""})
        self.assertEqual(other.get("/v1/datasets").json["items"], [])
        self.assertEqual(self.api.get(f"/v1/datasets/{dataset}").status, 200)

    def test_a_deleted_dataset_is_gone_and_its_jobs_keep_their_results(self):
        dataset = self.upload(b"text\ngood\nbad\n")["id"]
        job = self.submit(dataset, {})
        self.api.wait(job)
        before = self.api.results(job)
        self.assertEqual(self.api.send("DELETE", f"/v1/datasets/{dataset}").status, 204)
        for path in ("", "/records", "/errors"):
            self.assertEqual(self.api.get(f"/v1/datasets/{dataset}{path}").status, 404)
        self.assertEqual(self.api.results(job), before)
        self.assertEqual(self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"dataset": dataset}}).status, 422)

    def test_the_command_line_uploads_files_too_long_for_a_request(self):
        self.server.api()  # signs the command line in, wherever the server is by now
        texts = make_texts(12_000)
        file = self.server.folder / "headlines.jsonl"
        file.write_bytes(as_jsonl(texts))
        columns = ("--column", "text=headline", "--column", "custom_id=key")
        done = self.server.run("--json", "submit", "sentiment", file, *columns)
        job = json.loads(done.stdout)
        self.assertIn("12,000 records", done.stderr)
        self.check_results(job["id"], texts)
        dataset = job["args"]["dataset"]
        self.assertIn(dataset, self.server.run("datasets").stdout)
        self.assertIn("12,000 records", self.server.run("datasets", "show", dataset).stdout)
        self.server.run("datasets", "delete", dataset)
        self.assertEqual(self.server.run("datasets", "show", dataset, check=False).returncode, 2)
        bad = self.server.folder / "bad.csv"
        bad.write_text("a,text\n1,fine\n2\n")
        made = json.loads(self.server.run("--json", "datasets", "upload", bad).stdout)
        self.assertEqual((made["name"], made["records_failed"]), ("bad.csv", 1))
        self.assertIn("1,3,wrong_field_count", self.server.run("datasets", "errors", made["id"]).stdout)

    def test_an_interrupted_download_resumes(self):
        job = self.submit(self.upload(as_csv(make_texts(LINES, seed=5)))["id"], {"text": "headline", "custom_id": "key"})
        self.api.wait(job, 600)
        rng = random.Random(11)
        for file in ("results.csv", "results.jsonl", "results"):
            path = f"/v1/jobs/{job}/{file}"
            whole = self.api.get(path)
            tag, got = whole.headers["ETag"], b""
            while len(got) < len(whole.body):
                part = self.receive_and_break(path, {"Range": f"bytes={len(got)}-", "If-Range": tag},
                                              rng.randrange(1, len(whole.body) // 2))
                self.assertTrue(part, file)
                got += part
            self.assertTrue(got == whole.body, f"{file}: the pieces are not the whole")
            packed = self.api.get(path, headers={"Accept-Encoding": "gzip"})
            self.assertEqual(packed.headers["Content-Encoding"], "gzip")
            self.assertTrue(gzip.decompress(packed.body) == whole.body, f"{file}: compressed it is something else")
            self.assertNotEqual(packed.headers["ETag"], tag)

    def receive_and_break(self, path, headers, most):
        """The first bytes of an answer's body, from a connection that breaks then."""
        where = urllib.parse.urlsplit(self.api.base)
        line = http.client.HTTPConnection(where.hostname, where.port, timeout=90)
        try:
            line.request("GET", path, headers={"Authorization": f"Bearer {self.api.token}", **headers})
            answer = line.getresponse()
            self.assertEqual(answer.status, 206)
            return answer.read(most)
        finally:
            line.close()

    def test_clients_that_stop_reading_hold_no_database_connection(self):
        job = self.submit(self.upload(as_csv(make_texts(30_000, seed=6)))["id"], {"text": "headline", "custom_id": "key"})
        self.api.wait(job, 600)
        where = urllib.parse.urlsplit(self.api.base)
        request = (f"GET /v1/jobs/{job}/results.jsonl HTTP/1.1\r\nHost: localhost\r\n"
                   f"Authorization: Bearer {self.api.token}\r\n\r\n").encode()
        stalled = []
        for _ in range(8):  # as many as a user may, and more than the server has connections
            line = socket.socket()
            self.addCleanup(line.close)
            # As small as it goes, so that what the kernels hold is less than the answer.
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.connect((where.hostname, where.port))
            line.sendall(request)
            self.assertIn(b" 200 ", line.recv(64))
            stalled.append(line)
        # Other callers are served by the same connections.
        for _ in range(20):
            self.assertEqual(self.api.get("/v1/jobs?limit=5").status, 200)
        self.assertEqual(self.api.wait(self.api.submit_texts(["good"]))["state"], "succeeded")

    def test_the_same_key_makes_one_job_on_a_dataset(self):
        dataset = self.upload(b"text\ngood\n")["id"]
        first, again = (self.submit(dataset, {}, headers={"Idempotency-Key": "d-1"}) for _ in range(2))
        self.assertEqual(first, again)
        self.api.wait(first)
        self.assertEqual(self.api.send("DELETE", f"/v1/datasets/{dataset}").status, 204)
        self.assertEqual(self.submit(dataset, {}, headers={"Idempotency-Key": "d-1"}), first)
        other = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"dataset": dataset}}, headers={"Idempotency-Key": "d-2"})
        self.assertEqual((other.status, other.json["errors"][0]["pointer"]), (422, "/args/dataset"))


if __name__ == "__main__":
    unittest.main()
