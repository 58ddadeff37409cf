-- A team's schedules and the outcomes of their due times. Run in a transaction that has set app.team_id, except the
-- last three.

-- name: schedules.list
-- Without the job, which may be long, but with its kind; `->` would refuse a job whose texts hold U+0000.
-- Index schedule_team_id_name_key.
select s.id, s.user_id, u.name as user_name, s.name, json_build_object('kind', replace(s.spec::text, '\u0000', '\ufffd')::json -> 'kind') as spec, s.cron, s.time_zone, s.misfire,
  s.misfire_limit, s.overlap, s.paused_at, s.next_at, s.version, s.created_at, s.updated_at
from plimsoll.schedule s left join plimsoll.app_user u on u.id = s.user_id
where s.team_id = nullif(current_setting('app.team_id', true), '')::bigint order by s.name;

-- name: schedules.get
select s.id, s.user_id, u.name as user_name, s.name, s.spec, s.cron, s.time_zone, s.misfire,
  s.misfire_limit, s.overlap, s.paused_at, s.next_at, s.version, s.created_at, s.updated_at
from plimsoll.schedule s left join plimsoll.app_user u on u.id = s.user_id where s.id = $1::bigint;

-- name: schedules.create
-- $1 team, $2 user, $3 name, $4 job, $5 cron, $6 time zone, $7 misfire, $8 its limit, $9 overlap, $10 next due time, $11 request id,
-- $12 the team's limit. No row: the limit is reached.
with made as (
  insert into plimsoll.schedule (team_id, user_id, name, spec, cron, time_zone, misfire, misfire_limit, overlap, next_at)
  select $1::bigint, $2::bigint, $3::text, $4::json, $5::text, $6::text, $7::text, $8::smallint, $9::text, $10::timestamptz
  where (select count(*) from plimsoll.schedule s where s.team_id = $1::bigint) < $12::int returning id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $1::bigint, $2::bigint, 'schedule.create', made.id::text, $11::text from made
)
select id from made;

-- name: schedules.replace
-- $1 team, $2 user, $3 to $10 as schedules.create, $11 request id, $12 schedule, $13 the version that it must have
-- (null: any). No row: it has another one, or the schedule does not exist.
with made as (
  update plimsoll.schedule set user_id = $2::bigint, name = $3::text, spec = $4::json, cron = $5::text, time_zone = $6::text, misfire = $7::text,
    misfire_limit = $8::smallint, overlap = $9::text, next_at = case when paused_at is null then $10::timestamptz end, claimed_until = null,
    version = version + 1, updated_at = clock_timestamp()
  where id = $12::bigint and version = coalesce($13::int, version) returning id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $1::bigint, $2::bigint, 'schedule.update', made.id::text, $11::text from made
)
select id from made;

-- name: schedules.pause
-- $1 team, $2 user, $3 request id, $4 schedule.
with made as (
  update plimsoll.schedule set paused_at = clock_timestamp(), next_at = null, version = version + 1, updated_at = clock_timestamp()
  where id = $4::bigint and paused_at is null returning id
)
insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
select $1::bigint, $2::bigint, 'schedule.pause', made.id::text, $3::text from made;

-- name: schedules.resume
-- $1 to $4 as schedules.pause, $5 next due time.
with made as (
  update plimsoll.schedule set paused_at = null, next_at = $5::timestamptz, claimed_until = null, version = version + 1, updated_at = clock_timestamp()
  where id = $4::bigint and paused_at is not null returning id
)
insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
select $1::bigint, $2::bigint, 'schedule.resume', made.id::text, $3::text from made;

-- name: schedules.delete
-- $1 to $4 as schedules.pause. No row: not found.
with gone as (
  delete from plimsoll.schedule where id = $4::bigint returning id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $1::bigint, $2::bigint, 'schedule.delete', gone.id::text, $3::text from gone
)
select id from gone;

-- name: schedules.runs
-- Newest first. $1 schedule, $2 only those due before (null: from the newest), $3 limit. Index schedule_run_pkey backwards.
select r.due_at, r.by_user, u.name as by_user_name, r.outcome, r.job_id, j.state as job_state, r.reason, r.missed, r.decided_at
from plimsoll.schedule_run r left join plimsoll.app_user u on u.id = r.by_user left join plimsoll.job j on j.id = r.job_id
where r.schedule_id = $1::bigint and r.due_at < coalesce($2::timestamptz, 'infinity') order by r.due_at desc limit $3::int;

-- name: schedules.told_run
-- $1 to $4 as schedules.pause: a user started a run.
insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
values ($1::bigint, $2::bigint, 'schedule.run', ($4::bigint)::text, $3::text);

-- name: schedules.claim
-- $1 limit, $2 seconds until a claim counts as lost.
select id, version, team_id, user_id, spec, cron, time_zone, misfire, misfire_limit, overlap, due_at, waiting_at, busy, now
from plimsoll.claim_schedules($1::int, make_interval(secs => $2::float8));

-- name: schedules.run
-- Arguments in the order of migrations/README.md.
select outcome, job_id, due_at from plimsoll.run_schedule(
  $1::bigint, $2::int, $3::text, $4::timestamptz, $5::timestamptz, $6::timestamptz, $7::int, $8::text, $9::text, $10::bigint, $11::text,
  $12::bytea, $13::text, $14::smallint, $15::json, $16::text, $17::jsonb, $18::smallint, $19::text, $20::text, $21::smallint, $22::text,
  $23::real, $24::text, $25::int[], $26::real[], $27::bytea[], $28::bigint, $29::float8, $30::float8);

-- name: schedules.cancel_overlapped
select count(*)::int as done from plimsoll.cancel_overlapped();
