"""A database as a release leaves it: rows of every sort, put in through the queue's own functions, and its dump. deploy/release/freeze
runs this in a throw-away cluster; upgrade_test.py looks for the rows after an upgrade."""
import datetime
import gzip
import os
import pathlib
import subprocess

from queue_client import Queue, connect, job, task

PEOPLE = """
    insert into app_user (name, email, is_admin) values ('ada', 'ada@example.org', true), ('grace', null, false);
    insert into membership (team_id, user_id, role) select t.id, u.id, 'owner' from team t, app_user u where u.name = 'ada';
    insert into token (team_id, user_id, name, hash, hint, scopes)
      select t.id, u.id, 'laptop', sha256('secret'), 'plm_', '{jobs:read}' from team t, app_user u where u.name = 'ada' and t.name = 'first';
    insert into webhook (team_id, user_id, name, url, secret) select id, 1, 'hook', 'https://example.org/', sha256('key') from team where name = 'first';
    insert into schedule (team_id, user_id, name, spec, cron, time_zone, misfire, misfire_limit, overlap, next_at)
      select id, 1, 'nightly', '{}', '30 2 * * *', 'Europe/Berlin', 'once', 1, 'skip', now() from team where name = 'first';
    insert into dataset (team_id, user_id, name, format, state, bytes_total, bytes_received, columns, records, chunks)
      select id, 1, 'texts', 'csv', 'ready', 10, 10, '{text}', 1, 1 from team where name = 'first';
    insert into dataset_chunk (dataset_id, seq, team_id, first_record, records, failed, bytes, content)
      select id, 0, team_id, 0, 1, 0, 10, 'x' from dataset;
    insert into team_record (team_id, collection, section, name, data, user_id)
      select id, 'gpu_profile', '', 'our_card', '{"memory_gb": 24}', 1 from team where name = 'first';
"""
JOB_STATES = ('scheduled', 'queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled')


def fill(queue):
    queue.rows('select ensure_partitions()')
    first, second = queue.make_team('first'), queue.make_team('second')
    queue.connection.execute(PEOPLE)
    cpu, host = queue.register('cpu'), queue.register('host', 'host')
    queue.set_share(first, weight=2.0, cap=4, quota=3600.0)
    submit = lambda *jobs: [row.job_id for row in queue.enqueue(*jobs)]

    [done] = submit(job(first, [task(2), task(3)], labels='{"run": "a"}', key='once', fingerprint=b'f', name='finished'))
    queue.complete(cpu, queue.claim(cpu))
    queue.complete(host, queue.claim(host), partial=b'{"report": true}')
    [broken] = submit(job(first, merge=False, name='broken'))
    queue.complete(cpu, queue.claim(cpu), outcome='final', error='no such model')
    [stopped] = submit(job(second, name='stopped'))
    queue.cancel(second, stopped)
    [running, stopping] = submit(job(first, 3, name='running', unique='only one'), job(second, 2, name='stopping'))
    held = queue.claim(cpu, tasks=16)
    queue.cancel(second, stopping)
    tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    submit(job(first, name='later', run_at=tomorrow, deadline=tomorrow + datetime.timedelta(hours=1), timeout=60.0),
           job(second, 5, name='waiting', priority=3))
    queue.hold('device_class', 'gpu')
    queue.rows("""insert into team_record (team_id, user_id, job_id, collection, section, name, data)
        values (%s, 1, %s, 'baseline', 'profile', 'of one device', '{}') returning id""", first, done)
    states = {row.state for row in queue.rows('select state from job')}
    assert states == set(JOB_STATES), states
    assert running and broken and held


def dump_of(url):
    text = subprocess.run(['pg_dump', url], check=True, capture_output=True).stdout
    # pg_dump's key of the day, and nothing else, would differ from one dump to the next.
    return b''.join(line for line in text.splitlines(keepends=True) if not line.startswith((b'\\restrict', b'\\unrestrict')))


def keep(dump, path):
    path.write_bytes(gzip.compress(dump, mtime=0))


if __name__ == '__main__':
    fill(Queue(connect()))
    keep(dump_of(os.environ['PLIMSOLL_TEST_DATABASE_URL']), pathlib.Path(os.environ['PLIMSOLL_UPGRADE_DUMP']))
