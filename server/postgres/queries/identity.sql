-- People, teams and their secrets. Run in a transaction that has set app.team_id; what crosses teams
-- (marked system) needs app.system = 'on' instead.

-- name: identity.by_token
select * from plimsoll.authenticate_token_v1($1::bytea);

-- name: identity.by_session
select * from plimsoll.authenticate_session_v1($1::bytea);

-- name: identity.spend_sign_in_link
select user_id, team_id from plimsoll.spend_sign_in_link_v1($1::bytea);

-- name: identity.users
-- System: all people; with a team: its members. Index app_user_pkey.
select id, name, email, is_admin, disabled_at is not null as disabled, created_at from plimsoll.app_user order by id;

-- name: identity.user
-- System or with a team. Index app_user_pkey.
select id, name, email, is_admin, disabled_at is not null as disabled, created_at from plimsoll.app_user where id = $1::bigint;

-- name: identity.any_user
-- System.
select exists (select from plimsoll.app_user);

-- name: identity.create_user
-- System. $2 email or null.
insert into plimsoll.app_user (name, email, is_admin) values ($1::text, lower($2::text), $3::boolean)
returning id, name, email, is_admin, false as disabled, created_at;

-- name: identity.disable_user
-- System. $2 true: disabled now; false: again a user. Index app_user_pkey.
update plimsoll.app_user set disabled_at = case when $2::boolean then coalesce(disabled_at, clock_timestamp()) end where id = $1::bigint returning id;

-- name: identity.all_teams
-- System. Index team_pkey.
select id, name, created_at from plimsoll.team order by id;

-- name: identity.teams_of
-- System. Index membership_member.
select t.id, t.name, t.created_at, m.role from plimsoll.membership m join plimsoll.team t on t.id = m.team_id
where m.user_id = $1::bigint order by t.id;

-- name: identity.create_team
-- System.
insert into plimsoll.team (name) values ($1::text) returning id, name, created_at;

-- name: identity.members
-- Index membership_pkey.
select u.id, u.name, u.email, u.is_admin, u.disabled_at is not null as disabled, u.created_at, m.role
from plimsoll.membership m join plimsoll.app_user u on u.id = m.user_id where m.team_id = $1::bigint order by u.id;

-- name: identity.set_member
-- SQLSTATE PLM02: the last owner would lose the role. Index membership_pkey.
insert into plimsoll.membership (team_id, user_id, role) values ($1::bigint, $2::bigint, $3::text)
on conflict (team_id, user_id) do update set role = excluded.role returning team_id;

-- name: identity.remove_member
-- Ends the member's tokens, links and sessions in the team too. SQLSTATE PLM02: the last owner. Index membership_pkey.
delete from plimsoll.membership where team_id = $1::bigint and user_id = $2::bigint returning user_id;

-- name: identity.create_sign_in_link
-- $1 team, $2 user, $3 hash, $4 expires at.
insert into plimsoll.sign_in_link (team_id, user_id, hash, expires_at) values ($1::bigint, $2::bigint, $3::bytea, $4::timestamptz) returning id;

-- name: identity.create_session
-- $1 team, $2 user, $3 hash, $4 csrf, $5 expires at.
insert into plimsoll.session (team_id, user_id, hash, csrf, expires_at)
values ($1::bigint, $2::bigint, $3::bytea, $4::text, $5::timestamptz) returning id;

-- name: identity.end_session
-- Index session_pkey.
update plimsoll.session set ended_at = clock_timestamp() where id = $1::bigint and ended_at is null returning id;

-- name: identity.tokens
-- $1 only of this user (null: the whole team's). Index token_team.
select t.id, t.user_id, u.name as user_name, t.name, t.hint, t.scopes, t.created_at, t.expires_at, t.last_used_at
from plimsoll.token t left join plimsoll.app_user u on u.id = t.user_id
where t.revoked_at is null and ($1::bigint is null or t.user_id = $1) order by t.id;

-- name: identity.create_token
-- $1 team, $2 user, $3 name, $4 hash, $5 hint, $6 scopes, $7 expires at or null.
insert into plimsoll.token (team_id, user_id, name, hash, hint, scopes, expires_at)
values ($1::bigint, $2::bigint, $3::text, $4::bytea, $5::text, $6::text[], $7::timestamptz) returning id, created_at;

-- name: identity.revoke_token
-- $2 only if it is this user's (null: anyone's). Index token_pkey.
update plimsoll.token set revoked_at = clock_timestamp() where id = $1::bigint and revoked_at is null and ($2::bigint is null or user_id = $2) returning id;

-- name: identity.forget_ended
-- System. Sessions and links that ended more than $1 days ago.
with old_links as (delete from plimsoll.sign_in_link where expires_at < clock_timestamp() - make_interval(days => $1::int))
delete from plimsoll.session where expires_at < clock_timestamp() - make_interval(days => $1::int);
