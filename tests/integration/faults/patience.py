"""A client that retries after every fault, and a final check through the API."""

import http.client
import json
import pathlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / 'support')]
from harness import Api  # noqa: E402

PATIENCE = 600  # seconds; a longer wait is a bug


def until(answer, what):
    """The first answer that is not None; a fault is no answer."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        try:
            if (found := answer()) is not None:
                return found
        except (OSError, http.client.HTTPException, ValueError):
            pass  # cut, refused or half an answer
    raise AssertionError(f'no end of trying: {what}')


def submit(api, key, texts):
    """The id of the job with this key, however often it has to be asked for."""
    body = {'kind': 'sentiment', 'name': key, 'args': {'texts': texts}}

    def once():
        reply = api().post('/v1/jobs', body, headers={'Idempotency-Key': key}, timeout=60)
        assert reply.status in (202, 503), (reply.status, reply.body[:500])
        return reply.json['id'] if reply.status == 202 else None

    return until(once, f'submit of {key}')


def ask(api, path):
    """The answer to a GET; a connection of the server's that died with the last fault is no answer."""
    return until(lambda: reply if (reply := api.get(path)).status == 200 else None, path)


def every_job(api):
    found, cursor = [], ''
    while cursor is not None:
        page = ask(api, f'/v1/jobs?limit=200{cursor}').json
        found += page['items']
        cursor = f"&cursor={page['next_cursor']}" if page['next_cursor'] else None
    return found


def check_jobs(api, acknowledged, texts_of):
    """Every acknowledged job exists once, ended, and has a complete history. acknowledged: key → id.
    Answers how many jobs had a text given up: after three deaths of a worker on it, and for no other reason."""
    with ThreadPoolExecutor(8) as pool:
        ended = dict(zip(acknowledged.values(), pool.map(lambda id: api.wait(id, PATIENCE), acknowledged.values())))
        listed = every_job(api)
        assert len(listed) == len(acknowledged), f'{len(listed)} jobs of {len(acknowledged)} submits'
        assert {job['name']: job['id'] for job in listed} == acknowledged
        return sum(pool.map(lambda key: check_story(api, ended[acknowledged[key]], texts_of(key)), acknowledged))


def check_story(api, job, texts):
    events = ask(api, f"/v1/jobs/{job['id']}/events?limit=200").json['items']
    types = [event['type'] for event in events]
    assert [event['number'] for event in events] == list(range(1, len(events) + 1)), events
    assert types[0] == 'submitted' and types[-1] == 'finished' and types.count('finished') == 1, types
    assert types.count('started') <= 1, types
    given_up = 'quarantined' in types
    assert given_up or job['state'] == 'succeeded', job
    assert not given_up or 'retried' in types, types
    rows = []
    if job['state'] == 'succeeded':
        rows = [json.loads(line) for line in ask(api, f"/v1/jobs/{job['id']}/results.jsonl").body.splitlines()]
    if job['state'] == 'succeeded':
        assert [row['index'] for row in rows] == list(range(len(texts))), (job, rows)
        assert all(row['error'] is None for row in rows) or given_up, rows
    assert job['progress']['items_done'] == len(texts), job
    return given_up


__all__ = ['Api', 'check_jobs', 'every_job', 'submit', 'until']
