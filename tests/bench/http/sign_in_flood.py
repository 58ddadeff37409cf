#!/usr/bin/env python3
"""The p99 of GET /v1/jobs/{id} while wrong passwords are tried at a steady rate, against an idle server, in turn. The
attempts come from many loopback addresses and for many names, so that no limit of an address or a name holds them back.
Server, PostgreSQL and the clients share the machine; the attackers give way to the others, as if they had one of
their own.

    tests/bench/http/sign_in_flood.py [--rounds N] [--seconds N] [--attempts N] [--bin FOLDER] [--record]
"""
import collections
import itertools
import json
import os
import pathlib
import selectors
import socket
import statistics
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/integration')]
import results  # noqa: E402

CONNECTIONS = 4
RATE = 200  # reads a second
COMMAND = 'tests/bench/http/sign_in_flood.py --record'


class Flood:
    """Attempts at a steady rate, whatever the answers take, and how many had which status."""

    def __init__(self, port, per_second):
        self.port, self.pace = port, 1 / per_second
        self.addresses = (f'127.1.{high}.{low}' for high, low in itertools.product(range(256), range(1, 255)))
        self.selector, self.open = selectors.DefaultSelector(), 0
        self.statuses, self.over = collections.Counter(), False
        self.thread = threading.Thread(target=self.send)

    def begin(self):
        address = next(self.addresses)
        body = json.dumps({'credentials': {'user': f'nobody {address}', 'password': 'a boat that sinks'}})
        line = socket.socket()
        line.setblocking(False)
        line.bind((address, 0))
        line.connect_ex(('127.0.0.1', self.port))
        self.selector.register(line, selectors.EVENT_WRITE, (
            'POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n'
            f'Content-Length: {len(body)}\r\n\r\n{body}').encode())
        self.open += 1

    def go_on(self, line, request, events):
        if events & selectors.EVENT_WRITE:
            line.send(request)
            self.selector.modify(line, selectors.EVENT_READ)
            return
        self.statuses[int(line.recv(65536)[9:12])] += 1
        self.selector.unregister(line)
        line.close()
        self.open -= 1

    def send(self):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))  # of this thread
        due = time.monotonic()
        while self.open or not self.over:
            while not self.over and due <= time.monotonic():
                self.begin()
                due += self.pace
            for key, events in self.selector.select(max(0, due - time.monotonic()) if not self.over else 60):
                self.go_on(key.fileobj, key.data, events)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()


def main():
    arguments = results.arguments(rounds=5, programs=True)
    arguments.add_argument('--seconds', type=int, default=10)
    arguments.add_argument('--attempts', type=int, default=100, help='a second')
    options = arguments.parse_args()
    programs = results.programs_of(options, 'plimsoll', 'plimsoll-engine', 'http_request_loop')
    from harness import Server  # finds the programs when it is loaded

    idle, flooded = [], []
    with Server(limits__requests_per_minute='0', limits__team_requests_per_minute='0') as server:
        api = server.api()
        job = api.submit_texts(['A quiet harbour.'])
        api.wait(job)
        port = server.base.rpartition(':')[2]

        def p99():
            told = subprocess.run([programs / 'http_request_loop', port, f'/v1/jobs/{job}', api.token, str(CONNECTIONS),
                                   str(options.seconds), str(RATE)], check=True, capture_output=True, text=True).stdout
            return json.loads(told)['p99_ms']

        p99()  # warm
        for number in range(options.rounds):
            idle.append(p99())
            with Flood(int(port), options.attempts) as flood:
                flooded.append(p99())
            print(f'round {number + 1}: {idle[-1]} ms idle, {flooded[-1]} ms with', dict(flood.statuses), flush=True)

    results.publish([results.entry_of_least(
        f'p99 of GET /v1/jobs/{{id}} during {options.attempts} password attempts a second, to idle', 'road',
        round(statistics.median(flooded) / statistics.median(idle), 2), 'x', most=2, must=1, stretch=1.5,
        rounds=options.rounds, command=COMMAND)], options)


if __name__ == '__main__':
    main()
