-- name: events.after
-- Events of a job with a number above $2, oldest first, at most $3. Indexes job_<day>_pkey and event_<day>_pkey.
select n, type, at, data from plimsoll.job_event where job_id = $1::bigint and n > $2::int order by n limit $3::int;
