#!/usr/bin/env python3
"""Everything at once on one machine: reads, submits of small jobs, page loads, 1,000 event streams, and a job of a million lines.

    tests/bench/mixed/run.py [--rounds N] [--seconds N] [--lines N] [--bin FOLDER] [--record]

prints the p99 of reads and of submits; then the same submitters offer five times what they may (the requests a minute of
their tokens), and what is accepted is timed again. Every accepted job must succeed.

    tests/bench/mixed/run.py --soak MINUTES [--bin FOLDER] [--record]

runs the same at a lower rate, job of a part of the lines after job, and fails if the memory of the server or of a worker grows
by more than 1 MB an hour for sure, or if their open files become more. Server, PostgreSQL and clients share the machine.
"""
import concurrent.futures
import contextlib
import importlib.util
import json
import math
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

STREAMS, STREAMS_EACH = 1000, 16  # of a user, at most
FOLLOWED = 100  # streams of the large job; the others watch one that waits
READS, PAGES, SUBMITS = 400, 20, 50  # a second
SUBMITTERS = 2
OVERLOAD = 5
MUST_MS, STRETCH_MS = 50, 20
SOAKED = 10  # of this the rates when it soaks, and the lines
REST_SECONDS = 20  # between two large jobs then
SLOPE = 1.0  # MB an hour
SAMPLE_SECONDS = 2
WINDOW_SECONDS = 60
COMMAND = 'tests/bench/mixed/run.py --record'
TEXT = 'The harbour was calm, the crew was glad, and nobody minded the dreadful coffee of the night before.'
POST = json.dumps({'kind': 'sentiment', 'args': {'texts': [TEXT]}})


