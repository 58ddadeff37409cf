#!/usr/bin/env python3
"""The p99 of POST /v1/jobs while another team's caller holds all that a caller may, against an idle server, in turn: bodies
that arrive as slowly as is allowed, event streams, downloads that are not read on, computed answers, and as many
connections as a network may have. None of the POSTs is refused. Server, PostgreSQL and the clients share the machine; the
one who holds gives way to the others, as if it had one of its own.

With --silent instead, the memory of the server and the p99 of a good client beside clients that read nothing: 4,200 without
credentials, and 130 readers of a large report. It runs the long form of tests/integration/slow_clients_test.py.

    tests/bench/http/held.py [--silent] [--rounds N] [--seconds N] [--bin FOLDER] [--record]
"""
import contextlib
import http.client
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/integration')]
import results  # noqa: E402

CONNECTIONS = 4
RATE = 100  # POSTs a second
POST = json.dumps({'kind': 'sentiment', 'args': {'texts': ['A quiet harbour.']}})
COMMAND = 'tests/bench/http/held.py --record'
# The test, what it says (MB before, MB, p99 in ms), and the most MB.
SILENT = {'4,200 silent readers without credentials': ('test_silent_readers_keep_nobody_out', r'readers: ()(\d+) MB, p99 ([\d.]+)', 256),
          '130 silent readers of a large report': ('test_silent_readers_of_large_reports_leave_no_memory_behind',
                                                   r'KiB: (\d+) MB before, (\d+) MB, .*p99 ([\d.]+)', 100)}
NETWORK = '127.0.0.2'  # of the caller that holds
MEBIBYTE = 1 << 20
BODIES, STREAMS, DOWNLOADS, COMPUTED, NETWORK_CONNECTIONS = 16, 16, 16, 3, 256
SECOND = 16 * 1024  # bytes of a body that must come every second
ESTIMATE = json.dumps({'kind': 'training-config', 'args': {'model': {'preset': 'minilm-l6'}, 'gpus': ['t4']}})


class Held:
    """What one caller holds while this is open."""

    def __init__(self, port, token, job):
        self.port, self.token, self.job = port, token, job
        self.over, self.lines, self.threads = threading.Event(), contextlib.ExitStack(), []
        self.answered, self.refused = 0, 0

    def line(self, text=''):
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # so that what is not read stays with the server
        line.bind((NETWORK, 0))
        line.connect(('127.0.0.1', self.port))
        line.sendall(text.encode())
        return self.lines.enter_context(line)

    def head(self, method, path, fields=''):
        return f'{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n{fields}\r\n'

    def send_slowly(self, bodies):
        while not self.over.wait(1):
            for body in bodies:
                with contextlib.suppress(OSError):  # refused
                    body.send(b' ' * SECOND, socket.MSG_DONTWAIT)

    def compute(self):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))  # of this thread
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60, source_address=(NETWORK, 0))
        while not self.over.is_set():
            connection.request('POST', '/v1/estimates', ESTIMATE, {'Authorization': f'Bearer {self.token}', 'Content-Type': 'application/json'})
            answer = connection.getresponse()
            answer.read()
            self.answered += answer.status == 200
            self.refused += answer.status != 200
        connection.close()

    def __enter__(self):
        bodies = [self.line(self.head('POST', '/v1/waves-checks', f'Content-Type: application/json\r\nContent-Length: {8 * MEBIBYTE}\r\n'))
                  for _ in range(BODIES)]
        for body in bodies:
            body.sendall(b' ' * (MEBIBYTE - 64 * 1024))
        for _ in range(STREAMS):
            self.line(self.head('GET', f'/v1/jobs/{self.job}/events', 'Accept: text/event-stream\r\n'))
        for _ in range(DOWNLOADS):
            self.line(self.head('GET', f'/v1/jobs/{self.job}/results.jsonl'))
        for _ in range(NETWORK_CONNECTIONS - BODIES - STREAMS - DOWNLOADS - COMPUTED):
            self.line()
        self.threads = [threading.Thread(target=self.send_slowly, args=[bodies])]
        self.threads += [threading.Thread(target=self.compute) for _ in range(COMPUTED)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()
        self.lines.close()


def silent(options):
    results.programs_of(options, 'plimsoll', 'plimsoll-engine')
    entries, how = [], {'rounds': options.rounds, 'command': 'tests/bench/http/held.py --silent --record'}
    for name, (test, words, most) in SILENT.items():
        taken = []
        for _ in range(options.rounds):
            said = subprocess.run([sys.executable, '-B', ROOT / 'tests/integration/slow_clients_test.py', f'SlowClients.{test}'], check=True,
                                  capture_output=True, text=True, env=os.environ | {'PLIMSOLL_LONG_TESTS': '1'}).stdout
            before, then, wait = re.search(words, said).groups()
            taken.append((int(then) - int(before or 0), float(wait)))
            print(f'{name}: {taken[-1][0]} MB, {taken[-1][1]} ms', flush=True)
        megabytes, waits = zip(*taken)
        entries += [results.entry_of_least(f'memory for {name}', 'road', max(megabytes), 'MB', most=most, must=1, stretch=2, **how),
                    results.entry_of_least(f'p99 of a good client beside {name}', 'road', round(statistics.median(waits), 1), 'ms',
                                           most=50, must=1, stretch=2.5, **how)]
    results.publish(entries, options)


def main():
    arguments = results.arguments(rounds=5, programs=True)
    arguments.add_argument('--seconds', type=int, default=10)
    arguments.add_argument('--silent', action='store_true')
    options = arguments.parse_args()
    if options.silent:
        return silent(options)
    programs = results.programs_of(options, 'plimsoll', 'plimsoll-engine', 'http_request_loop')
    from harness import Server  # finds the programs when it is loaded

    idle, held = [], []
    with Server(limits__requests_per_minute='0', limits__team_requests_per_minute='0') as server:
        api = server.api()
        server.admin('add-user', 'vera')
        server.admin('add-team', 'holders')
        server.admin('set-member', '--user', 'vera', '--team', 'holders', '--role', 'member')
        vera = server.api('vera', 'holders')
        job = vera.submit_texts(['Fair winds, and a ship that carries what its line allows. ' * 4] * 10_000)
        vera.wait(job)
        # The jobs of the POSTs stay in the queue: what workers take of the processor is not measured here.
        server.stop()
        server.settings['engine__local'] = 'false'
        server.start()
        port = server.base.rpartition(':')[2]

        def p99():
            told = subprocess.run([programs / 'http_request_loop', port, '/v1/jobs', api.token, str(CONNECTIONS),
                                   str(options.seconds), str(RATE), POST], check=True, capture_output=True, text=True).stdout
            return json.loads(told)['p99_ms']  # it ends with a failure at the first refusal

        p99()  # warm
        for number in range(options.rounds):
            idle.append(p99())
            with Held(int(port), vera.token, job) as holder:
                held.append(p99())
            print(f'round {number + 1}: {idle[-1]} ms idle, {held[-1]} ms with; {holder.answered} computed answers', flush=True)

    results.publish([results.entry_of_least(
        'p99 of POST /v1/jobs while another caller holds all it may, to idle', 'road',
        round(statistics.median(held) / statistics.median(idle), 2), 'x', most=2, must=1, stretch=2,
        rounds=options.rounds, command=COMMAND)], options)


if __name__ == '__main__':
    main()
