"""Invariants of the database between any two transactions. Each query returns the rows that violate one."""

from psycopg.rows import tuple_row

# The tables themselves check no words, and nothing else that a statement must hold: see migrations/versions/0001_baseline/30_jobs.sql.
JOB_STATES = ('scheduled', 'queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled')
RESULT_STATES = ('done', 'quarantined')
OUTCOMES = ('retry', 'final', 'worker_died', 'worker_lost')
QUOTA_PERIODS = ('hour', 'day', 'week', 'month')
EVENT_TYPES = ('queued', 'started', 'retried', 'quarantined', 'cancelling', 'finished', 'redriven')

INVARIANTS = {
    'a task is in exactly one place': """
        select t.job_id, t.seq, j.state, p.places from job_task t join job j on j.id = t.job_id
        left join (
          select job_id, task, count(*) places, count(*) filter (where not ended) open_places from (
            select job_id, task, false ended from ready
            union all select s.job_id, t.seq, false from scheduled s join job_task t on t.job_id = s.job_id and (s.task is null or s.task = t.seq)
            union all select u.job_id, u.task, false from lease l cross join unnest(l.jobs, l.tasks) u(job_id, task)
            union all select job_id, seq, true from result) x
          group by 1, 2) p on p.job_id = t.job_id and p.task = t.seq
        where case when j.finished_at is null and j.state <> 'cancelling' then coalesce(p.places, 0) <> 1
          else coalesce(p.places, 0) > 1 or (j.finished_at is not null and coalesce(p.open_places, 0) > 0) end""",
    'a merge task is open exactly while its job has no other task left': """
        select j.id, j.state, j.tasks_left, m.n from job j left join (
          select job_id, task, count(*) n from (
            select job_id, task from ready union all select job_id, task from scheduled
            union all select u.job_id, u.task from lease l cross join unnest(l.jobs, l.tasks) u(job_id, task)) x group by 1, 2) m
          on m.job_id = j.id and m.task = j.tasks_total
        where case when j.finished_at is null and j.state <> 'cancelling' then coalesce(m.n, 0) <> (j.tasks_left = 0)::int
          else coalesce(m.n, 0) > (j.state = 'cancelling')::int end""",
    'counters of a job equal its results': """
        select j.id, j.tasks_left, r.n, j.items_ok, r.ok, j.items_failed, r.failed from job j left join (
          select job_id, count(*) n, sum(items_ok) ok, sum(items_failed) failed, count(*) filter (where state = 'quarantined') bad
          from result group by 1) r on r.job_id = j.id
        where (j.tasks_total - j.tasks_left, j.items_ok, j.items_failed, j.tasks_quarantined) is distinct from
          (coalesce(r.n, 0), coalesce(r.ok, 0), coalesce(r.failed, 0), coalesce(r.bad, 0))""",
    'events are numbered without gaps': """
        select j.id, j.last_event, e.n, e.top from job j join (select job_id, count(*) n, max(n) top from job_event group by 1) e on e.job_id = j.id
        where e.n <> j.last_event or e.top <> j.last_event""",
    'the jobs that have not succeeded are listed': """
        select coalesce(j.id, s.job_id) job, j.state, s.standing
        from (select id, team_id, case when finished_at is null then 'unfinished' else state end state from job where state <> 'succeeded') j
        full join job_standing s on s.job_id = j.id and s.team_id = j.team_id and s.standing = j.state where j.id is null or s.job_id is null""",
    'states, types and sizes are those there are': f"""
        select 'job', id::text from job where state not in {JOB_STATES}
          or (finished_at is not null) <> (state in ('succeeded', 'failed', 'cancelled')) or tasks_total < 1 or not (merge or tasks_total = 1)
          or timeout_seconds <= 0 or length(unique_key) not between 1 and 255 or items_ok + items_failed > items_total or tasks_left < 0
        union all select 'task', job_id::text from job_task where est_seconds <= 0 or items < 0
        union all select 'result', job_id::text from result where state not in {RESULT_STATES}
        union all select 'attempt', job_id::text from attempt where outcome not in {OUTCOMES}
        union all select 'account', account_id::text from account_state where slots < 0 or cap < 0 or not weight > 0 or not quota_seconds > 0
          or quota_period not in {QUOTA_PERIODS} or cardinality(lanes) <> cardinality(heads) or cardinality(lanes) <> cardinality(counts)
        union all select 'event', job_id::text from event where n < 2 or type not in {EVENT_TYPES}
        union all select 'audit', action from audit_event where action !~ '^[a-z_]+[.][a-z_]+$'""",
    'a job has a report if it succeeded, or every item failed': """
        select j.id from job j where (j.state = 'succeeded' or j.state = 'failed' and j.error = 'Every item failed.') <> exists (select from report r where r.job_id = j.id)""",
    'no ready row stands at or before its lane\'s head, and lanes are counted': """
        select coalesce(r.lane_id, s.lane_id) lane, r.n, s.n counted, r.first, s.head
        from (select lane_id, count(*) n, min(seq) first from ready group by 1) r
        full join (select u.* from account_state a cross join unnest(a.lanes, a.heads, a.counts) u(lane_id, head, n)) s on s.lane_id = r.lane_id
        where r.n is distinct from s.n or r.first <= s.head""",
    'an account counts its ready tasks and its slots': """
        select a.account_id, a.ready, c.n, a.slots, h.n from account_state a
        left join (select account_id, sum(n) n from account_state b cross join unnest(b.counts) u(n) group by 1) c on c.account_id = a.account_id
        left join (select account_id, count(distinct worker_id) n from lease l cross join unnest(l.accounts) u(account_id) group by 1) h
          on h.account_id = a.account_id
        where a.ready <> coalesce(c.n, 0) or a.slots <> coalesce(h.n, 0)""",
    'an account has one state row, and never more slots than its cap': """
        select a.id, count(s.account_id) from account a left join account_state s on s.account_id = a.id
        group by 1 having count(s.account_id) <> 1 or bool_or(s.slots > s.cap)""",
    'the class clock is a lower bound of every account that could run': """
        select s.account_id, s.vtime, c.vclock from account_state s join class_state c on c.class_id = s.class_id
        where s.ready > 0 and s.slots < s.cap and not s.paused and not s.over_quota and s.vtime < c.vclock""",
    'a lease belongs to a worker\'s current epoch and is not below its oldest fence': """
        select l.fence, l.worker_id, l.epoch, w.epoch, w.oldest_fence, w.state from lease l join worker w on w.id = l.worker_id
        where l.epoch <> w.epoch or l.fence < w.oldest_fence or w.state <> 'active'""",
    'a lease names the accounts of its tasks': """
        select l.fence from lease l cross join unnest(l.lanes, l.accounts) u(lane_id, account_id) join lane n on n.id = u.lane_id
        where n.account_id <> u.account_id
        union all select l.fence from lease l where l.holders @> l.accounts is not true or l.accounts @> l.holders is not true
          or cardinality(l.holders) <> (select count(distinct a) from unnest(l.accounts) a)""",
    'what a job used has been counted, or will be': """
        select j.id, j.charged_seconds, u.seconds from job j left join usage_job u on u.job_id = j.id
        where (j.charged_seconds, j.tasks_total - j.tasks_left - j.tasks_quarantined, j.items_ok)
            is distinct from (coalesce(u.seconds, 0), coalesce(u.tasks, 0), coalesce(u.items, 0))
          and j.id not in (select unnest(jobs) from usage_touch)""",
    'hours of use hold at least what their jobs used': """
        select team_id, user_id, kind, h.seconds, u.seconds
        from (select j.team_id, j.user_id, j.kind, sum(u.seconds) seconds, sum(u.tasks) tasks, sum(u.items) items
          from usage_job u join job j on j.id = u.job_id group by 1, 2, 3) u
        left join (select team_id, user_id, kind, sum(seconds) seconds, sum(tasks) tasks, sum(items) items from usage_hour group by 1, 2, 3) h
          using (team_id, user_id, kind)
        where coalesce(h.seconds, 0) < u.seconds * (1 - 1e-9) or coalesce(h.tasks, 0) < u.tasks or coalesce(h.items, 0) < u.items""",
}


def broken(queue):
    """The invariants that do not hold, with the first rows that break them. One snapshot for all."""
    found = {}
    with queue.connection.transaction():
        queue.connection.execute('set transaction isolation level repeatable read')
        queue.connection.execute('set local enable_nestloop = off')  # the tables are too young for statistics
        for name, sql in INVARIANTS.items():
            if rows := queue.connection.cursor(row_factory=tuple_row).execute(sql + ' limit 3').fetchall():
                found[name] = rows
    return found
