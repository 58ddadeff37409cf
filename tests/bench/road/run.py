#!/usr/bin/env python3
"""End to end at full load: a job on an uploaded dataset, from POST /v1/jobs to succeeded, against Python's
scoring loop over the same texts; and the peak memory of the server and of its worker meanwhile.

    tests/bench/road/run.py [--lines N] [--rounds N] [--bin FOLDER] [--record]

Builds a release unless --bin names the folder of built programs. Upload and download are reported separately. The
server, its worker and PostgreSQL share the machine, as in a small installation.
"""
import itertools
import json
import pathlib
import re
import statistics
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/fuzz/vader'), str(ROOT / 'tests/integration')]
import fuzz  # noqa: E402
import results  # noqa: E402

PYTHON_SECONDS = 2  # of scoring, a round
PART_BYTES = 8 << 20
MOST_MEGABYTES = 256
COMMAND = 'tests/bench/road/run.py --record'


def python_rate(analyzer, texts):
    scored, start = 0, time.perf_counter()
    while time.perf_counter() - start < PYTHON_SECONDS:
        for text in texts:
            analyzer.polarity_scores(text)
        scored += len(texts)
    return scored / (time.perf_counter() - start)


def peak_megabytes(pid):
    return int(re.search(r'VmHWM:\s+(\d+)', pathlib.Path(f'/proc/{pid}/status').read_text())[1]) / 1024


def upload(api, body):
    """The dataset's id and the bytes a second."""
    start = time.perf_counter()
    dataset = api.post('/v1/datasets', {'name': 'bench', 'format': 'jsonl', 'bytes': len(body)}).json
    while dataset['state'] == 'uploading':
        at = dataset['bytes_received']
        dataset = api.send('PUT', f"/v1/datasets/{dataset['id']}/content?offset={at}", body[at:at + PART_BYTES],
                           headers={'Content-Type': 'application/octet-stream'}).json
    return dataset['id'], len(body) / (time.perf_counter() - start)


def run_job(api, dataset):
    """The job's id and the seconds from the submit to its end."""
    start = time.perf_counter()
    job = api.post('/v1/jobs', {'kind': 'sentiment', 'args': {'dataset': dataset}}).json['id']
    ended = api.wait(job, 3600)
    seconds = time.perf_counter() - start
    assert ended['state'] == 'succeeded' and ended['progress']['items_failed'] == 0, ended
    return job, seconds


def download(api, job):
    """Bytes a second of the results as JSON lines."""
    start, size = time.perf_counter(), 0
    request = urllib.request.Request(f'{api.base}/v1/jobs/{job}/results.jsonl',
                                     headers={'Authorization': 'Bearer ' + api.token})
    with urllib.request.urlopen(request, timeout=600) as answer:
        while piece := answer.read(1 << 20):
            size += len(piece)
    return size / (time.perf_counter() - start)


def main():
    arguments = results.arguments(rounds=5, programs=True)
    arguments.add_argument('--lines', type=int, default=1_000_000)
    options = arguments.parse_args()
    results.programs_of(options, 'plimsoll', 'plimsoll-engine')
    from harness import Server  # finds the programs when it is loaded

    crafted = (ROOT / 'tests/data/vader/crafted.jsonl').read_text(encoding='utf-8').split('\n')
    texts = [json.loads(line)['text'] for line in crafted if line]
    lines = (json.dumps({'custom_id': f'c-{i}', 'text': text}) + '\n'
             for i, text in zip(range(options.lines), itertools.cycle(texts)))
    body = ''.join(lines).encode()
    rates = {'python': [], 'ours': [], 'download': []}
    with tempfile.TemporaryDirectory() as folder, Server() as server:
        analyzer = fuzz.load_package(folder).SentimentIntensityAnalyzer()
        api = server.api()
        dataset, upload_rate = upload(api, body)
        for number in range(options.rounds):
            rates['python'].append(python_rate(analyzer, texts))
            job, seconds = run_job(api, dataset)
            rates['ours'].append(options.lines / seconds)
            rates['download'].append(download(api, job))
            print(f'round {number + 1}:', {name: round(values[-1]) for name, values in rates.items()})
        serve = peak_megabytes(server.process.pid)
        worker = max(peak_megabytes(pid) for pid in server.children('plimsoll-engine', 'worker', 'host'))
    median = {name: round(statistics.median(values)) for name, values in rates.items()}
    say = f'{options.lines:,} lines'
    entries = [
        results.entry(f'{say}, from POST /v1/jobs on a dataset to succeeded', 'road', median['ours'], 'lines/s',
                      peer=f'vaderSentiment 3.3.2, scoring loop, Python {sys.version.split()[0]}',
                      peer_value=median['python'], must=8, stretch=20, rounds=options.rounds, command=COMMAND),
        results.entry(f'{say}, upload', 'road', round(upload_rate / 1e6, 1), 'MB/s', rounds=1, command=COMMAND),
        results.entry(f'{say}, download of the results as JSON lines', 'road', round(median['download'] / 1e6, 1),
                      'MB/s', rounds=options.rounds, command=COMMAND),
        *(results.entry_of_least(f'{say}, peak memory of {name}', 'road', round(megabytes, 1), 'MB', most=MOST_MEGABYTES,
                                 must=1, stretch=2, rounds=options.rounds, command=COMMAND)
          for name, megabytes in (('serve', serve), ('a worker', worker)))]
    results.publish(entries, options)


if __name__ == '__main__':
    main()
