#!/usr/bin/env python3
"""Sentiment and a language model on one machine: measures whether running both at once is faster than one after the
other, with and without FEATURE_CUDA_STREAMS, and recommends settings.

    python3 -m venv build/peers && build/peers/bin/pip install numpy==2.4.6 tokenizers==0.23.3
    build/peers/bin/python tests/bench/desk/pair.py [--llm URL --llm-model NAME] [--prompts N] [--rounds N] [--bin FOLDER] [--record]

--llm is an endpoint like Ollama's /api/generate. Without it, a stand-in multiplies matrices on the processor: the
result then shows how two loads share this machine, and nothing about a language model or a GPU. The sentiment model
is FinBERT-shaped, with random weights, on the device that the server finds. The advice is the guide's: both at once,
and a second queue, if that is more than 1.1 times as fast.
"""
import http.server
import json
import os
import statistics
import threading
import time
import urllib.request

import run as desk
from run import results

COMMAND = 'tests/bench/desk/pair.py --record'
TEXTS = 300
WORTH_IT = 1.1
PROMPT = 'Summarise in one sentence why the shares of a shipping line rose after its quarterly report.'


class StandIn(http.server.BaseHTTPRequestHandler):
    """A load like that of a small language model: a few seconds of matrix products for a prompt."""
    matrix = None

    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        rows = self.matrix[:8]
        for _ in range(400):
            rows = rows @ self.matrix
            rows /= abs(rows).max()
        body = json.dumps({'response': 'It did.', 'eval_count': 400, 'done': True}).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def stand_in():
    import numpy
    StandIn.matrix = numpy.random.default_rng(1).standard_normal((2048, 2048), dtype=numpy.float32)
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), StandIn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f'http://127.0.0.1:{server.server_port}/api/generate'


def ask(options):
    """Tokens of all answers."""
    tokens = 0
    for _ in range(options.prompts):
        body = json.dumps({'model': options.llm_model, 'prompt': PROMPT, 'stream': False}).encode()
        request = urllib.request.Request(options.llm, body, {'Content-Type': 'application/json'})
        with urllib.request.urlopen(request, timeout=600) as answer:
            tokens += json.load(answer)['eval_count']
    return tokens


def timed(*works):
    """Seconds from the start of all to the end of the last."""
    threads = [threading.Thread(target=work) for work in works]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def measure(options, Server, source, streams):
    """Medians: seconds of scoring alone, of the prompts alone, of both at once; and where it ran."""
    os.environ['FEATURE_CUDA_STREAMS'] = str(streams)
    with Server(limits__requests_per_minute='0', limits__team_requests_per_minute='0') as server:
        api = server.api()
        desk.install(server, source)
        until = time.monotonic() + 600
        while len(api.get('/v1/models').json['items']) < 1 + len(desk.SHAPES):
            assert time.monotonic() < until, 'no worker offers the models'
            time.sleep(0.1)
        texts = desk.texts_of(source, TEXTS)

        def scoring():
            desk.seconds_of(api, lambda one: [(one, {'model': 'finbert', 'texts': texts})])

        def asking():
            ask(options)
        scoring()  # loads, compiles
        asking()
        rounds = [(timed(scoring), timed(asking), timed(scoring, asking)) for _ in range(options.rounds)]
        devices = [d for d in api.get('/v1/devices').json['items'] if d['device_class'] != 'host']
        where = ', '.join(f"{d['name']} ({d['device_class']}, copies: {d['copy_mode']})" for d in devices)
    return [statistics.median(column) for column in zip(*rounds)], where


def main():
    parser = results.arguments(rounds=3, programs=True)
    parser.add_argument('--llm', help='URL of the language model; none: a stand-in')
    parser.add_argument('--llm-model', default='mistral')
    parser.add_argument('--prompts', type=int, default=3)
    options = parser.parse_args()
    results.programs_of(options, 'plimsoll', 'plimsoll-engine')
    from harness import Server  # after programs_of, which says where the programs are
    named = 'a language model' if options.llm else 'a stand-in on the processor'
    options.llm = options.llm or stand_in()
    source = desk.fuzz.Texts(5)
    both = {}
    entries = []
    for streams in (0, 1):
        (scoring, asking, together), where = measure(options, Server, source, streams)
        both[streams] = together
        gain = (scoring + asking) / together
        print(f'FEATURE_CUDA_STREAMS={streams} on {where}: scoring alone {scoring:.2f} s, {named} alone {asking:.2f} s, both at once '
              f'{together:.2f} s, {gain:.2f} times as fast as one after the other')
        entries.append(results.entry(f'sentiment beside {named}, FEATURE_CUDA_STREAMS={streams}', 'desk', round(1 / together, 4), 'pairs/s',
                                     peer='one after the other', peer_value=round(1 / (scoring + asking), 4), rounds=options.rounds, command=COMMAND))
        at_once = gain
    print(f"Run both at once: {'yes' if at_once > WORTH_IT else 'no'}, {at_once:.2f} times as fast (worth it above {WORTH_IT}).")
    second = both[0] / both[1]
    print(f"FEATURE_CUDA_STREAMS: {1 if second > WORTH_IT else 0}, a second queue made both {second:.2f} times as fast (worth it above {WORTH_IT}).")
    if 'cpu' in where:
        print('Not measured: a GPU. Of a processor this says nothing about one.')
    results.publish(entries, options)


if __name__ == '__main__':
    main()
