#!/usr/bin/env python3
"""A job by a model through a real server on this machine: its time against the bare loop of the engine, a cancel until
the device has stopped, and a restarted worker until its first score.

    python3 -m venv build/peers && build/peers/bin/pip install numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0 tokenizers==0.23.3
    build/peers/bin/python tests/bench/transformers/job.py [ROW...] [--rounds N] [--texts N] [--cancels N] [--bin FOLDER] [--record]

ROW: job, cancel, restart; all by default. Models have random weights: in MiniLM's shape for the job, which is read from
an uploaded dataset, in FinBERT's for the rest. Server, worker and PostgreSQL share the machine. Job and loop alternate.
"""
import json
import os
import pathlib
import signal
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/fuzz/tokenizers'), str(ROOT / 'tests/transformers'),
                str(ROOT / 'tests/integration')]
import counts  # noqa: E402
import fuzz  # noqa: E402
import results  # noqa: E402
import run  # noqa: E402

COMMAND = 'tests/bench/transformers/job.py --record'
LONG = 1200  # seconds
WARM = 4096  # texts that are scored before: kernels are compiled for every length and for full batches


def install(server, name, shape, source):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place) / name
        counts.write(counts.SHAPES[shape], folder, source)
        server.run('model', 'add', folder, '--name', name)
    return server.folder / 'models' / name


def wait_for_model(api, name):
    until = time.monotonic() + 60
    while name not in [model['name'] for model in api.get('/v1/models').json['items']]:
        assert time.monotonic() < until, f'no worker offers {name}'
        time.sleep(0.1)


def wait_for_idle_work(server, name):
    """Idle workers prove the forms of a new model, then tune its products, for 20 s at a time; both would disturb.
    Products that another model had tuned here already are not tuned again."""
    def lines():
        return sum(f'model={name} ' in line and ('proved a form' in line or 'tuned the products' in line) for line in server.log)
    until = time.monotonic() + LONG
    seen, since = 0, time.monotonic()
    while seen == 0 or time.monotonic() - since < 40:
        assert time.monotonic() < until, f'{name} is not proven and tuned'
        time.sleep(0.5)
        if lines() > seen:
            seen, since = lines(), time.monotonic()


def submit(api, **args):
    answer = api.post('/v1/jobs', {'kind': 'sentiment', 'args': args})
    assert answer.status == 202, answer.body
    return answer.json['id']


def seconds_of_job(api, dataset):
    start = time.perf_counter()
    job = api.wait(submit(api, model='small', dataset=dataset), LONG)
    took = time.perf_counter() - start
    assert job['state'] == 'succeeded' and job['progress']['items_failed'] == 0, job
    return took


def job_row(server, api, programs, source, options):
    folder = install(server, 'small', 'MiniLM', source)
    wait_for_model(api, 'small')
    wait_for_idle_work(server, 'small')
    words = [word for word in source.words if word.isalpha() and len(word) < 9]
    texts = [' '.join(source.random.choice(words) for _ in range(source.random.choice([7, 10, 12, 14, 16, 18, 20, 22, 26])))
             for _ in range(options.texts)]
    path = server.folder / 'headlines.jsonl'
    path.write_text(''.join(json.dumps({'text': text}) + '\n' for text in texts), encoding='utf-8')
    dataset = json.loads(server.run('datasets', 'upload', path, '--json').stdout)['id']
    api.wait(submit(api, model='small', texts=texts[:WARM]), LONG)  # loads, compiles
    took = {'job': [], 'loop': []}
    for number in range(options.rounds):
        told = counts.loop(programs / 'transformers_model_loop', folder, texts, server.folder / 'kernels', WHAT='texts', ROUNDS='1', WARM=str(WARM))
        took['loop'] += told['seconds']
        took['job'].append(seconds_of_job(api, dataset))
        print(f'round {number + 1}:', {name: round(seconds[-1], 2) for name, seconds in took.items()}, flush=True)
    rate = {name: round(len(texts) / statistics.median(seconds), 1) for name, seconds in took.items()}
    row = results.entry(f'MiniLM shape, fp32, {len(texts):,} headlines: a job on an uploaded dataset', 'transformers', rate['job'], 'texts/s',
                        peer='the bare loop of the engine', peer_value=rate['loop'], must=1 / 1.03, stretch=1 / 1.015, rounds=options.rounds,
                        command=COMMAND)
    ratio = statistics.median(took['loop']) / statistics.median(took['job'])
    return row | {'ratio': round(ratio, 3), 'met': results.met(ratio, 1 / 1.03, 1 / 1.015), 'must': 0.971, 'stretch': 0.985}


