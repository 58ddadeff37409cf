#!/usr/bin/env python3
"""What policies promise, measured through a real server on this machine: the first score after a switch of models,
device-seconds while a policy says VADER, charges of teams that share a device's batches, and the calendar of the NYSE.

    python3 -m venv build/peers && build/peers/bin/pip install numpy==2.4.6 tokenizers==0.23.3
    build/peers/bin/python tests/bench/desk/policies.py [--rounds N] [--bin FOLDER] [--record]

The market opens by an override in the policy's calendar, a few seconds ahead, so that no clock must be changed. Each
round waits for an idle device to release its model and, warm, to load it again: about 25 s. The model is
FinBERT-shaped, with random weights; the time to the first score includes scoring one headline.
"""
import csv
import datetime
import os
import statistics
import time

import run as desk
from run import results

COMMAND = 'tests/bench/desk/policies.py --record'
CALENDAR = desk.ROOT / 'tests/data/market/nyse_1990_2040.csv'
YEARS = range(2015, 2031)
UTC = datetime.timezone.utc
AHEAD = 15  # seconds from the policy to its open


def now():
    return datetime.datetime.now(UTC)


def put_policy(api, opens):
    hour = datetime.timedelta(hours=1)
    overrides = [{'from': (opens - hour).isoformat(), 'until': opens.isoformat(), 'market_status': 'closed'},
                 {'from': opens.isoformat(), 'until': (opens + hour).isoformat(), 'market_status': 'regular'}]
    answer = api.send('PUT', '/v1/policies/desk', {'model': 'vader', 'rules': [{'markets': ['open'], 'model': 'finbert'}],
                                                  'fallback': [], 'overrides': overrides})
    assert answer.status == 200, answer.body


def score(api, **item):
    [row] = api.post('/v1/score', {'policy': 'desk', 'items': [{'text': desk.HEADLINE, **item}]}).json['items']
    return row['model']


def wait_for_line(server, words, seen):
    """The next line of the log with these words after the first `seen` lines."""
    until = time.monotonic() + 120
    while not any(words in line and 'opencl' in line for line in server.log[seen:]):
        assert time.monotonic() < until, words
        time.sleep(0.05)


def seconds_late(server, api, warm):
    """From the open to the answer of a call that is made at the open."""
    opens = (now() + datetime.timedelta(seconds=AHEAD)).replace(microsecond=0)
    seen = len(server.log)
    put_policy(api, opens)
    assert score(api, time=(opens + datetime.timedelta(minutes=30)).isoformat()) == 'finbert'  # the worker meets the policy
    wait_for_line(server, 'released models', seen)
    if warm:
        wait_for_line(server, "loaded a model before its policy switches to it", seen)
    assert score(api) == 'vader' and now() < opens
    time.sleep((opens - now()).total_seconds())
    assert score(api) == 'finbert'
    return (now() - opens).total_seconds()


def device_seconds(api):
    found = api.get('/v1/usage?group_by=model').json['items']
    return sum(item['device_seconds'] for item in found if item['model'])


def seconds_while_vader(api, source):
    """Device-seconds that 2,000 texts take while the policy says VADER."""
    put_policy(api, (now() + datetime.timedelta(minutes=30)).replace(microsecond=0))
    time.sleep(11)  # usage is counted every five seconds
    before = device_seconds(api)
    job = api.post('/v1/jobs', {'kind': 'sentiment', 'args': {'policy': 'desk', 'texts': desk.texts_of(source, 2000)}}).json['id']
    assert api.wait(job, 600)['state'] == 'succeeded'
    time.sleep(11)
    return device_seconds(api) - before


def deviation_of_charges(server, teams, source):
    """The largest, of a team's share of the seconds from its share of the tokens; all tasks are in one claim."""
    server.run('queue', 'pause', '--class', 'cpu', '--reason', 'a benchmark')
    jobs = [(api, api.post('/v1/jobs', {'kind': 'sentiment', 'args': {'model': 'finbert', 'texts': desk.texts_of(source, number % 3 + 1)}}).json['id'])
            for number, api in enumerate(teams)]
    server.run('queue', 'resume', '--class', 'cpu')
    tokens, seconds = [], []
    for api, job in jobs:
        assert api.wait(job, 600)['state'] == 'succeeded'
        tokens.append(sum(row['tokens'] for row in api.results(job)))
        attempts = api.get(f'/v1/jobs/{job}/attempts').json['items']
        seconds.append(sum(attempt['seconds'] for attempt in attempts if not attempt['merge']))
    return max(abs(s / sum(seconds) - t / sum(tokens)) / (t / sum(tokens)) for s, t in zip(seconds, tokens))


