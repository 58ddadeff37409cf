#!/usr/bin/env python3
"""What tracing costs: processor time of the server a GET of a job, and of server, PostgreSQL and worker a job of one text, all of
them traced and sent to a collector, against servers without it, in turn.

    tests/bench/http/tracing.py [--rounds N] [--seconds N] [--bin FOLDER] [--record]
"""
import http.server
import json
import pathlib
import statistics
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/bench/mixed'), str(ROOT / 'tests/integration')]
import results  # noqa: E402
from capacity import Costs  # noqa: E402
from run import POST, TEXT  # noqa: E402

READS, SUBMITS = 1000, 100  # a second
MUST, STRETCH = 1.05, 1.02  # of the time without tracing
COMMAND = 'tests/bench/http/tracing.py --record'


class Collector(http.server.BaseHTTPRequestHandler):
    received = 0

    def do_POST(self):
        Collector.received += len(self.rfile.read(int(self.headers['Content-Length'])))
        self.send_response(200)
        self.send_header('Content-Length', '0')
        self.end_headers()

    def log_message(self, *_):
        pass


def main():
    arguments = results.arguments(rounds=7, programs=True)
    arguments.add_argument('--seconds', type=int, default=5)
    options = arguments.parse_args()
    programs = results.programs_of(options, 'plimsoll', 'plimsoll-engine', 'http_request_loop')
    from harness import Server  # finds the programs when it is loaded

    collector = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    limits = {'limits__requests_per_minute': '0', 'limits__team_requests_per_minute': '0'}
    with Server(**limits) as plain, Server(tracing__endpoint=f'http://127.0.0.1:{collector.server_port}', **limits) as traced:
        servers = {'plain': plain, 'traced': traced}
        apis = {name: server.api() for name, server in servers.items()}
        read = {name: api.submit_texts([TEXT]) for name, api in apis.items()}

        def cost(name, path, rate, *body):
            """Microseconds of processor a request: of the server, and of all programs."""
            costs = Costs(servers[name])
            said = subprocess.run([programs / 'http_request_loop', servers[name].base.rpartition(':')[2], path, apis[name].token, '8',
                                   str(options.seconds), str(rate), *body], check=True, capture_output=True, text=True).stdout
            if body:
                last = apis[name].submit_texts([TEXT])
                apis[name].wait(last)  # the others, too, have been recorded
            told = costs.take()
            return [seconds / json.loads(said)['answered'] * 1e6 for seconds in (told['server'], sum(told.values()))]

        gets, posts = [], []
        for n in range(options.rounds + 1):
            order = ('plain', 'traced') if n % 2 else ('traced', 'plain')
            get = {name: cost(name, f'/v1/jobs/{read[name]}', READS)[0] for name in order}
            post = {name: cost(name, '/v1/jobs', SUBMITS, POST)[1] for name in order}
            if n:  # the first warms them
                gets.append(get)
                posts.append(post)
                print(f'round {n}: µs a GET {get}, a job {post}', flush=True)
    print(f'{Collector.received / 1e6:.1f} MB of spans')
    told = []
    for name, rounds in (('GET /v1/jobs/{id}, server', gets), ('a job of one text, all programs', posts)):
        ratio = statistics.median(one['traced'] / one['plain'] for one in rounds)
        print(f"{name}: {statistics.median(one['plain'] for one in rounds):.1f} µs without")
        told.append(results.entry_of_least(f'processor time of a traced request, to an untraced one: {name}', 'road', round(ratio, 3), 'x', most=MUST, must=1,
                                           stretch=MUST / STRETCH, rounds=options.rounds, command=COMMAND))
    results.publish(told, options)


if __name__ == '__main__':
    main()
