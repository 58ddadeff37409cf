-- name: events.after
-- Events of a job with a number above $2, oldest first, at most $3. Number 1 is the job's row.
-- Indexes job_<day>_pkey and event_<day>_pkey.
select n, type, at, data from (
  select 1 as n, 'submitted'::text as type, created_at as at, '{}'::json as data from plimsoll.job where id = $1::bigint and $2::int < 1
  union all
  (select n, type, at, data from plimsoll.event where job_id = $1::bigint and n > $2::int order by n limit $3::int)
) e order by n limit $3::int;
