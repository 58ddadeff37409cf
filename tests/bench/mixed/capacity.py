#!/usr/bin/env python3
"""What jobs, texts and event streams cost, in what another load of the machine hardly changes: processor time of server,
PostgreSQL and worker, bytes of the database, memory of the server, and connections. deploy/SCALING.md reckons with it.

    tests/bench/mixed/capacity.py [--jobs N] [--lines N] [--bin FOLDER] [--record]
"""
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/integration')]
import results  # noqa: E402
from run import POST, STREAMS, Mixed, memory_and_files  # noqa: E402

TICKS = os.sysconf('SC_CLK_TCK')
SECONDS = 20  # of submits
RATE = 100  # a second


class Costs:
    """Processor seconds of the server, its PostgreSQL and its workers since they were asked last."""

    def __init__(self, server):
        from harness import descendants
        self.server, self.descendants = server, descendants
        self.before = self.read()

    def read(self):
        postmaster = self.server.postmaster()
        groups = {'server': [self.server.process.pid], 'PostgreSQL': [postmaster, *self.descendants(postmaster)],
                  'worker': self.server.children('plimsoll-engine', 'worker')}
        told = {}
        for name, pids in groups.items():
            told[name] = 0
            for pid in pids:
                with contextlib.suppress(FileNotFoundError):  # it ended, and its parent has its time
                    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
                    told[name] += sum(map(int, fields[11:15 if pid == postmaster else 13])) / TICKS
        return told

    def take(self):
        now = self.read()
        told = {name: now[name] - self.before[name] for name in now}
        self.before = now
        return told


def database(server, sql):
    where = f"host={server.folder / 'data/run'} user=plimsoll_superuser dbname=plimsoll"
    return int(subprocess.check_output(['psql', '-qXAt', where, '-c', sql], text=True))


def main():
    arguments = results.arguments(rounds=3, programs=True)
    arguments.add_argument('--lines', type=int, default=1_000_000)
    options = arguments.parse_args()
    programs = results.programs_of(options, 'plimsoll', 'plimsoll-engine', 'http_request_loop')
    from harness import Server  # finds the programs when it is loaded

    size = 'select pg_database_size(current_database())'
    connections = "select count(*) from pg_stat_activity where usename like 'plimsoll_%' and pid <> pg_backend_pid() and backend_type = 'client backend'"
    with Server(limits__requests_per_minute='0', limits__team_requests_per_minute='0', limits__connections_per_network='4096') as server:
        mixed = Mixed(server, programs, options.lines)
        per_job, per_text, reads, bytes_of_job, bytes_of_text = [], [], [], [], []
        memory = lambda: memory_and_files({'serve': server.process.pid})['serve'][0]
        for n in range(options.rounds):
            before, costs = database(server, size), Costs(server)
            jobs = json.loads(mixed.loop('/v1/jobs', mixed.users[0], 8, SECONDS, RATE, POST).communicate()[0])['answered']
            mixed.accepted += jobs
            assert mixed.lost() == 0
            per_job.append({name: seconds / jobs * 1e6 for name, seconds in costs.take().items()})
            bytes_of_job.append((database(server, size) - before) / jobs)
            before = database(server, size)
            costs.take()
            mixed.api.wait(mixed.large(mixed.dataset))
            per_text.append({name: seconds / options.lines * 1e6 for name, seconds in costs.take().items()})
            bytes_of_text.append((database(server, size) - before) / options.lines)
            costs.take()
            answered = json.loads(mixed.loop(f'/v1/jobs/{mixed.read}', mixed.api.token, 8, SECONDS // 2, 1000).communicate()[0])['answered']
            reads.append(costs.take()['server'] / answered * 1e6)
            print(f'round {n + 1}: microseconds a job {per_job[-1]}, a text {per_text[-1]}, a read {reads[-1]:.1f}; bytes a job {bytes_of_job[-1]:.0f}, '
                  f'a text {bytes_of_text[-1]:.0f}', flush=True)
        held = memory()
        streams = mixed.streams(mixed.waiting, range(STREAMS))
        streamed = (memory() - held) / STREAMS * 1024
        opened = database(server, connections)
        streams.close()
        workers = len(server.children('plimsoll-engine', 'worker'))
    print(f'{opened} connections of a server and {workers} workers')
    how = {'rounds': options.rounds, 'command': 'tests/bench/mixed/capacity.py --record'}
    middle = lambda rounds, name: round(statistics.median(one[name] for one in rounds), 2)
    results.publish([
        *(results.entry(f'capacity: a submitted job of one text, {name}', 'capacity', middle(per_job, name), 'µs of processor', **how) for name in per_job[0]),
        *(results.entry(f'capacity: a text of a job of {options.lines:,} on a dataset, {name}', 'capacity', middle(per_text, name), 'µs of processor', **how) for name in per_text[0]),
        results.entry('capacity: GET /v1/jobs/{id}, server', 'capacity', round(statistics.median(reads), 1), 'µs of processor', **how),
        results.entry('capacity: a finished job of one text, database', 'capacity', round(statistics.median(bytes_of_job)), 'bytes', **how),
        results.entry('capacity: a text of a finished job on a dataset, database', 'capacity', round(statistics.median(bytes_of_text)), 'bytes', **how),
        results.entry('capacity: an open event stream, server', 'capacity', round(streamed, 1), 'KB of memory', **how),
        results.entry(f'capacity: connections of a server and {workers} workers to PostgreSQL', 'capacity', opened, 'connections', **how)], options)


if __name__ == '__main__':
    main()
