#!/usr/bin/env python3
"""A trading desk's use of scores, measured through a real server on this machine: scores within one call, many small
jobs of many teams against one large one, a comparison of models against single runs.

    python3 -m venv build/peers && build/peers/bin/pip install numpy==2.4.6 tokenizers==0.23.3
    build/peers/bin/python tests/bench/desk/run.py [--rounds N] [--bin FOLDER] [--record] [ROW…]

ROW: calls (by VADER; needs no venv), models. Models have random weights. Server, worker and PostgreSQL share the machine. Prints medians of rounds.
"""
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/fuzz/tokenizers'), str(ROOT / 'tests/transformers'),
                str(ROOT / 'tests/integration')]
import results  # noqa: E402

COMMAND = 'tests/bench/desk/run.py --record'
CALLS = 200
TEAMS, JOBS, TEXTS = 10, 200, 5
COMPARED = 10_000
HEADLINE = 'Shares soar after a brilliant quarter'
# Hidden size, layers, heads, width between: of FinBERT, and of a small one of which a comparison takes three.
SHAPES = {'finbert': (768, 12, 12, 3072), 'small-a': (128, 2, 2, 512), 'small-b': (128, 3, 2, 512), 'small-c': (256, 2, 4, 1024)}


def measure_calls(api, options):
    milliseconds_of_calls(api, 'vader')  # the worker runs
    calls = statistics.quantiles([took for _ in range(options.rounds) for took in milliseconds_of_calls(api, 'vader')], n=100)
    results.publish([
        results.entry_of_least(f'POST /v1/score of a headline by VADER, p{place}', 'desk', round(calls[place - 1], 2), 'ms', most=most, must=1,
                               stretch=most / best, rounds=options.rounds, command=f'{COMMAND} calls')
        for place, most, best in ((50, 4, 2.5), (99, 10, 6))], options)


def install(server, source):
    import fuzz
    import published
    for seed, (name, (hidden, layers, heads, between)) in enumerate(SHAPES.items()):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            fuzz.bert(source.texts, True, folder)
            config = published.config_of('bert', hidden, layers, heads, between, 30522, 512)
            published.write(folder, config, published.random_tensors('bert', config, seed))
            server.run('model', 'add', folder, '--name', name)


def texts_of(source, count):
    words = [word for word in source.words if word.isalpha() and len(word) < 9]
    return [' '.join(source.random.choice(words) for _ in range(source.random.choice([7, 10, 12, 14, 16, 18, 20, 22, 26])))
            for _ in range(count)]


def team_api(server, name):
    user = f'user of {name}'
    server.admin('add-team', name)
    server.admin('add-user', user)
    server.admin('set-member', '--user', user, '--team', name, '--role', 'member')
    return server.api(user=user, team=name)


def milliseconds_of_calls(api, model):
    told = []
    for _ in range(CALLS):
        start = time.perf_counter()
        answer = api.post('/v1/score', {'model': model, 'texts': [HEADLINE]})
        told.append((time.perf_counter() - start) * 1e3)
        assert answer.json['items'][0]['compound'] is not None, answer
    return told


def seconds_of(api, jobs):
    """From the first submit to the end of the last."""
    start = time.perf_counter()
    ids = [(one, one.post('/v1/jobs', {'kind': 'sentiment', 'args': args}).json['id']) for one, args in jobs(api)]
    for one, job in ids:
        ended = one.wait(job, 600)
        assert ended['state'] == 'succeeded' and ended['progress']['items_failed'] == 0, ended
    return time.perf_counter() - start


def main():
    parser = results.arguments(rounds=5, programs=True)
    parser.add_argument('row', nargs='*', default=['calls', 'models'])
    options = parser.parse_args()
    results.programs_of(options, 'plimsoll', 'plimsoll-engine')
    from harness import PATIENCE, Server  # after programs_of, which says where the programs are
    with Server(limits__requests_per_minute='0', limits__team_requests_per_minute='0') as server:
        if 'calls' in options.row:
            api = server.api()
            api.checked = False  # against the contract: time of the client's
            measure_calls(api, options)
        if 'models' not in options.row:
            return
        import fuzz  # needs the venv
        source = fuzz.Texts(5)
        install(server, source)
        api = server.api()
        teams = [team_api(server, f'team{number}') for number in range(TEAMS)]
        until = time.monotonic() + PATIENCE
        while len(api.get('/v1/models').json['items']) < 1 + len(SHAPES):
            assert time.monotonic() < until, 'no worker offers the models'
            time.sleep(0.1)
        texts = texts_of(source, JOBS * TEXTS)
        many = texts_of(source, COMPARED)

        def one_large(_):
            return [(api, {'model': 'finbert', 'texts': texts})]

        def many_small(_):
            return [(teams[job % TEAMS], {'model': 'finbert', 'texts': texts[job * TEXTS:(job + 1) * TEXTS]}) for job in range(JOBS)]

        def compared(_):
            return [(api, {'models': [*list(SHAPES)[1:], 'vader'], 'texts': many})]

        def single(name):
            return lambda _: [(api, {'model': name, 'texts': many})]

        seconds_of(api, one_large)  # loads, compiles
        rounds = {'large': [], 'small': [], 'compared': [], 'single': []}
        for number in range(options.rounds):
            rounds['large'].append(seconds_of(api, one_large))
            rounds['small'].append(seconds_of(api, many_small))
            rounds['single'].append(sum(seconds_of(api, single(name)) for name in [*list(SHAPES)[1:], 'vader']))
            rounds['compared'].append(seconds_of(api, compared))
            print(f'round {number + 1}:', {name: round(times[-1], 2) for name, times in rounds.items()})
    median = {name: statistics.median(times) for name, times in rounds.items()}
    results.publish([
        results.entry(f'{JOBS} jobs of {TEXTS} texts of {TEAMS} teams, FinBERT shape', 'desk', round(JOBS * TEXTS / median['small'], 1),
                      'texts/s', peer=f'one job of {JOBS * TEXTS}', peer_value=round(JOBS * TEXTS / median['large'], 1), must=0.8,
                      stretch=0.95, rounds=options.rounds, command=COMMAND),
        results.entry_of_least(f'A comparison of 4 models on {COMPARED:,} texts', 'desk', round(median['compared'], 2), 's',
                               most=round(1.05 * median['single'], 2), must=1, stretch=1.05, rounds=options.rounds, command=COMMAND),
    ], options)


if __name__ == '__main__':
    main()
