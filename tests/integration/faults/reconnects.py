"""Followers of events whose streams are cut again and again: each receives every event once, in order.

    tests/integration/faults/reconnects.py [--reconnects 1000] [--seed N]
"""

import argparse
import random
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from follower import Follower
from patience import ask, submit

from gate import Gate
from harness import Server

FOLLOWERS = 8


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
            for follower in pool.map(lambda id: Follower(lambda: gate.port, api.token, id).follow(), ids):
                events = ask(api, f'/v1/jobs/{follower.job}/events').json['items']
                assert follower.seen == [(e['number'], e['type']) for e in events], (follower.seen, events)
                assert follower.seen[-1][1] == 'finished'
                reconnects += follower.connections - 1
        gate.close()
    print(f'{reconnects} reconnects, {gate.cuts} cuts, {jobs} jobs: no event lost, none twice')


if __name__ == '__main__':
    main()
