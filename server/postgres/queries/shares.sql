-- Limits and usage of teams, and holds. The functions define each row (migrations/README.md).

-- name: shares.list
-- $1 team, or null for all.
select team_id, team_name, device_class, weight, cap, slots, ready, used_seconds, used_share, due_share, quota_seconds, quota_used, quota_period,
  quota_renews_at, quota_spent, paused
from plimsoll.list_shares($1::bigint);

-- name: shares.classes
select device_class, half_life_seconds, entry_limit_seconds, devices, ready, running, waiting from plimsoll.list_device_classes();

-- name: shares.limits
-- $1 team, or null for all.
select team_id, queued_jobs, queued, jobs_per_minute from plimsoll.list_team_limits($1::bigint);

-- name: shares.holds
-- $1 team, or null for all.
select id, scope, subject, team_name, node, device, mode, reason, by_admin, by_name, at, running from plimsoll.list_holds($1::bigint);

-- name: shares.vacuum_holders
select holder, detail, since, seconds from plimsoll.list_vacuum_holders();

-- name: shares.usage
-- $1 team, or null for all, $2 from, $3 to, $4 by, $5 limit.
select start, team_id, team_name, user_id, user_name, kind, model, seconds, tasks, items, jobs
from plimsoll.read_usage($1::bigint, $2::timestamptz, $3::timestamptz, $4::text[], $5::int);

-- name: shares.lock_terms
-- So that an edit that names what it has seen compares and sets at once: one after the other.
select pg_advisory_xact_lock(hashtextextended('plimsoll terms', 0));

-- name: shares.set
-- $1 team, $2 device class, $3 weight, $4 cap or null, $5 quota or null, $6 its period, $7 user, $8 request id, $9 what
-- the share must be now (null: anything). No row: the team does not exist, or the share is something else.
with team as (
  select id from plimsoll.team where id = $1::bigint and ($9::jsonb is null or $9 = (
    select jsonb_build_object('weight', s.weight, 'cap', s.cap, 'quota', case when s.quota_seconds is not null
      then jsonb_build_object('seconds', s.quota_seconds, 'period', s.quota_period) end)
    from plimsoll.list_shares($1::bigint) s where s.device_class = $2::text))
), done as materialized (
  select id, plimsoll.set_share(id, $2::text, $3::float8, $4::int, $5::float8, $6::text) from team
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select id, $7::bigint, 'share.set', $2::text, $8::text, jsonb_strip_nulls(jsonb_build_object(
    'weight', $3::float8, 'cap', $4::int, 'quota_seconds', $5::float8, 'quota_period', case when $5::float8 is not null then $6::text end)) from done
)
select id from done;

-- name: shares.set_limit
-- $1 team, $2 queued jobs or null, $3 jobs per minute or null, $4 user, $5 request id, $6 what the limits must be now
-- (null: anything). No row: the team does not exist, or its limits are others.
with team as (
  select id from plimsoll.team where id = $1::bigint and ($6::jsonb is null or $6 = (
    select jsonb_build_object('queued_jobs', max(l.queued_jobs), 'jobs_per_minute', max(l.jobs_per_minute))
    from plimsoll.list_team_limits($1::bigint) l))
), done as materialized (
  select id, plimsoll.set_team_limit(id, $2::int, $3::int) from team
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select id, $4::bigint, 'team.limit', id::text, $5::text, jsonb_build_object('queued_jobs', $2::int, 'jobs_per_minute', $3::int) from done
)
select id from done;

-- name: shares.set_class
-- $1 device class, $2 half-life, $3 entry limit, $4 user, $5 request id, $6 what the class must be now (null: anything).
-- No row: it does not exist, or is something else.
with present as (
  select c.device_class from plimsoll.list_device_classes() c where c.device_class = $1::text and ($6::jsonb is null
    or $6 = jsonb_build_object('half_life_seconds', c.half_life_seconds, 'entry_limit_seconds', c.entry_limit_seconds))
), done as materialized (
  select plimsoll.set_device_class(device_class, $2::float8, $3::float8) as found from present
), told as (
  insert into plimsoll.audit_event (user_id, action, target, request_id, data)
  select $4::bigint, 'class.set', $1::text, $5::text, jsonb_build_object('half_life_seconds', $2::float8, 'entry_limit_seconds', $3::float8)
  from done where found
)
select found from done;

-- name: shares.hold
-- $1 scope, $2 team, class or node, $3 the node's device, $4 mode, $5 reason, $6 by a system admin, $7 user, $8
-- request id. id null: the subject does not exist.
with subject as (
  select case when $1::text = 'device'
    then (select worker_id::text from plimsoll.list_devices() where node = $2::text and device = $3::text) else $2::text end as value
), done as materialized (
  select plimsoll.place_hold($1::text, value, $4::text, $5::text, $6::boolean, $7::bigint) as id, value from subject
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select case when $1::text = 'team' then $2::bigint end, $7::bigint, 'hold.' || $4::text, $1::text || ' ' || value, $8::text,
    jsonb_build_object('reason', $5::text) from done where id is not null
)
select id from done;

-- name: shares.resume
-- $1 hold, $2 team or null, $3 user, $4 request id.
with held as materialized (
  select scope, subject, reason from plimsoll.list_holds($2::bigint) where id = $1::bigint
), done as materialized (
  select plimsoll.lift_hold($1::bigint, $2::bigint) as found from (select count(*) from held) first
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select case when h.scope = 'team' then h.subject::bigint end, $3::bigint, 'hold.resume', h.scope || ' ' || h.subject, $4::text,
    jsonb_build_object('reason', h.reason) from held h, done where done.found
)
select found from done;
