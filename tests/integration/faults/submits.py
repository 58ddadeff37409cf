"""Submits with keys from eight clients, through a gate that cuts connections: every submit creates exactly one job.

    tests/integration/faults/submits.py [--jobs 10000] [--seed N]
"""

import argparse
import random
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from patience import Api, check_jobs, submit

from gate import Gate
from harness import Server

CLIENTS = 8


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--jobs', type=int, default=10_000)
    parser.add_argument('--seed', type=int, default=random.randrange(10**6))
    given = parser.parse_args()
    print('seed', given.seed, flush=True)
    coin = random.Random(given.seed)
    with Server() as server:
        api = server.api()
        # A request and its answer have about 2,500 bytes together.
        gate = Gate(('127.0.0.1', urlsplit(server.base).port), fuse=lambda: coin.choice((None, coin.randrange(1, 3000))))
        cut_off = Api(f'http://127.0.0.1:{gate.port}', api.token, checked=False)
        keys = [f'{given.seed}-{n}' for n in range(given.jobs)]
        with ThreadPoolExecutor(CLIENTS) as pool:
            ids = list(pool.map(lambda key: submit(lambda: cut_off, key, [f'good {key}']), keys))
        gate.close()
        assert len(set(ids)) == given.jobs
        check_jobs(api, dict(zip(keys, ids)), lambda key: [key])
    assert gate.cuts > given.jobs / 10, gate.cuts
    print(f'{given.jobs} jobs by {gate.connections} connections, {gate.cuts} of them cut')


if __name__ == '__main__':
    main()
