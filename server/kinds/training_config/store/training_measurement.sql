-- A team's measurements of real training runs. Run in a transaction that has set app.team_id. The database numbers
-- them.

-- name: records.training_measurement.list
-- Newest first. $1 job (null: all jobs), $2 limit. Index training_measurement_job or training_measurement_team
-- backwards.
select id::text, comparison_key as key, job_id, data, created_at from plimsoll.training_measurement
where team_id = nullif(current_setting('app.team_id', true), '')::bigint and ($1::bigint is null or job_id = $1::bigint)
order by plimsoll.training_measurement.id desc limit $2::int;

-- name: records.training_measurement.put
-- $1 team, $2 user, $3 id (null), $4 job, $5 data, $6 request id, $7 how many are kept: the oldest are deleted,
-- $8 null, since none is edited.
with made as (
  insert into plimsoll.training_measurement (team_id, user_id, job_id, comparison_key, predicted_bytes,
    measured_bytes, data)
  select $1::bigint, $2::bigint, $4::bigint, $5::json ->> 'comparison_key',
    ($5::json #>> '{predicted,peak_reserved_bytes}')::bigint,
    ($5::json #>> '{measured,peak_reserved_bytes}')::bigint, $5::json
  where $3::text is null and $8::jsonb is null
  returning id, comparison_key, created_at
), old as (
  delete from plimsoll.training_measurement where id <= (
    select m.id from plimsoll.training_measurement m where m.team_id = $1::bigint
    order by m.id desc offset $7::int - 1 limit 1)
), audited as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $1::bigint, $2::bigint, 'training_measurement.create', made.id::text, $6::text from made
)
select id::text, comparison_key as key, created_at from made;

-- name: records.training_measurement.remove
-- $1 id, $2 team, $3 user, $4 request id. No row: not found.
with gone as (
  delete from plimsoll.training_measurement where id = ($1::text)::bigint and team_id = $2::bigint returning id
), audited as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $2::bigint, $3::bigint, 'training_measurement.delete', gone.id::text, $4::text from gone
)
select id::text from gone;
