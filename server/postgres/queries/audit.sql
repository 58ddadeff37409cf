-- Changes: what, by whom, when. Audit rows are written in the same statement as the change.

-- name: audit.list
-- Newest first, in a transaction that has set app.team_id or is across teams. $1 only ids below (null: from the newest),
-- $2 limit, $3 action or its noun or null, $4 nouns whose actions count or null, $5 user or null, $6 from, $7 before, $8 team
-- (null: all, and the installation itself). Indexes audit_event_team and audit_event_pkey backwards.
select e.id, e.team_id, t.name as team_name, e.user_id, u.name as user_name, e.at, e.action, e.target, e.request_id,
  host(e.address) as address, e.data::text as data
from plimsoll.audit_event e
left join plimsoll.app_user u on u.id = e.user_id left join plimsoll.team t on t.id = e.team_id and $8::bigint is null
where e.id < coalesce($1::bigint, 9223372036854775807) and ($8 is null or e.team_id = $8)
  and ($3::text is null or $3 in (e.action, split_part(e.action, '.', 1))) and ($4::text[] is null or split_part(e.action, '.', 1) = any($4))
  and ($5::bigint is null or e.user_id = $5) and ($6::timestamptz is null or e.at >= $6) and ($7::timestamptz is null or e.at < $7)
order by e.id desc limit $2::int;

-- name: audit.of_target
-- As audit.list, of the target $9, which may be one of several jobs: those of one submit have IDs near each other. Indexes
-- audit_event_target, audit_event_jobs.
select e.id, e.team_id, t.name as team_name, e.user_id, u.name as user_name, e.at, e.action, e.target, e.request_id,
  host(e.address) as address, e.data::text as data
from (
  select a.* from plimsoll.audit_event a where a.target = $9
  union all
  select a.* from plimsoll.audit_event a, (select substring($9 from '^[0-9]{1,18}$')::bigint as id) job
  where a.last_job between job.id and job.id + 1048576 and a.first_job <= job.id and a.data -> 'jobs' ? $9) e
left join plimsoll.app_user u on u.id = e.user_id left join plimsoll.team t on t.id = e.team_id and $8::bigint is null
where e.id < coalesce($1::bigint, 9223372036854775807) and ($8 is null or e.team_id = $8)
  and ($3::text is null or $3 in (e.action, split_part(e.action, '.', 1))) and ($4::text[] is null or split_part(e.action, '.', 1) = any($4))
  and ($5::bigint is null or e.user_id = $5) and ($6::timestamptz is null or e.at >= $6) and ($7::timestamptz is null or e.at < $7)
order by e.id desc limit $2::int;

-- name: audit.record
-- A change outside the database, in a transaction that has set app.team_id. $1 team, $2 user, $3 action, $4 target,
-- $5 request id, $6 data.
insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
values ($1::bigint, $2::bigint, $3::text, $4::text, $5::text, $6::jsonb);
