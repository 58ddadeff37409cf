"""Puts rows of every sort into a schema, through the queue's own functions: jobs in each state, leases, schedules, shares,
quotas, holds, people, webhooks, datasets, baselines. upgrade_test.py looks for them after an upgrade.
"""
import datetime

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
    insert into gpu_profile (team_id, id, definition, user_id) select id, 'our_card', '{"memory_gb": 24}', 1 from team where name = 'first';
"""
JOB_STATES = ('scheduled', 'queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled')


def fill(compared):
    """`compared` names the column by which measurements and baselines are compared."""
    queue = Queue(connect())
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
    for table, rest in (('report_baseline', "job_id, summary) values (%s, 1, 'profile', 'of one device', %s, '{}')"),):
        queue.rows(f'insert into {table} (team_id, user_id, kind, {compared}, {rest} returning id', first, done)
    queue.rows(f"""insert into training_measurement (team_id, user_id, job_id, {compared}, predicted_bytes, measured_bytes, data)
        values (%s, 1, %s, 'bert fp32', 10, 11, json_build_object('{compared}', 'bert fp32', 'batch', 4)) returning id""", first, done)
    states = {row.state for row in queue.rows('select state from job')}
    assert states == set(JOB_STATES), states
    assert running and broken and held
