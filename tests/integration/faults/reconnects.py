"""Followers of events whose streams are cut again and again: each hears each event once, in order.

    tests/integration/faults/reconnects.py [--reconnects 1000] [--seed N]
"""

import argparse
import http.client
import random
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from patience import ask, submit, until

from gate import Gate
from harness import Server

FOLLOWERS = 8


class Follower:
    """Follows one job's numbered events to the end of the stream, through cuts, as a browser would."""

    def __init__(self, port, token, job):
        self.port, self.token, self.job, self.seen, self.connections = port, token, job, [], 0

    def follow(self):
        until(self.connect, f'events of {self.job}')
        return self

    def connect(self):
        """True when the server says that nothing more will come."""
        self.connections += 1
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        headers = {'Authorization': 'Bearer ' + self.token, 'Accept': 'text/event-stream'}
        if self.seen:
            headers['Last-Event-ID'] = str(self.seen[-1][0])
        try:
            connection.request('GET', f'/v1/jobs/{self.job}/events', headers=headers)
            answer = connection.getresponse()
            if answer.status == 204:
                return True
            assert answer.status in (200, 429, 503), answer.status
            if answer.status == 200:
                self.read(answer)
            # 429: the server has not heard yet that earlier streams were cut. 503: its database is away.
        finally:
            connection.close()
        return None

    def read(self, answer):
        fields = {}
        while line := answer.readline():
            name, _, value = line.decode().rstrip('\r\n').partition(': ')
            if name:
                fields[name] = value
                continue
            if 'id' in fields:  # only a blank line makes an event of what came
                self.seen.append((int(fields['id']), fields['event']))
            fields = {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--reconnects', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=random.randrange(10**6))
    given = parser.parse_args()
    print('seed', given.seed, flush=True)
    coin = random.Random(given.seed)
    reconnects, jobs = 0, 0
    with Server() as server, ThreadPoolExecutor(FOLLOWERS) as pool:
        api = server.api()
        gate = Gate(('127.0.0.1', urlsplit(server.base).port), fuse=lambda: coin.randrange(200, 2000))
        while reconnects < given.reconnects:
            ids = [submit(lambda: api, f'{jobs + n}', ['good'] * 2000) for n in range(FOLLOWERS)]
            jobs += len(ids)
            for follower in pool.map(lambda id: Follower(gate.port, api.token, id).follow(), ids):
                events = ask(api, f'/v1/jobs/{follower.job}/events').json['items']
                assert follower.seen == [(e['number'], e['type']) for e in events], (follower.seen, events)
                assert follower.seen[-1][1] == 'finished'
                reconnects += follower.connections - 1
        gate.close()
    print(f'{reconnects} reconnects, {gate.cuts} cuts, {jobs} jobs: no event lost, none twice')


if __name__ == '__main__':
    main()
