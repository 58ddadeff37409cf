-- The team's jobs. Run in a transaction that has set app.team_id. Ids are 64-bit.

-- name: jobs.get (prepared)
-- Those of the jobs $1 that exist. Index job_<day>_pkey of their days.
select * from plimsoll.read_jobs($1::bigint[]);

-- name: jobs.list
-- Newest first. $1 only ids below (null: from the newest), $2 kind, $3 state (null: any), $4 limit.
-- Index job_kind or job_team backwards, partition by partition.
select null::bigint as examined_to, j.id, j.team_id, j.user_id, u.name as submitter_name, j.kind, j.kind_version, j.name, j.labels, j.device_class, j.priority,
  j.state, j.args,
  j.items_total, j.items_ok + j.items_failed as items_done, j.items_failed, j.tasks_total, j.tasks_total - j.tasks_left as tasks_done,
  j.tasks_quarantined as tasks_failed, j.retries, j.last_error, j.error,
  j.unique_key, j.created_at, j.run_at, j.deadline, j.timeout_seconds, j.started_at, j.finished_at, j.revision,
  j.schedule_id, s.name as schedule_name, j.due_at, j.tokens_done
from plimsoll.job j left join plimsoll.app_user u on u.id = j.user_id left join plimsoll.schedule s on s.id = j.schedule_id
where j.id < coalesce($1::bigint, 9223372036854775807)
  and ($2::text is null or j.kind = $2) and ($3::text is null or j.state = $3)
order by j.id desc limit $4::int;

-- name: jobs.list_standing
-- As jobs.list, for a state that few jobs have. $5 its standing. Index job_standing_<day>_pkey backwards.
select null::bigint as examined_to, j.id, j.team_id, j.user_id, u.name as submitter_name, j.kind, j.kind_version, j.name, j.labels, j.device_class, j.priority,
  j.state, j.args,
  j.items_total, j.items_ok + j.items_failed as items_done, j.items_failed, j.tasks_total, j.tasks_total - j.tasks_left as tasks_done,
  j.tasks_quarantined as tasks_failed, j.retries, j.last_error, j.error,
  j.unique_key, j.created_at, j.run_at, j.deadline, j.timeout_seconds, j.started_at, j.finished_at, j.revision,
  j.schedule_id, s.name as schedule_name, j.due_at, j.tokens_done
from plimsoll.job_standing n join plimsoll.job j on j.id = n.job_id left join plimsoll.app_user u on u.id = j.user_id
  left join plimsoll.schedule s on s.id = j.schedule_id
where n.standing = $5::text and n.job_id < coalesce($1::bigint, 9223372036854775807)
  and ($2::text is null or j.kind = $2) and j.state = $3::text
order by n.job_id desc limit $4::int;

-- name: jobs.list_labelled
-- As jobs.list, for jobs with a label. $3 state, $5 label key, $6 label value (null: any).
-- Index job_label_value or job_label_key backwards, then job_<day>_pkey.
select null::bigint as examined_to, j.id, j.team_id, j.user_id, u.name as submitter_name, j.kind, j.kind_version, j.name, j.labels, j.device_class, j.priority,
  j.state, j.args,
  j.items_total, j.items_ok + j.items_failed as items_done, j.items_failed, j.tasks_total, j.tasks_total - j.tasks_left as tasks_done,
  j.tasks_quarantined as tasks_failed, j.retries, j.last_error, j.error,
  j.unique_key, j.created_at, j.run_at, j.deadline, j.timeout_seconds, j.started_at, j.finished_at, j.revision,
  j.schedule_id, s.name as schedule_name, j.due_at, j.tokens_done
from plimsoll.job_label l join plimsoll.job j on j.id = l.job_id left join plimsoll.app_user u on u.id = j.user_id
  left join plimsoll.schedule s on s.id = j.schedule_id
where l.job_id < coalesce($1::bigint, 9223372036854775807) and l.key = $5::text and ($6::text is null or l.value = $6)
  and ($2::text is null or j.kind = $2) and ($3::text is null or j.state = $3)
order by l.job_id desc limit $4::int;

