-- A team's own GPU profiles. Run in a transaction that has set app.team_id.

-- name: records.gpu_profile.list
-- By id. $1 job (they belong to none), $2 limit.
select id, id as key, null::bigint as job_id, definition as data, updated_at as created_at
from plimsoll.gpu_profile
where team_id = nullif(current_setting('app.team_id', true), '')::bigint and $1::bigint is null
order by id limit $2::int;

-- name: records.gpu_profile.put
-- $1 team, $2 user, $3 id, $4 job (they belong to none), $5 definition, $6 request id, $7 the team's limit, $8
-- what the definition must be now (null: anything, or none; JSON null: none). No row: the limit is reached, or it is
-- something else.
with made as (
  insert into plimsoll.gpu_profile as p (team_id, user_id, id, definition)
  select $1::bigint, $2::bigint, $3::text, $5::json
  where $4::bigint is null
    and (select count(*) from plimsoll.gpu_profile o where o.team_id = $1::bigint and o.id <> $3::text) < $7::int
    and ($8::jsonb is null or ($8::jsonb = 'null') <>
      exists (select from plimsoll.gpu_profile o where o.team_id = $1::bigint and o.id = $3::text))
  on conflict (team_id, id) do update set definition = excluded.definition, user_id = excluded.user_id,
    updated_at = clock_timestamp()
    where $8::jsonb is null or p.definition::jsonb = $8
  returning p.id, p.updated_at
), audited as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $1::bigint, $2::bigint, 'gpu_profile.put', made.id, $6::text from made
)
select id, id as key, updated_at as created_at from made;

-- name: records.gpu_profile.remove
-- $1 id, $2 team, $3 user, $4 request id. No row: not found.
with gone as (
  delete from plimsoll.gpu_profile where id = $1::text and team_id = $2::bigint returning id
), audited as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $2::bigint, $3::bigint, 'gpu_profile.delete', gone.id, $4::text from gone
)
select id from gone;
