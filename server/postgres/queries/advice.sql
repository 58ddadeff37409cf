-- A team's own cards and measurements. In a transaction that has set app.team_id.

-- name: advice.cards
select id, definition from plimsoll.gpu_profile
where team_id = nullif(current_setting('app.team_id', true), '')::bigint order by id;

-- name: advice.put_card
-- $1 team, $2 user, $3 id, $4 definition, $5 request id, $6 the most that a team may have. No row: it has them.
with made as (
  insert into plimsoll.gpu_profile as p (team_id, user_id, id, definition)
  select $1::bigint, $2::bigint, $3::text, $4::json
  where (select count(*) from plimsoll.gpu_profile o where o.team_id = $1::bigint and o.id <> $3::text) < $6::int
  on conflict (team_id, id) do update set definition = excluded.definition, user_id = excluded.user_id,
    updated_at = clock_timestamp()
  returning p.id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $1::bigint, $2::bigint, 'gpu_profile.put', made.id, $5::text from made
)
select id from made;

-- name: advice.delete_card
-- $1 id, $2 team, $3 user, $4 request id. No row: there is none.
with gone as (
  delete from plimsoll.gpu_profile where id = $1::text and team_id = $2::bigint returning id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $2::bigint, $3::bigint, 'gpu_profile.delete', gone.id, $4::text from gone
)
select id from gone;

-- name: advice.measurements
-- Newest first. $1 job (null: of all), $2 limit. Index training_measurement_job or training_measurement_team backwards.
select id, job_id, comparison_key, predicted_bytes, measured_bytes, data, created_at from plimsoll.training_measurement
where team_id = nullif(current_setting('app.team_id', true), '')::bigint and ($1::bigint is null or job_id = $1::bigint)
order by id desc limit $2::int;

-- name: advice.add_measurement
-- $1 team, $2 user, $3 job, $4 comparison_key, $5 predicted, $6 measured bytes, $7 data, $8 request id, $9 how many are kept.
with made as (
  insert into plimsoll.training_measurement (team_id, user_id, job_id, comparison_key, predicted_bytes, measured_bytes, data)
  values ($1::bigint, $2::bigint, $3::bigint, $4::text, $5::bigint, $6::bigint, $7::json)
  returning id, created_at
), old as (
  delete from plimsoll.training_measurement where id <= (
    select m.id from plimsoll.training_measurement m where m.team_id = $1::bigint
    order by m.id desc offset $9::int - 1 limit 1)
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $1::bigint, $2::bigint, 'training_measurement.create', made.id::text, $8::text from made
)
select id, created_at from made;

-- name: advice.delete_measurement
-- $1 id, $2 team, $3 user, $4 request id. No row: there is none.
with gone as (
  delete from plimsoll.training_measurement where id = $1::bigint returning id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $2::bigint, $3::bigint, 'training_measurement.delete', gone.id::text, $4::text from gone
)
select id from gone;
