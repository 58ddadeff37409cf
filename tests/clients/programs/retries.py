"""Which requests the Python client retries: run where the package is installed."""

import asyncio
import unittest

import httpx
from plimsoll import Retries
from plimsoll.retries import AsyncTransport, Transport


class Server:
    """Answers with what it was given, in order; an exception is raised."""

    def __init__(self, *answers):
        self.answers, self.requests, self.waits = list(answers), [], []

    def answer(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(self, seconds):
        self.waits.append(seconds)

    def send(self, method="GET", retries=Retries(), **more):
        with httpx.Client(transport=Transport(httpx.MockTransport(self.answer), retries, self.waits.append)) as client:
            return client.request(method, "http://server/v1/jobs", **more)

    async def send_async(self, method="GET", **more):
        transport = AsyncTransport(httpx.MockTransport(self.answer), Retries(), self.sleep)
        async with httpx.AsyncClient(transport=transport) as client:
            return await client.request(method, "http://server/v1/jobs", **more)


def busy(status=503, **headers):
    return httpx.Response(status, headers={name.replace("_", "-"): value for name, value in headers.items()})


class Repeats(unittest.TestCase):
    def test_waits_as_long_as_requested(self):
        server = Server(busy(503, Retry_After="7"), httpx.Response(200))
        self.assertEqual(server.send().status_code, 200)
        self.assertEqual(server.waits, [7])

    def test_waits_longer_each_time(self):
        server = Server(*[busy() for _ in range(7)], httpx.Response(200))
        self.assertEqual(server.send().status_code, 200)
        for wait, most in zip(server.waits, (0.25, 0.5, 1, 2, 4, 8, 8), strict=True):
            self.assertTrue(most / 2 <= wait <= most, server.waits)

    def test_sends_a_submit_again_by_its_key_with_its_body(self):
        server = Server(httpx.ConnectError("refused"), busy(502), httpx.Response(202))
        answer = server.send("POST", headers={"Idempotency-Key": "k"}, json={"kind": "waves"})
        self.assertEqual(answer.status_code, 202)
        self.assertEqual({request.content for request in server.requests}, {b'{"kind":"waves"}'})
        self.assertEqual({request.headers["Idempotency-Key"] for request in server.requests}, {"k"})

    def test_does_not_repeat_unsafe_calls(self):
        server = Server(busy(503))
        self.assertEqual(server.send("POST").status_code, 503)
        with self.assertRaises(httpx.ReadError):
            Server(httpx.ReadError("broken")).send("POST")
        server = Server(busy(429), httpx.Response(201))
        self.assertEqual(server.send("POST").status_code, 201, "a 429 has done nothing")

    def test_does_not_repeat_refusals(self):
        for status in (400, 401, 404, 409, 422, 500):
            self.assertEqual(Server(httpx.Response(status)).send().status_code, status)

    def test_ends_after_its_time(self):
        self.assertEqual(Server(busy(503, Retry_After="61")).send().status_code, 503)
        self.assertEqual(Server(busy()).send(retries=Retries(seconds=0)).status_code, 503)

    def test_also_asynchronously(self):
        server = Server(httpx.ConnectError("refused"), busy(503, Retry_After="3"), httpx.Response(200))
        self.assertEqual(asyncio.run(server.send_async()).status_code, 200)
        self.assertEqual(server.waits[1:], [3])
        with self.assertRaises(httpx.ReadError):
            asyncio.run(Server(httpx.ReadError("broken")).send_async("POST"))


if __name__ == "__main__":
    unittest.main()
