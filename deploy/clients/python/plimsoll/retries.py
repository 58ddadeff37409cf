"""Retries requests that are safe to repeat.

A request may be repeated if its method is idempotent, if it has an Idempotency-Key, or if the server says that it did
nothing (429). It is repeated when the connection fails and on 429, 502, 503 and 504, until `seconds` have passed since
the first attempt. The wait is that of `Retry-After`, else it doubles from 0.25 s to 8 s, with jitter.
"""

import asyncio
import dataclasses
import random
import time

import httpx

_IDEMPOTENT = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE"}
_TEMPORARY = {429, 502, 503, 504}


@dataclasses.dataclass(frozen=True)
class Retries:
    seconds: float = 60
    first_wait: float = 0.25
    longest_wait: float = 8

    def wait(self, attempt, started, request, response):
        """Seconds until the next attempt; None after the last one. No `response`: the connection failed."""
        repeatable = request.method in _IDEMPOTENT or "Idempotency-Key" in request.headers
        if response is None:
            again = repeatable
        else:
            again = response.status_code == 429 or (repeatable and response.status_code in _TEMPORARY)
        if not again:
            return None
        told = response.headers.get("Retry-After", "") if response is not None else ""
        pause = min(self.first_wait * 2**attempt, self.longest_wait) * random.uniform(0.5, 1)
        if told.isdigit():
            pause = float(told)
        return pause if time.monotonic() - started + pause <= self.seconds else None


class Transport(httpx.BaseTransport):
    def __init__(self, transport, retries, sleep=time.sleep):
        self._transport, self._retries, self._sleep = transport, retries, sleep

    def handle_request(self, request):
        started, attempt = time.monotonic(), 0
        while True:
            response, failure = None, None
            try:
                response = self._transport.handle_request(request)
            except httpx.TransportError as error:
                failure = error
            wait = self._retries.wait(attempt, started, request, response)
            if wait is None:
                if failure:
                    raise failure
                return response
            if response is not None:
                response.close()
            self._sleep(wait)
            attempt += 1

    def close(self):
        self._transport.close()


class AsyncTransport(httpx.AsyncBaseTransport):
    def __init__(self, transport, retries, sleep=asyncio.sleep):
        self._transport, self._retries, self._sleep = transport, retries, sleep

    async def handle_async_request(self, request):
        started, attempt = time.monotonic(), 0
        while True:
            response, failure = None, None
            try:
                response = await self._transport.handle_async_request(request)
            except httpx.TransportError as error:
                failure = error
            wait = self._retries.wait(attempt, started, request, response)
            if wait is None:
                if failure:
                    raise failure
                return response
            if response is not None:
                await response.aclose()
            await self._sleep(wait)
            attempt += 1

    async def aclose(self):
        await self._transport.aclose()
