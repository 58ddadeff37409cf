"""A waves job through a real server and its workers: from POST /v1/jobs on an uploaded dataset to succeeded, when all
counts are ranked and judged and all results written."""
import os
import pathlib
import time

import results


def processor_seconds(pids):
    """Of these processes and of their children that have ended."""
    ticks = 0
    for pid in pids:
        try:
            fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf('SC_CLK_TCK')


def run(prices, settings, rounds, folder=None):
    """Seconds by the clock, and of the processor, of each round. `folder`: of built programs; else a release."""
    os.environ['PLIMSOLL_BIN'] = str((folder or results.release('plimsoll', 'plimsoll-engine')).resolve())
    from harness import Server, descendants  # finds the programs when it is loaded

    body = prices.read_bytes()
    taken = []
    with Server() as server:
        api = server.api()
        dataset = api.post('/v1/datasets', {'name': 'bench', 'format': 'csv', 'bytes': len(body)}).json
        while dataset['state'] == 'uploading':
            at = dataset['bytes_received']
            dataset = api.send('PUT', f"/v1/datasets/{dataset['id']}/content?offset={at}", body[at:at + (8 << 20)],
                               headers={'Content-Type': 'application/octet-stream'}).json
        for _ in range(rounds):
            pids = [server.process.pid, *descendants(server.process.pid), *database(server)]
            before, start = processor_seconds(pids), time.perf_counter()
            job = api.post('/v1/jobs', {'kind': 'waves', 'args': {'dataset': dataset['id'], **settings}}).json['id']
            ended = api.wait(job, 3600)
            seconds = time.perf_counter() - start
            assert ended['state'] == 'succeeded' and ended['progress']['items_failed'] == 0, ended
            taken.append((seconds, processor_seconds(pids) - before))
    return taken


def database(server):
    """The server's PostgreSQL, which is no child of it."""
    from harness import descendants
    postmaster = server.postmaster()
    return [postmaster, *descendants(postmaster)]