-- name: jobs.search
-- As jobs.list, by conditions without an index: at most the newest $15 jobs are examined, and examined_to is the last
-- of them, null if there are no older ones. A row without an id: none was found. $1 only ids below, $2 only ids from,
-- $3 kind, $4 standing, $5 state, $6 limit, $7 label key, $8 label value (null: any), $9 submitter's id, $10 submitter's
-- name, $11 created from, $12 created before, $13 device class, $14 patterns that name, labels, kind and short arguments
-- must all match, $16 node and $17 device that ran a task of it.
-- Index job_standing_<day>_pkey, job_kind or job_team backwards.
with examined as materialized (
  (select j.id, j.state, j.user_id, j.kind, j.name, j.labels, j.device_class, j.args, j.created_at from plimsoll.job j
  where $4::text is null and j.id < coalesce($1::bigint, 9223372036854775807) and j.id >= coalesce($2::bigint, 0)
    and ($3::text is null or j.kind = $3) and ($5::text is null or j.state = $5)
  order by j.id desc limit $15::int)
  union all
  (select j.id, j.state, j.user_id, j.kind, j.name, j.labels, j.device_class, j.args, j.created_at
  from plimsoll.job_standing n join plimsoll.job j on j.id = n.job_id
  where n.standing = $4::text and n.job_id < coalesce($1::bigint, 9223372036854775807)
    and n.job_id >= coalesce($2::bigint, 0) and ($3::text is null or j.kind = $3) and ($5::text is null or j.state = $5)
  order by n.job_id desc limit $15::int)
), found as (
  select l.id from examined l
  where ($7::text is null or (l.labels ? $7 and ($8::text is null or l.labels ->> $7 = $8)))
    and ($9::bigint is null or l.user_id = $9)
    and ($10::text is null or l.user_id in (select u.id from plimsoll.app_user u where u.name = $10))
    and ($11::timestamptz is null or l.created_at >= $11) and ($12::timestamptz is null or l.created_at < $12)
    and ($13::text is null or l.device_class = $13)
    and ($16::text is null or l.id = any(array(
      select plimsoll.jobs_of_device(array(select e.id from examined e), $16, $17::text))))
    -- Long arguments are not unpacked.
    and ($14::text[] is null or lower(concat_ws(chr(10), l.name, l.kind, l.labels::text,
      case when pg_column_size(l.args) < 2000 then l.args::text end)) like all ((select array_agg(lower(w)) from unnest($14) w)::text[]))
  order by l.id desc limit $6::int
)
select s.examined_to, r.*
from (select case when count(*) = $15 then min(id) end as examined_to from examined) s
  left join lateral plimsoll.read_jobs(array(select id from found)) r on true
order by r.id desc;

-- name: jobs.count
-- Jobs by state, with the conditions of jobs.search: $1 only ids below, $2 only ids from, $3 kind, $4 label key, $5 label
-- value, $6 submitter's id, $7 submitter's name, $8 created from, $9 created before, $10 device class, $11 patterns,
-- $13 node, $14 device.
-- The newest $12 unfinished and the newest $12 ended jobs are examined; examined is their number.
-- Indexes job_standing_<day>_pkey, and job_kind or job_team backwards.
with examined as materialized (
  (select j.id, j.state, j.user_id, j.kind, j.name, j.labels, j.device_class, j.args, j.created_at
  from plimsoll.job_standing n join plimsoll.job j on j.id = n.job_id
  where n.standing = 'unfinished' and n.job_id < coalesce($1::bigint, 9223372036854775807)
    and n.job_id >= coalesce($2::bigint, 0) and ($3::text is null or j.kind = $3)
  order by n.job_id desc limit $12::int)
  union all
  (select j.id, j.state, j.user_id, j.kind, j.name, j.labels, j.device_class, j.args, j.created_at from plimsoll.job j
  where j.finished_at is not null and j.id < coalesce($1::bigint, 9223372036854775807) and j.id >= coalesce($2::bigint, 0)
    and ($3::text is null or j.kind = $3)
  order by j.id desc limit $12::int)
)
select l.state, count(*) as examined, count(*) filter (
  where ($4::text is null or (l.labels ? $4 and ($5::text is null or l.labels ->> $4 = $5)))
    and ($6::bigint is null or l.user_id = $6)
    and ($7::text is null or l.user_id in (select u.id from plimsoll.app_user u where u.name = $7))
    and ($8::timestamptz is null or l.created_at >= $8) and ($9::timestamptz is null or l.created_at < $9)
    and ($10::text is null or l.device_class = $10)
    and ($13::text is null or l.id = any(array(
      select plimsoll.jobs_of_device(array(select e.id from examined e), $13, $14::text))))
    and ($11::text[] is null or lower(concat_ws(chr(10), l.name, l.kind, l.labels::text,
      case when pg_column_size(l.args) < 2000 then l.args::text end)) like all ((select array_agg(lower(w)) from unnest($11) w)::text[]))
) as jobs
from examined l group by l.state;

