"""Mistaken or malicious input gets a clear error, and the server continues."""

import contextlib
import json
import socket
import unittest

from harness import PATIENCE, Server


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def tearDown(self):
        self.assertEqual(self.api.get("/readyz").status, 200)

    def refused(self, status, body, pointer=None, **more):
        reply = self.api.post("/v1/jobs", body, **more)
        self.assertEqual(reply.status, status, reply.body[:500])
        self.assertEqual(reply.headers["Content-Type"].split(";")[0], "application/problem+json")
        problem = reply.json
        self.assertEqual(problem["status"], status)
        self.assertTrue(problem["request_id"])
        if pointer is not None:
            self.assertIn(pointer, [error.get("pointer") for error in problem["errors"]], problem)
        return problem

    def test_wrong_json_type_field_and_kind(self):
        self.refused(400, b'{"kind": "sentiment", ')
        self.refused(422, {"kind": "sentiment", "args": {"texts": [1]}}, "/args/texts/0")
        self.refused(422, {"kind": "sentiment", "args": {"texts": "one"}}, "/args/texts")
        self.refused(422, {"kind": "sentiment", "args": {"texts": ["x"]}, "priorty": 1}, "/priorty")
        self.refused(422, {"kind": "sentiment", "args": {"texts": []}}, "/args/texts")
        self.refused(422, {"kind": "sentiment", "args": {"texts": ["x"], "items": [{"text": "y"}]}})
        self.refused(422, {"kind": "sentiment", "args": {"texts": ["x"], "model": "oracle"}}, "/args/model")
        self.assertIn("sentiment", json.dumps(self.refused(422, {"kind": "sentimnt", "args": {}}, "/kind")))
        self.refused(415, b"kind=sentiment", headers={"Content-Type": "application/x-www-form-urlencoded"})

    def test_a_body_of_ten_megabytes(self):
        self.refused(413, b'{"kind": "sentiment", "args": {"texts": ["' + b"x" * 10_000_000 + b'"]}}')

    def test_invalid_utf8(self):
        problem = self.refused(400, b'{"kind": "sentiment", "args": {"texts": ["\xff\xfe"]}}')
        self.assertIn("UTF-8", json.dumps(problem))

    def test_deep_nesting(self):
        self.refused(400, b"[" * 100_000 + b"]" * 100_000)

    def test_odd_numbers_and_huge_ids(self):
        for path in ("/v1/jobs?limit=0", "/v1/jobs?limit=1e3", "/v1/jobs?limit=99999999999999999999",
                     "/v1/jobs?state=asleep", "/v1/jobs?cursor=forged"):
            self.assertEqual(self.api.get(path).status, 400, path)
        for job in ("job_zzzzzzzzzzzzz", "job_7zzzzzzzzzzzz", "1", "job_" + "0" * 5000):
            self.assertIn(self.api.get(f"/v1/jobs/{job}").status, (400, 404), job)
        for segment, detail in (("%00", "must not contain U+0000"), ("%ff", "is not valid UTF-8")):
            answer = self.api.get(f"/v1/jobs/{segment}")
            self.assertEqual((answer.status, answer.json["errors"]), (400, [{"parameter": "job_id", "detail": detail}]))
            self.assertEqual(self.api.get(f"/v1/{segment}").status, 404)
        self.assertEqual(self.api.get("/v1/nothing").status, 404)
        self.assertEqual(self.api.send("PUT", "/v1/jobs", {}).status, 405)

    def test_bytes_that_are_not_http(self):
        host, port = self.server.base.removeprefix("http://").split(":")
        for garbage in (b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
                        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n"):
            with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
                # The server may answer before everything is sent.
                with contextlib.suppress(ConnectionError, OSError):
                    connection.sendall(garbage)
                    connection.shutdown(socket.SHUT_WR)
                answer = b""
                with contextlib.suppress(ConnectionResetError):
                    while piece := connection.recv(65536):
                        answer += piece
                self.assertTrue(answer == b"" or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4")), answer[:200])


if __name__ == "__main__":
    unittest.main()
