-- Kept responses to calls with an Idempotency-Key. Run in a transaction that has set app.team_id.

-- name: answers.reserve
-- $1 team, $2 key, $3 fingerprint, $4 hours to keep. A row: the key was new or expired, and is now reserved for the
-- caller. Index kept_answer_pkey.
insert into plimsoll.kept_answer as k (team_id, key, fingerprint, expires_at)
values ($1::bigint, $2::text, $3::bytea, clock_timestamp() + make_interval(hours => $4::int))
on conflict (team_id, key) do update
  set fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, status = null, location = null, body = null
  where k.expires_at <= clock_timestamp()
returning true as reserved;

-- name: answers.read
-- $1 team, $2 key, $3 fingerprint. Index kept_answer_pkey.
select fingerprint = $3::bytea as same, status, location, body from plimsoll.kept_answer
where team_id = $1::bigint and key = $2::text;

-- name: answers.keep
-- $1 team, $2 key, $3 status, $4 location or null, $5 body or null. Index kept_answer_pkey.
update plimsoll.kept_answer set status = $3::smallint, location = $4::text, body = $5::text
where team_id = $1::bigint and key = $2::text;

-- name: answers.release
-- $1 team, $2 key: the call created nothing. Index kept_answer_pkey.
delete from plimsoll.kept_answer where team_id = $1::bigint and key = $2::text;