def road():
    """tests/bench/road/run.py, whose name is that of this file."""
    spec = importlib.util.spec_from_file_location('road', ROOT / 'tests/bench/road/run.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Streams:
    """Open event streams that are read."""

    def __init__(self, port, heads):
        self.port, self.heads, self.events, self.ended = port, heads, 0, 0
        self.selector, self.over = selectors.DefaultSelector(), threading.Event()
        for head in heads:
            self.open(head)
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def open(self, head):
        line = socket.create_connection(('127.0.0.1', self.port))
        line.sendall(head.encode())
        status = line.recv(12)
        assert status == b'HTTP/1.1 200', line.recv(2000)
        self.selector.register(line, selectors.EVENT_READ, head)

    def read(self):
        while not self.over.is_set() and self.selector.get_map():
            for key, _ in self.selector.select(0.5):
                try:
                    piece = key.fileobj.recv(65536)
                except OSError:
                    piece = b''
                self.events += piece.count(b'\nevent:') + piece.startswith(b'event:')
                if not piece:  # its job ended
                    self.ended += 1
                    self.selector.unregister(key.fileobj)
                    key.fileobj.close()

    def close(self):
        self.over.set()
        self.thread.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()


class Mixed:
    def __init__(self, server, programs, lines):
        self.server, self.programs = server, programs
        self.port = server.base.rpartition(':')[2]
        self.api = server.api()
        self.began = int(time.time()) - WINDOW_SECONDS

        def token(n):
            server.admin('add-user', f'user-{n}')
            server.admin('set-member', '--user', f'user-{n}', '--team', 'main', '--role', 'member')
            return server.api(f'user-{n}', 'main', ('jobs:read', 'jobs:write')).token

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.users = list(pool.map(token, range(-(-STREAMS // STREAMS_EACH))))
        self.body = ''.join(json.dumps({'text': f'{TEXT} {n}'}) + '\n' for n in range(lines)).encode()
        self.dataset, _ = road().upload(self.api, self.body)
        self.read = self.api.submit_texts([TEXT])
        self.api.wait(self.read)
        later = time.strftime('%FT%TZ', time.gmtime(time.time() + 86400))
        self.waiting = self.submit({'kind': 'sentiment', 'args': {'texts': [TEXT]}, 'run_at': later})
        self.accepted = 1  # of the jobs that have to succeed

    def submit(self, spec):
        reply = self.api.post('/v1/jobs', spec)
        assert reply.status == 202, reply.body
        return reply.json['id']

    def large(self, dataset):
        """A large job, followed to its end by event streams."""
        job = self.submit({'kind': 'sentiment', 'args': {'dataset': dataset}})
        self.accepted += 1
        self.streams(job, range(FOLLOWED)).thread.join()
        return job

    @contextlib.contextmanager
    def beside(self, work, pause=0):
        """work() again and again meanwhile, with pauses of so many seconds."""
        over, failed = threading.Event(), []

        def repeat():
            try:
                while not over.wait(pause):
                    work()
            except Exception as error:
                failed.append(error)
                print(f'beside the load: {error!r}', flush=True)

        thread = threading.Thread(target=repeat)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
        if failed:
            raise failed[0]

    def streams(self, job, numbers):
        """Of these numbers below STREAMS, which say whose they are."""
        return Streams(int(self.port), [
            f'GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nConnection: close\r\n'
            f'Authorization: Bearer {self.users[n // STREAMS_EACH]}\r\n\r\n' for n in numbers])

    @contextlib.contextmanager
    def crowd(self):
        """All event streams, and one large job after the other."""
        streams = self.streams(self.waiting, range(FOLLOWED, STREAMS))
        with self.beside(lambda: self.large(self.dataset)):
            yield
        assert streams.ended == 0
        streams.close()

    def loop(self, path, token, connections, seconds, rate, body=None):
        return subprocess.Popen([self.programs / 'http_request_loop', self.port, path, token, str(connections), str(seconds), str(rate),
                                 *([body] if body else [])], stdout=subprocess.PIPE, text=True)

    def load(self, seconds, times=1, part=1, reads=READS):
        """What the reads, the pages and the submitters were told. times: of their rate the submitters offer; part: of all rates."""
        loops = [self.loop(f'/v1/jobs/{self.read}', self.api.token, 16, seconds, reads // part),
                 self.loop('/', self.api.token, 4, seconds, max(1, PAGES // part)),
                 *(self.loop('/v1/jobs', self.users[-1 - n], 16, seconds, SUBMITS * times // SUBMITTERS // part, POST) for n in range(SUBMITTERS))]
        told = []
        for one in loops:
            said = one.communicate()[0]
            assert one.returncode == 0, said
            told.append(json.loads(said))
        self.accepted += sum(one['answered'] for one in told[2:])
        return told[0], told[1], told[2:]

    def lost(self):
        """Accepted jobs that have not succeeded when nothing is left to do."""
        deadline = time.monotonic() + 600
        while True:
            counts = self.api.get('/v1/job-counts').json['jobs']
            if counts['queued'] + counts['running'] == 0 or time.monotonic() > deadline:
                return self.accepted - self.succeeded()
            time.sleep(0.5)

    def succeeded(self):
        """Counted in windows, since a call examines 20,000 jobs."""
        jobs = 0
        for begins in range(self.began, int(time.time()) + 1, WINDOW_SECONDS):
            window = [time.strftime('%FT%TZ', time.gmtime(at)) for at in (begins, begins + WINDOW_SECONDS)]
            told = self.api.get('/v1/job-counts?from={}&to={}'.format(*window)).json
            assert told['complete'], told
            jobs += told['jobs']['succeeded']
        return jobs


def memory_and_files(processes):
    """Without pages of files, which come and go with what others do."""
    told = {}
    for name, pid in processes.items():
        told[name] = (sum(int(line.split()[1]) for line in pathlib.Path(f'/proc/{pid}/status').read_text().splitlines() if line.startswith('RssAnon')) / 1024,
                      len(list(pathlib.Path(f'/proc/{pid}/fd').iterdir())))
    return told


def slope(samples):
    """MB an hour of (seconds, MB), its standard error, and what both are from, the medians of twelve parts: neighbours are alike,
    and a large job takes 15 MB of the server while it is planned, for a longer part of the time where the machine does more."""
    size = len(samples) // 12
    parts = [samples[n * size:(n + 1) * size] for n in range(12)]
    xs, ys = ([statistics.median(one[axis] for one in part) for part in parts] for axis in (0, 1))
    middle_x, middle_y = statistics.fmean(xs), statistics.fmean(ys)
    spread = sum((x - middle_x) ** 2 for x in xs)
    per_second = sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys)) / spread
    rest = sum((y - middle_y - per_second * (x - middle_x)) ** 2 for x, y in zip(xs, ys))
    return per_second * 3600, math.sqrt(rest / (len(xs) - 2) / spread) * 3600, ys


def soak(mixed, minutes):
    processes = {'serve': mixed.server.process.pid}
    for pid in mixed.server.children('plimsoll-engine', 'worker'):
        device = pathlib.Path(f'/proc/{pid}/cmdline').read_text().split('\0--device\0')[1].split('\0')[0]
        processes[f'worker {device}'] = pid
    samples = {name: [] for name in processes}
    began = time.monotonic()

    def watch():
        for name, (megabytes, files) in memory_and_files(processes).items():
            samples[name].append((time.monotonic() - began, megabytes, files))

    def large_job():
        """On a dataset of its own, and deleted with it when its results have been read."""
        dataset, _ = road().upload(mixed.api, mixed.body)
        job = mixed.large(dataset)
        road().download(mixed.api, job)
        for path in (f'/v1/jobs/{job}', f'/v1/datasets/{dataset}'):
            reply = mixed.api.send('DELETE', path)
            assert reply.status in (200, 202, 204), reply.body
        mixed.accepted -= 1

    warm = max(60.0, minutes * 60 * 0.2)
    with mixed.beside(watch, SAMPLE_SECONDS), mixed.beside(large_job, REST_SECONDS):
        mixed.load(int(warm + minutes * 60), part=SOAKED)
    told, grows = {}, []
    for name, all_of_it in samples.items():
        kept = [one for one in all_of_it if one[0] > warm]
        grown, error, medians = slope(kept)
        told[name] = grown, 2 * error
        third = len(kept) // 3
        files = [statistics.median(one[2] for one in part) for part in (kept[:third], kept[-third:])]
        print(f'{name}: {grown:+.2f} ± {2 * error:.2f} MB an hour, of {" ".join(f"{one:.1f}" for one in medians)} MB; open files {files}', flush=True)
        if grown - 2 * error > SLOPE or files[1] > files[0] + 2:
            grows.append(f'{name} grows')
    return told, grows


def main():
    arguments = results.arguments(rounds=3, programs=True)
    arguments.add_argument('--seconds', type=int, default=20)
    arguments.add_argument('--lines', type=int, default=1_000_000)
    arguments.add_argument('--soak', type=float, metavar='MINUTES')
    options = arguments.parse_args()
    programs = results.programs_of(options, 'plimsoll', 'plimsoll-engine', 'http_request_loop')
    from harness import Server  # finds the programs when it is loaded

    each_minute = 60 * SUBMITS // SUBMITTERS
    limits = {'limits__requests_per_minute': '0', 'limits__team_requests_per_minute': '0', 'limits__connections_per_network': '4096'}
    with Server(**limits) as server:
        mixed = Mixed(server, programs, options.lines // SOAKED if options.soak else options.lines)
        if options.soak:
            streams = mixed.streams(mixed.waiting, range(FOLLOWED, 3 * FOLLOWED))
            told, failed = soak(mixed, options.soak)
            lost = mixed.lost()
            print(f'{mixed.accepted} jobs, {lost} lost; {streams.ended} streams ended')
            streams.close()
            how = {'rounds': 1, 'command': f'tests/bench/mixed/run.py --soak {options.soak:g} --record'}
            results.publish([results.entry(f'mixed load, memory of {name}, slope over {options.soak:g} minutes', 'road', round(grown, 2), f'MB/h, ± {error:.2f}', **how)
                             for name, (grown, error) in told.items()], options)
            sys.exit('; '.join(failed + ['jobs were lost'] * bool(lost)) or None)
        reads, submits, pages = [], [], []
        with mixed.crowd():
            for n in range(options.rounds):
                read, page, posts = mixed.load(options.seconds)
                reads.append(read['p99_ms'])
                submits.append(max(post['p99_ms'] for post in posts))
                pages.append(page['p99_ms'])
                print(f'round {n + 1}: p99 of reads {reads[-1]} ms, of submits {submits[-1]} ms, of pages {pages[-1]} ms', flush=True)
        lost = mixed.lost()
    print(f'{mixed.accepted} jobs, {lost} lost', flush=True)

    limits |= {'limits__requests_per_minute': str(each_minute)}
    with Server(**limits) as server:
        mixed = Mixed(server, programs, options.lines)
        ratios, refused, kept = [], 0, 0
        with mixed.crowd():
            for n in range(options.rounds):
                p99 = []
                for times in (1, OVERLOAD):
                    _, _, posts = mixed.load(options.seconds, times, reads=each_minute // 60)
                    p99.append(max(post['p99_ms'] for post in posts))
                    if times > 1:
                        refused += sum(post['refused'] for post in posts)
                        kept += sum(post['answered'] for post in posts)
                ratios.append(p99[1] / p99[0])
                print(f'overload, round {n + 1}: p99 of accepted submits {p99[1]} ms against {p99[0]} ms, {refused} refused, {kept} accepted', flush=True)
        lost_overloaded = mixed.lost()
    print(f'{mixed.accepted} jobs, {lost_overloaded} lost', flush=True)
    how = {'rounds': options.rounds, 'command': COMMAND}
    name = 'mixed load (1,000 event streams, pages, a million lines)'
    results.publish([
        results.entry_of_least(f'{name}, p99 of reads', 'road', round(statistics.median(reads), 1), 'ms', most=MUST_MS, must=1, stretch=MUST_MS / STRETCH_MS, **how),
        results.entry_of_least(f'{name}, p99 of submits', 'road', round(statistics.median(submits), 1), 'ms', most=MUST_MS, must=1, stretch=MUST_MS / STRETCH_MS, **how),
        results.entry_of_least(f'{name}, submitters offer {OVERLOAD}x what they may: p99 of what is accepted, to before', 'road',
                               round(statistics.median(ratios), 2), 'x', most=2, must=1, stretch=2, **how),
        results.entry_of_none(f'{name}: accepted jobs that were lost', 'road', lost + lost_overloaded, 'jobs', **how)], options)
    sys.exit('jobs were lost' if lost + lost_overloaded else None)


if __name__ == '__main__':
    main()
