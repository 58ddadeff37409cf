"""One large job on an uploaded dataset, through a killed worker and a PostgreSQL that is suspended and killed: every
row exists once, with the score of Python's VADER. A second team sees nothing of it, and is served meanwhile.

    tests/integration/faults/million.py [--lines 1000000]

The first faults come while the tables refuse workers' results, so that they hit even a short job while it runs; jobs of
half a million lines and more meet the same faults again at a quarter, a half and three quarters.
"""

import argparse
import collections
import contextlib
import itertools
import json
import os
import signal
import sys
import tempfile
import threading
import urllib.request
from urllib.parse import urlsplit

from patience import ask, submit, until
from reconnects import Follower
from tables import broken_invariants, open_tables, psycopg

from harness import PATIENCE, ROOT, Server, descendants

sys.path.insert(0, str(ROOT / 'tests/fuzz/vader'))
import fuzz  # noqa: E402

PART_BYTES = 8 << 20
FAULTS_UNDER_WAY = 500_000  # lines from which on a job lasts long enough for faults at parts of it
SCORES = {'compound': 4, 'positive': 3, 'neutral': 3, 'negative': 3}  # decimals


class Lines:
    """Texts of which no two are equal, with the scores of a few hundred: their first word says nothing to VADER."""

    def __init__(self):
        crafted = (ROOT / 'tests/data/vader/crafted.jsonl').read_text(encoding='utf-8').split('\n')
        self.texts = [json.loads(line)['text'] for line in crafted if line]
        with tempfile.TemporaryDirectory() as folder:
            analyzer = fuzz.load_package(folder).SentimentIntensityAnalyzer()
            scores = [analyzer.polarity_scores(self.text(i)) for i in range(len(self.texts))]
        self.scores = [{'compound': s['compound'], 'positive': s['pos'], 'neutral': s['neu'], 'negative': s['neg']} for s in scores]

    def text(self, i):
        return f'n{i:07} {self.texts[i % len(self.texts)]}'

    def check(self, i, row):
        """That the row is the i-th's. Rows show the beginnings of long texts."""
        wrong = [name for name, decimals in SCORES.items() if round(row[name], decimals) != self.scores[i % len(self.scores)][name]]
        right = row['index'] == i and row['error'] is None and self.text(i).startswith(row['text']) and row['text'].startswith(f'n{i:07} ')
        assert right and not wrong, (i, wrong, row)

    def label_counts(self, count):
        def label(compound):
            return 'positive' if compound >= 0.05 else 'negative' if compound <= -0.05 else 'neutral'
        return collections.Counter(label(s['compound']) for s in itertools.islice(itertools.cycle(self.scores), count))


class Watcher:
    """The second team: asks for the first one's job in every way, and runs small ones of its own."""

    def __init__(self, api, lines, job, dataset):
        self.api, self.lines, self.job, self.dataset = api, lines, job, dataset
        self.own, self.looks, self.error, self.over = [], 0, None, threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            while not self.over.is_set():
                self.look()
                self.run_own()
            self.look()
        except BaseException as error:  # for the main thread to raise
            self.error = error

    def look(self):
        """Whatever is asked for by the first team's ids is missing, and the list holds own jobs alone."""
        for path in (f'jobs/{self.job}{part}' for part in ('', '?wait=1', '/events', '/report', '/results', '/wait-reason')):
            self.expect_missing('GET', path)
        self.expect_missing('GET', f'jobs/{self.job}/events', {'Accept': 'text/event-stream'})
        self.expect_missing('POST', f'jobs/{self.job}/cancellation')
        self.expect_missing('GET', f'datasets/{self.dataset}')
        listed = ask(self.api, '/v1/jobs?limit=200').json['items']
        assert [job['name'] for job in listed] == [job['name'] for job in reversed(self.own)][:200], listed
        self.looks += 1

    def expect_missing(self, method, path, headers=None):
        def once():
            reply = self.api.send(method, f'/v1/{path}', headers=headers, timeout=60)
            return None if reply.status == 503 else reply.status
        status = until(once, path)
        assert status == 404, (method, path, status)

    def run_own(self):
        """One job, followed through its event stream to the end."""
        name, count = f'small-{len(self.own)}', 20
        id = submit(lambda: self.api, name, [self.lines.text(i) for i in range(count)])
        heard = Follower(lambda: urlsplit(self.api.base).port, self.api.token, id).follow().seen
        ended = ask(self.api, f'/v1/jobs/{id}').json
        assert ended['state'] == 'succeeded' and heard[0][1] == 'submitted' and heard[-1][1] == 'finished', (ended, heard)
        rows = ask(self.api, f'/v1/jobs/{id}/results.jsonl').body.splitlines()
        assert len(rows) == count
        for i, row in enumerate(rows):
            self.lines.check(i, json.loads(row))
        self.own.append(ended)

    def end(self):
        self.over.set()
        self.thread.join(PATIENCE)
        if self.error:
            raise self.error


