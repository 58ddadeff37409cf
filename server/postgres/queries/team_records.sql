-- What teams and their members keep, by collection. Run in a transaction that has set app.team_id. member: whose own the
-- records are; null: the team's.

-- name: team_records.list
-- By section and name, without names newest first. $1 team, $2 collection, $3 member, $4 job, $5 section, $6 name (each
-- null: any), $7 limit, $8 whether to read the data, $9 whether to read who wrote it, and its job only if it still
-- exists. Indexes team_record_name and team_record_number.
select r.id, r.section, r.name, case when $9::boolean then j.id else r.job_id end as job_id,
  case when $8::boolean then r.data end as data, u.name as author, r.created_at, r.updated_at
from plimsoll.team_record r
left join plimsoll.app_user u on $9::boolean and u.id = r.user_id
left join plimsoll.job j on $9::boolean and j.id = r.job_id
where r.team_id = $1::bigint and r.collection = $2::text and r.member_id is not distinct from $3::bigint
  and ($4::bigint is null or r.job_id = $4::bigint) and ($5::text is null or r.section = $5::text)
  and ($6::text is null or (md5(r.name) = md5($6::text) and r.name = $6::text))
order by case when r.name is not null then r.section end, r.name, r.id desc limit $7::int;

-- name: team_records.put
-- Adds a record, or replaces the one of its name. $1 team, $2 user, $3 collection, $4 member, $5 section, $6 name (null:
-- it has none), $7 job, $8 data, $9 the limit: of records without names the oldest are deleted, $10 what the data must be
-- now (null: anything, or no record; JSON null: no record), $11 the audit log's action (null: not recorded), $12 whether
-- people know records by their names; else the log has the number, or of a named record its job, $13 request id. No row:
-- the limit is reached, or the data is something else.
with made as (
  insert into plimsoll.team_record as r (team_id, user_id, collection, member_id, section, name, job_id, data)
  select $1::bigint, $2::bigint, $3::text, $4::bigint, $5::text, $6::text, $7::bigint, $8::json
  where ($6::text is null or (select count(*) from plimsoll.team_record o where o.team_id = $1::bigint
      and o.collection = $3::text and o.member_id is not distinct from $4::bigint
      and (o.section, o.name) is distinct from ($5::text, $6::text)) < $9::int)
    and ($10::jsonb is null or ($10::jsonb = 'null') <> exists (select from plimsoll.team_record o
      where o.team_id = $1::bigint and o.collection = $3::text and o.member_id is not distinct from $4::bigint
        and (o.section, o.name) = ($5::text, $6::text)))
  on conflict (team_id, collection, section, coalesce(member_id, 0), md5(name)) do update set data = excluded.data,
    job_id = excluded.job_id, user_id = excluded.user_id, updated_at = clock_timestamp()
    where $10::jsonb is null or r.data::jsonb = $10::jsonb
  returning r.id, r.section, r.name, r.job_id, r.created_at, r.updated_at
), old as (
  delete from plimsoll.team_record where $6::text is null and team_id = $1::bigint and collection = $3::text and id <= (
    select m.id from plimsoll.team_record m where m.team_id = $1::bigint and m.collection = $3::text
    order by m.id desc offset $9::int - 1 limit 1)
), audited as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $1::bigint, $2::bigint, $11::text, case when $12::boolean then made.name when made.name is null
    then made.id::text else made.job_id::text end, $13::text
  from made where $11::text is not null
)
select made.*, null::json as data, u.name as author from made left join plimsoll.app_user u on u.id = $2::bigint;

-- name: team_records.remove
-- $1 team, $2 user, $3 collection, $4 member, $5 id, $6 name (the other is null), $7, $8 and $9 as $11, $12 and $13
-- above. No row: not found.
with gone as (
  delete from plimsoll.team_record r where r.team_id = $1::bigint and r.collection = $3::text
    and r.member_id is not distinct from $4::bigint and (r.id = $5::bigint or r.name = $6::text)
  returning r.id, r.name, r.job_id
), audited as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $1::bigint, $2::bigint, $7::text, case when $8::boolean then gone.name when gone.name is null
    then gone.id::text else gone.job_id::text end, $9::text
  from gone where $7::text is not null
)
select id from gone;
