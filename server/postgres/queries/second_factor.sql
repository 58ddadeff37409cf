-- Second factors of people. They cross teams: run in a transaction that has set app.system = 'on'. The last parameters of
-- a change are the actor: team (0: none), user, request id.

-- name: second_factor.read
-- $1 user. No row: the user has none and was offered none. Indexes second_factor_pkey, recovery_code_pkey.
select f.secret, f.confirmed_at, f.last_step, clock_timestamp() as now,
  (select count(*)::int from plimsoll.recovery_code c where c.user_id = f.user_id and c.spent_at is null) as codes_left
from plimsoll.second_factor f where f.user_id = $1::bigint;

-- name: second_factor.offer
-- $1 user, $2 secret, which replaces one that was not confirmed. No row: the user has no password, or a second factor.
insert into plimsoll.second_factor as f (user_id, secret)
select p.user_id, $2::bytea from plimsoll.user_password p where p.user_id = $1::bigint
on conflict (user_id) do update set secret = excluded.secret, created_at = clock_timestamp()
where f.confirmed_at is null
returning user_id;

-- name: second_factor.confirm
-- $1 user, $2 the secret whose code was right, $3 the code's step, $4 the hashes of the recovery codes. No row: the offer
-- is another one by now, or is confirmed.
with confirmed as (
  update plimsoll.second_factor set confirmed_at = clock_timestamp(), last_step = $3::bigint
  where user_id = $1::bigint and secret = $2::bytea and confirmed_at is null returning user_id
), codes as (
  insert into plimsoll.recovery_code (user_id, hash) select user_id, unnest($4::bytea[]) from confirmed
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select nullif($5::bigint, 0), $6::bigint, 'second_factor.create', user_id::text, $7::text from confirmed
)
select user_id from confirmed;

-- name: second_factor.spend_step
-- $1 user, $2 the step of a right code. No row: a code of this step or a later one was used.
update plimsoll.second_factor set last_step = $2::bigint
where user_id = $1::bigint and confirmed_at is not null and last_step < $2::bigint returning user_id;

-- name: second_factor.spend_recovery_code
-- $1 user, $2 the code's hash. No row: the user has no such code, or used it.
with spent as (
  update plimsoll.recovery_code set spent_at = clock_timestamp()
  where user_id = $1::bigint and hash = $2::bytea and spent_at is null returning user_id
), told as (
  insert into plimsoll.audit_event (user_id, action, target)
  select user_id, 'recovery_code.use', user_id::text from spent
)
select user_id from spent;

-- name: second_factor.remove
-- $1 user, $2 to $4 the actor. No row: the user has none.
with removed as (
  delete from plimsoll.second_factor where user_id = $1::bigint returning user_id, confirmed_at
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select nullif($2::bigint, 0), $3::bigint, 'second_factor.remove', user_id::text, $4::text from removed
  where confirmed_at is not null
)
select user_id from removed where confirmed_at is not null;
