-- Passwords of people. They cross teams: run in a transaction that has set app.system = 'on'. The last parameters of a
-- change are the actor: team (0: none), user, request id.

-- name: passwords.begin_attempt
-- $1 name or null, $2 user or null, $3 the client's address or ''.
select wait_s, user_id, team_id, hash, name, source
from plimsoll.begin_password_attempt($1::text, $2::bigint, nullif($3::text, '')::inet);

-- name: passwords.forget_attempts
-- $1 name and $2 source of the count. Index password_attempt_pkey.
delete from plimsoll.password_attempt where name = $1::bytea and source = $2::text;

-- name: passwords.renew_hash
-- $1 user, $2 the present hash, $3 the new one.
select plimsoll.renew_password_hash($1::bigint, $2::text, $3::text);

-- name: passwords.changed_at
-- $1 user. No row: the user has no password. Index user_password_pkey.
select changed_at from plimsoll.user_password where user_id = $1::bigint;

-- name: passwords.change
-- $1 user, $2 the new hash, $3 the present hash or null, $4 the session or null.
with changed as (
  select plimsoll.change_password($1::bigint, $2::text, $3::text, $4::bigint) as done
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select nullif($5::bigint, 0), $6::bigint, 'password.set', $1::bigint::text, $7::text from changed where done
)
select done from changed;

-- name: passwords.create_link
-- $1 user, $2 the secret's hash, $3 expires at. No row: the user does not exist, or is a service account. Index
-- app_user_pkey.
with made as (
  insert into plimsoll.password_link (user_id, hash, expires_at)
  select u.id, $2::bytea, $3::timestamptz from plimsoll.app_user u
  where u.id = $1::bigint and u.removed_at is null and u.service_team_id is null returning id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select nullif($4::bigint, 0), $5::bigint, 'password_link.create', $1::bigint::text, $6::text from made
)
select id from made;

-- name: passwords.spend_link
-- $1 the secret's hash, $2 the new password's, $3 whether the user's tokens end.
select plimsoll.spend_password_link($1::bytea, $2::text, $3::boolean) as user_id;