def sessions_of(api):
    """The hours of regular trading of every day, as previews tell them."""
    definition = {'model': 'vader', 'rules': [{'markets': ['open'], 'model': 'vader'}]}
    hours = {}
    day = datetime.datetime(YEARS[0], 1, 1, tzinfo=UTC)
    while day.year in YEARS:
        answer = api.post('/v1/policy-previews', {'definition': definition, 'at': day.isoformat(), 'days': 31}).json
        for span in answer['spans']:
            if span['market'] == 'regular':
                begin, end = (datetime.datetime.fromisoformat(span[name].replace('Z', '+00:00')) for name in ('from', 'until'))
                hours[begin.date()] = max(hours.get(begin.date(), 0), (end - begin).total_seconds() / 3600)
        day += datetime.timedelta(days=28)  # spans at an end are cut
    return hours


def days_as_published(api):
    """How many holidays and early closes are right, how many there are, and days that are wrong beside them."""
    hours = sessions_of(api)
    with CALENDAR.open(encoding='utf-8') as file:
        special = {datetime.date.fromisoformat(row['date']): row['type'] for row in csv.DictReader(line for line in file if not line.startswith('#'))
                   if int(row['date'][:4]) in YEARS}
    expected = lambda day: 0 if special.get(day) == 'closed' or day.weekday() > 4 else 3.5 if day in special else 6.5
    days = [datetime.date(YEARS[0], 1, 1) + datetime.timedelta(days=n) for n in range(366 * len(YEARS))]
    wrong = {day for day in days if day.year in YEARS and hours.get(day, 0) != expected(day)}
    return len(special) - len(wrong & special.keys()), len(special), len(wrong - special.keys())


def main():
    options = results.arguments(rounds=5, programs=True).parse_args()
    results.programs_of(options, 'plimsoll', 'plimsoll-engine')
    from harness import PATIENCE, Server  # after programs_of, which says where the programs are
    source = desk.fuzz.Texts(5)
    rows = []
    late = {}
    os.environ['GPU_CLEANUP_INTERVAL_SEC'] = '1'
    for warm in (True, False):
        os.environ['PREOPEN_WARMUP_HOURS'] = '2' if warm else '0'
        with Server(limits__requests_per_minute='0', limits__team_requests_per_minute='0') as server:
            api = server.api()
            desk.install(server, source)
            until = time.monotonic() + PATIENCE
            while len(api.get('/v1/models').json['items']) < 1 + len(desk.SHAPES):
                assert time.monotonic() < until, 'no worker offers the models'
                time.sleep(0.1)
            put_policy(api, now().replace(microsecond=0))
            score(api)  # compiles
            late[warm] = [seconds_late(server, api, warm) for _ in range(options.rounds)]
            print('warm:' if warm else 'cold:', [round(one, 3) for one in late[warm]])
            if not warm:
                continue
            seconds = max(seconds_while_vader(api, source), 0.0)
            teams = [desk.team_api(server, f'team{number}') for number in range(4)]
            deviation = max(deviation_of_charges(server, teams, source) for _ in range(options.rounds))
            right, special, wrong = days_as_published(api)
            print(f'{right} of {special} holidays and early closes, {wrong} other days wrong')
            rows += [results.entry_of_none('device-seconds while the policy says VADER', 'desk', round(seconds, 6), 's', rounds=1, command=COMMAND),
                     results.entry_of_least('charge per team against its tokens, largest deviation', 'desk', max(round(deviation * 1e6, 3), 1e-3),
                                            'ppm', most=1, must=1, stretch=1, rounds=options.rounds, command=COMMAND),
                     results.entry(f'NYSE: holidays and early closes of {YEARS[0]} to {YEARS[-1]}', 'desk', right - wrong, 'days', peer='published',
                                   peer_value=special, must=1, rounds=1, command=COMMAND)]
    rows += [results.entry_of_least('first score after a switch, warm model: late by', 'desk', round(statistics.median(late[True]), 3), 's', most=1,
                                    must=1, stretch=10, rounds=options.rounds, command=COMMAND),
             results.entry('first score after a switch, model not loaded: late by', 'desk', round(statistics.median(late[False]), 3), 's',
                           rounds=options.rounds, command=COMMAND)]
    results.publish(rows, options)


if __name__ == '__main__':
    main()