def cancel_row(api, source, options):
    took = []
    texts = run.headlines(source) * 8
    texts = [f'{text} {place}' for place, text in enumerate(texts)]
    while len(took) < options.cancels:
        job = submit(api, model='finbert', texts=texts)
        while api.get(f'/v1/jobs/{job}').json['progress']['items_done'] == 0:
            time.sleep(0.02)
        time.sleep(source.random.random() * 0.5)  # at any moment of a batch
        start = time.perf_counter()
        answer = api.post(f'/v1/jobs/{job}/cancellation')
        assert answer.status == 202, answer.body
        ended = api.wait(job)
        if ended['state'] == 'cancelled':
            took.append(time.perf_counter() - start)
    p99 = statistics.quantiles(took, n=100)[98] if len(took) > 1 else took[0]
    print(f'cancel: median {statistics.median(took):.3f} s, most {max(took):.3f} s')
    return results.entry_of_least('FinBERT shape, fp32: cancel while it computes to device stopped and job cancelled, p99', 'transformers',
                                  round(p99, 3), 's', most=0.5, must=1, stretch=0.5 / 0.3, rounds=len(took), command=COMMAND)


def restart_row(server, api, options):
    took = []
    body = {'model': 'finbert', 'texts': ['Shares soar after a brilliant quarter'], 'timeout_seconds': 60}

    def score():
        """Until a worker offers the model again, a call is refused."""
        until = time.monotonic() + 60
        while True:
            answer = api.post('/v1/score', body)
            if answer.status == 200 and answer.json['items'][0]['compound'] is not None:
                return
            assert time.monotonic() < until, answer.body
            time.sleep(0.02)
    score()
    for _ in range(options.rounds):
        [worker] = server.children('plimsoll-engine', 'opencl')
        start = time.perf_counter()
        os.kill(worker, signal.SIGTERM)
        while worker in server.children('plimsoll-engine', 'opencl'):
            time.sleep(0.005)
        score()
        took.append(time.perf_counter() - start)
    print('restart:', [round(one, 2) for one in took])
    return results.entry_of_least('FinBERT shape, fp32: a worker told to end, restarted, to its first score', 'transformers',
                                  round(statistics.median(took), 3), 's', most=2, must=1, stretch=2, rounds=options.rounds, command=COMMAND)


def main():
    parser = results.arguments(rounds=5, programs=True)
    parser.add_argument('row', nargs='*', default=['job', 'cancel', 'restart'])
    parser.add_argument('--texts', type=int, default=100_000)
    parser.add_argument('--cancels', type=int, default=100)
    options = parser.parse_args()
    programs = results.programs_of(options, 'plimsoll', 'plimsoll-engine', 'transformers_model_loop')
    from harness import Server  # after programs_of, which says where the programs are
    source = fuzz.Texts(5)
    rows = []
    with Server(limits__requests_per_minute='0', limits__team_requests_per_minute='0') as server:
        api = server.api()
        if 'job' in options.row:
            rows.append(job_row(server, api, programs, source, options))
            results.show(rows[-1:])
        if {'cancel', 'restart'} & set(options.row):
            install(server, 'finbert', 'FinBERT', source)
            wait_for_model(api, 'finbert')
            wait_for_idle_work(server, 'finbert')
        if 'cancel' in options.row:
            rows.append(cancel_row(api, source, options))
            results.show(rows[-1:])
        if 'restart' in options.row:
            rows.append(restart_row(server, api, options))
    results.publish(rows, options)


if __name__ == '__main__':
    main()