class Faults:
    def __init__(self, server):
        self.server = server

    def kill_worker(self):
        """The one that scores."""
        os.kill(until(lambda: next(iter(self.server.children('plimsoll-engine', 'worker', 'host')), None), 'a worker'), signal.SIGKILL)

    def stop_database(self, api):
        """And let it go on. Meanwhile the server says so, and lives."""
        postmaster = self.server.postmaster()
        os.kill(postmaster, signal.SIGSTOP)  # it first: then it makes no others
        backends = descendants(postmaster)
        for pid in backends:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        try:
            assert api.get('/v1/jobs').status == 503
            assert api.get('/healthz').status == 200
        finally:
            for pid in (postmaster, *backends):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def crash_database(self):
        """An immediate shutdown, as after a crash; the server starts it again."""
        os.kill(until(self.server.postmaster, 'a postmaster'), signal.SIGQUIT)


def upload(api, lines, count):
    body = ''.join(json.dumps({'text': lines.text(i)}) + '\n' for i in range(count)).encode()
    dataset = api.post('/v1/datasets', {'name': 'large', 'format': 'jsonl', 'bytes': len(body)}).json
    while dataset['state'] == 'uploading':
        at = dataset['bytes_received']
        dataset = api.send('PUT', f"/v1/datasets/{dataset['id']}/content?offset={at}", body[at:at + PART_BYTES],
                           headers={'Content-Type': 'application/octet-stream'}).json
    assert dataset['state'] == 'ready' and dataset['records'] == count, dataset
    return dataset['id']


def start_amid_faults(server, api, start):
    """What start() answers, a job; behind it a worker, and PostgreSQL twice, were hit before anything of it was recorded."""
    faults = Faults(server)
    with contextlib.suppress(psycopg.OperationalError), open_tables(server) as hold, open_tables(server) as tables:
        with hold.transaction():
            hold.execute('lock table result in exclusive mode')
            id = start()
            while not tables.execute('select 1 from lease').fetchone():
                pass
            faults.kill_worker()
            faults.stop_database(api)
            assert tables.execute('select count(*) from result').fetchone() == (0,)
            faults.crash_database()
            while hold.execute('select 1'):  # until the connection is lost, and the lock with it
                pass
    return id


def strike_under_way(server, api, id, count):
    """The same faults at parts of a long job."""
    faults = Faults(server)
    for part, strike in ((0.25, faults.kill_worker), (0.5, lambda: faults.stop_database(api)), (0.75, faults.crash_database)):
        while (job := ask(api, f'/v1/jobs/{id}').json)['progress']['items_done'] < part * count:
            pass
        assert job['finished_at'] is None, f'the job ended before the fault at {part}'
        strike()


def check(api, id, lines, count):
    job = until(lambda: api.wait(id), f'the end of {id}')
    assert job['state'] == 'succeeded' and job['progress']['items_done'] == count and job['progress']['items_failed'] == 0, job
    report = ask(api, f'/v1/jobs/{id}/report').json
    assert report['items'] == {'total': count, 'ok': count, 'failed': 0}, report['items']
    assert report['summary']['labels'] == lines.label_counts(count), report['summary']
    events = ask(api, f'/v1/jobs/{id}/events?limit=200').json['items']
    assert [event['type'] for event in events].count('finished') == 1 and events[-1]['type'] == 'finished', events
    request = urllib.request.Request(f'{api.base}/v1/jobs/{id}/results.jsonl', headers={'Authorization': 'Bearer ' + api.token})
    seen = 0
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        for row in answer:
            lines.check(seen, json.loads(row))
            seen += 1
    assert seen == count, seen
    return job, events


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--lines', type=int, default=1_000_000)
    count = parser.parse_args().lines
    lines = Lines()
    with Server() as server:
        api = server.api()
        for command in (('add-team', 'others'), ('add-user', 'eve'), ('set-member', '--team', 'others', '--user', 'eve', '--role', 'owner')):
            server.admin(*command)
        other = server.api(user='eve', team='others')
        dataset = upload(api, lines, count)
        watchers = []

        def start():
            id = api.post('/v1/jobs', {'kind': 'sentiment', 'args': {'dataset': dataset}}).json['id']
            watchers.append(Watcher(other, lines, id, dataset))
            return id

        id = start_amid_faults(server, api, start)
        [watcher] = watchers
        try:
            if count >= FAULTS_UNDER_WAY:
                strike_under_way(server, api, id, count)
            job, events = check(api, id, lines, count)
        finally:
            watcher.end()
        meanwhile = [own for own in watcher.own if own['finished_at'] < job['finished_at']]
        assert meanwhile or count < FAULTS_UNDER_WAY, 'the second team was not served'
        assert not (found := broken_invariants(server)), found
    print(f"{count} lines exact, from {job['created_at']} to {job['finished_at']}, {[event['type'] for event in events]}; "
          f'the second team looked {watcher.looks} times, and had {len(meanwhile)} of its {len(watcher.own)} jobs done meanwhile')


if __name__ == '__main__':
    main()
