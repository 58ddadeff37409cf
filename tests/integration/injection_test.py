"""Line ends and control characters where a caller may send text: they add no header to a response, no line to the log, and
no terminal obeys them."""

import json
import re
import socket
import unittest

from harness import Server

MARK = "Injected"
BREAKS = ["\r\n{}: 1", "\n{}: 1", "\r{}: 1", "\0{}: 1", "\x1b[2J{}", "\x0b{}: 1", "\x85{}: 1", "\u2028{}: 1", "a\r\n\r\nHTTP/1.1 200 OK\r\n{}: 1"]
FIELDS = ("traceparent", "tracestate", "X-Request-Id", "Idempotency-Key", "User-Agent", "Cookie", "X-Forwarded-For", "X-Forwarded-Proto",
          "X-Forwarded-Host", "Forwarded", "Last-Event-ID", "If-None-Match", "If-Match", "Accept", "Accept-Encoding", "Range", "Authorization",
          "Origin", "X-CSRF-Token")
# Every other control character is none of a log line.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


class Cases:
    settings = {}

    @classmethod
    def setUpClass(cls):
        cls.server = Server(log__level="debug", http__trusted_proxies="127.0.0.1", limits__requests_per_minute="0",
                            limits__team_requests_per_minute="0", **cls.settings).start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        cls.port = int(cls.server.base.rpartition(":")[2])

    def ask(self, method, target, fields="", body=b""):
        """The heads of what the server sends to these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as line:
            head = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n"
            if "Authorization" not in fields:
                head += f"Authorization: Bearer {self.api.token}\r\n"
            line.sendall(f"{head}Connection: close\r\nContent-Length: {len(body)}\r\n{fields}\r\n".encode() + body)
            answer = b"".join(iter(lambda: line.recv(65536), b"")).decode(errors="replace")
        self.assertTrue(answer.startswith("HTTP/1.1 "), answer[:200])
        self.assertEqual(answer.count("HTTP/1.1 "), 1, answer[:2000])
        return answer.partition("\r\n\r\n")[0]

    def assert_clean(self, head):
        for line in head.split("\r\n")[1:]:
            name, _, value = line.partition(":")
            self.assertRegex(name, r"^[A-Za-z0-9-]+$")
            self.assertNotEqual(name.lower(), MARK.lower())
            self.assertIsNone(CONTROL.search(value), line)

    def test_fields(self):
        for field in FIELDS:
            for text in BREAKS:
                with self.subTest(field=field, text=text):
                    # A line end within a field begins another one, which is the caller's own.
                    self.assert_clean(self.ask("GET", "/v1/jobs", f"{field}: x{text.format(MARK)}\r\n"))

    def test_targets(self):
        for path in ("/v1/jobs/{}", "/v1/jobs?cursor={}", "/v1/jobs?label={}", "/docs/{}", "/{}", "/v1/{}/x", "/v1/audit-events?target={}"):
            for text in BREAKS:
                text = "".join(f"%{byte:02x}" for byte in text.format(MARK).encode())
                with self.subTest(path=path, text=text):
                    self.assert_clean(self.ask("GET", path.format(text)))
                    self.assert_clean(self.ask("POST", path.format(text)))

    def test_the_next_page_of_a_hostile_list(self):
        for _ in range(2):
            self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["good"]}, "labels": {"a": "b"}})
        for text in ("a=b&label=a%0d%0aInjected:%201", "a=b&x=%0d%0aInjected:%201", "a=b%22%3e%0a"):
            self.assert_clean(self.ask("GET", f"/v1/jobs?limit=1&label={text}"))
        head = self.ask("GET", "/v1/jobs?limit=1&label=a%3Db&name=%22%3E%3B%0D%0A")
        self.assert_clean(head)

    def test_names_that_are_kept(self):
        for text in BREAKS:
            text = "x" + text.format(MARK)
            with self.subTest(text):
                for path, body in (("/v1/jobs", {"kind": "sentiment", "name": text, "args": {"items": [{"custom_id": text, "text": text}]}}),
                                   ("/v1/datasets", {"kind": "sentiment", "name": text}),
                                   ("/v1/saved-views", {"name": text, "page": "jobs", "filter": {}}),
                                   ("/v1/webhooks", {"name": text, "url": "http://127.0.0.1:9/" + text})):
                    made = self.ask("POST", path, "Content-Type: application/json\r\nIdempotency-Key: k\r\n", json.dumps(body).encode())
                    self.assert_clean(made)
        for job in self.api.get("/v1/jobs?limit=50").json["items"]:
            self.api.wait(job["id"])
            for end in ("", "/report", "/results.csv", "/results.jsonl", "/events"):
                self.assert_clean(self.ask("GET", f"/v1/jobs/{job['id']}{end}"))
        for dataset in self.api.get("/v1/datasets").json["items"]:
            self.assert_clean(self.ask("GET", f"/v1/datasets/{dataset['id']}"))

    def test_zz_the_log_has_lines_of_its_own_only(self):
        self.server.stop()
        lines = [line.rstrip("\n") for line in self.server.log if not line.startswith(("ready ", "metrics ", "sign-in"))]
        self.assertGreater(len(lines), 100)
        for line in lines:
            self.assertIsNone(CONTROL.search(line), repr(line))
            self.check_line(line)


class Text(Cases, unittest.TestCase):
    def check_line(self, line):
        self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (debug|info |warn |error) \[[a-z0-9: .-]+\] ")
        self.assertNotRegex(line, rf"^{MARK}")


class Json(Cases, unittest.TestCase):
    settings = {"log__format": "json"}

    def check_line(self, line):
        self.assertLessEqual({"time", "level", "process", "message"}, json.loads(line).keys())


if __name__ == "__main__":
    unittest.main()