-- name: jobs.attempts
-- $1 team, $2 job, only after task $3 and fence $4, $5 limit.
select * from plimsoll.list_attempts($1::bigint, $2::bigint, $3::int, $4::bigint, $5::int);

-- name: jobs.log
-- $1 team, $2 job, $3 task, $4 attempt, $5 least level, $6 from and $7 to this time (null: any), only after task $8,
-- fence $9 and number $10, $11 limit.
select * from plimsoll.list_log($1::bigint, $2::bigint, $3::int, $4::int, $5::smallint, $6::timestamptz,
  $7::timestamptz, $8::int, $9::bigint, $10::int, $11::int);

-- name: jobs.tasks
-- $1 team, $2 job, only after task $3, $4 state, $5 node, $6 device, $7 at least this attempt, $8 part of the error as
-- within a JSON string (null: any), $9 most examined, $10 limit.
select * from plimsoll.list_tasks($1::bigint, $2::bigint, $3::int, $4::text, $5::text, $6::text, $7::int, $8::text,
  $9::int, $10::int);

-- name: jobs.version
-- What a long poll compares. Index job_<day>_pkey.
select revision, state, finished_at is not null as finished from plimsoll.job where id = $1::bigint;

-- name: jobs.enqueue (prepared)
-- Arguments in the order of migrations/README.md; $9 may hold several classes each, see connected_class.
select ord, job_id, outcome, created_at, refusal from plimsoll.enqueue(
  $1::bigint[], $2::bigint[], $3::text[], $4::smallint[], $5::json[], $6::text[], $7::jsonb[], $8::smallint[],
  $9::text[], $10::text[],
  $11::smallint[], $12::text[], $13::boolean[], $14::timestamptz[], $15::text[], $16::bytea[],
  $17::timestamptz[], $18::real[], $19::text[], $20::boolean, $21::int[], $22::int[], $23::real[], $24::bytea[]);

-- name: jobs.submitted_before
-- $1 team, $2 Idempotency-Key, $3 fingerprint.
select job_id, same from plimsoll.find_submit($1::bigint, $2::text, $3::bytea);

-- name: jobs.cancel
-- $1 team, $2 job, $3 who.
with done as materialized (
  select plimsoll.cancel_job($1::bigint, $2::bigint) as outcome
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target)
  select $1::bigint, $3::bigint, 'job.cancel', $2::bigint::text from done where outcome in ('cancelled', 'cancelling')
)
select outcome from done;

-- name: jobs.wait
-- $1 team, $2 job.
select j.kind, w.reason, w.until, w.tasks_ahead, w.device_class, w.share, w.hold, w.starts_from, w.starts_by, l.lacks
from plimsoll.explain_wait($1::bigint, $2::bigint) w
join plimsoll.job j on j.id = $2::bigint
left join lateral (select to_json(k) as lacks from plimsoll.explain_missing($1::bigint, $2::bigint) k) l on w.reason = 'no_fit';

-- name: jobs.redrive
-- $1 team, $2 jobs, $3 who.
with done as materialized (
  select job_id, outcome from plimsoll.redrive_jobs($1::bigint, $2::bigint[])
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target)
  select $1::bigint, $3::bigint, 'job.redrive', job_id::text from done where outcome = 'redriven'
)
select job_id, outcome from done;

-- name: jobs.delete (prepared)
-- $1 team, $2 jobs, $3 who.
with done as materialized (
  select job_id, outcome from plimsoll.delete_jobs($1::bigint, $2::bigint[])
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target)
  select $1::bigint, $3::bigint, 'job.delete', job_id::text from done where outcome = 'deleted'
)
select job_id, outcome from done;
