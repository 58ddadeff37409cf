-- The team's jobs. Run in a transaction that has set app.team_id. Ids are 64-bit.

-- name: jobs.get (prepared)
-- Those of the jobs $1 that there are. Index job_<day>_pkey of their days.
select * from plimsoll.read_jobs($1::bigint[]);

-- name: jobs.list
-- Newest first. $1 only ids below (null: from the newest), $2 kind, $3 how it ended (null: any), $4 limit.
-- Index job_ended, job_kind or job_team backwards, partition by partition.
select j.id, j.team_id, j.user_id, u.name as submitter_name, j.kind, j.kind_version, j.name, j.labels, j.priority, j.state, j.args,
  j.items_total, j.items_ok + j.items_failed as items_done, j.items_failed, j.tasks_total, j.tasks_total - j.tasks_left as tasks_done,
  j.tasks_quarantined as tasks_failed, j.retries, j.last_error, j.error,
  j.unique_key, j.created_at, j.run_at, j.deadline, j.timeout_seconds, j.started_at, j.finished_at, j.revision,
  j.schedule_id, s.name as schedule_name, j.due_at
from plimsoll.job j left join plimsoll.app_user u on u.id = j.user_id left join plimsoll.schedule s on s.id = j.schedule_id
where j.id < coalesce($1::bigint, 9223372036854775807)
  and ($2::text is null or j.kind = $2) and ($3::text is null or j.ended_as = $3)
order by j.id desc limit $4::int;

-- name: jobs.list_unfinished
-- As jobs.list, for a state before the end, of which there are few. Index job_unfinished backwards.
select j.id, j.team_id, j.user_id, u.name as submitter_name, j.kind, j.kind_version, j.name, j.labels, j.priority, j.state, j.args,
  j.items_total, j.items_ok + j.items_failed as items_done, j.items_failed, j.tasks_total, j.tasks_total - j.tasks_left as tasks_done,
  j.tasks_quarantined as tasks_failed, j.retries, j.last_error, j.error,
  j.unique_key, j.created_at, j.run_at, j.deadline, j.timeout_seconds, j.started_at, j.finished_at, j.revision,
  j.schedule_id, s.name as schedule_name, j.due_at
from plimsoll.job j left join plimsoll.app_user u on u.id = j.user_id left join plimsoll.schedule s on s.id = j.schedule_id
where j.finished_at is null and j.id < coalesce($1::bigint, 9223372036854775807)
  and ($2::text is null or j.kind = $2) and ($3::text is null or j.state = $3)
order by j.id desc limit $4::int;

-- name: jobs.list_labelled
-- As jobs.list, of those with a label. $3 state, $5 label key, $6 label value (null: any).
-- Index job_label_value or job_label_key backwards, then job_<day>_pkey.
select j.id, j.team_id, j.user_id, u.name as submitter_name, j.kind, j.kind_version, j.name, j.labels, j.priority, j.state, j.args,
  j.items_total, j.items_ok + j.items_failed as items_done, j.items_failed, j.tasks_total, j.tasks_total - j.tasks_left as tasks_done,
  j.tasks_quarantined as tasks_failed, j.retries, j.last_error, j.error,
  j.unique_key, j.created_at, j.run_at, j.deadline, j.timeout_seconds, j.started_at, j.finished_at, j.revision,
  j.schedule_id, s.name as schedule_name, j.due_at
from plimsoll.job_label l join plimsoll.job j on j.id = l.job_id left join plimsoll.app_user u on u.id = j.user_id
  left join plimsoll.schedule s on s.id = j.schedule_id
where l.job_id < coalesce($1::bigint, 9223372036854775807) and l.key = $5::text and ($6::text is null or l.value = $6)
  and ($2::text is null or j.kind = $2) and ($3::text is null or j.state = $3)
order by l.job_id desc limit $4::int;

-- name: jobs.version
-- What a long poll compares. Index job_<day>_pkey.
select revision, state, finished_at is not null as finished from plimsoll.job where id = $1::bigint;

-- name: jobs.set_labels
-- $2 name, $3 labels. Index job_<day>_pkey.
update plimsoll.job set name = $2::text, labels = $3::jsonb, revision = revision + 1 where id = $1::bigint returning revision;

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
select reason, until, tasks_ahead, device_class, share, hold, starts_from, starts_by from plimsoll.explain_wait($1::bigint, $2::bigint);

-- name: jobs.redrive
-- $1 team, $2 jobs, $3 who.
with done as materialized (
  select job_id, outcome from plimsoll.redrive_jobs($1::bigint, $2::bigint[])
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target)
  select $1::bigint, $3::bigint, 'job.redrive', job_id::text from done where outcome = 'redriven'
)
select job_id, outcome from done;

-- name: jobs.delete
-- $1 team, $2 job, $3 who.
with done as materialized (
  select plimsoll.delete_job($1::bigint, $2::bigint) as outcome
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target)
  select $1::bigint, $3::bigint, 'job.delete', $2::bigint::text from done where outcome = 'deleted'
)
select outcome from done;
