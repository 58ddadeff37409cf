-- People, teams and their secrets. Run in a transaction that has set app.team_id; what crosses teams
-- (marked system) needs app.system = 'on' instead. A write leaves its audit row in the same statement, and
-- none when it changed nothing; its last parameters are the actor: team (0: none), user, request id.

-- name: identity.cursor_key
-- Belongs to the installation, not to a team. Index installation_secret_pkey.
select value from plimsoll.installation_secret where name = 'cursor';

-- name: identity.by_tokens (prepared)
-- The owners of the tokens with the hashes $1; no row for an unknown one.
select h.hash, p.* from unnest($1::bytea[]) h(hash) cross join lateral plimsoll.authenticate_token(h.hash) p;

-- name: identity.by_sessions (prepared)
-- The owners of the sessions with the hashes $1; no row for an unknown one.
select h.hash, p.* from unnest($1::bytea[]) h(hash) cross join lateral plimsoll.authenticate_session(h.hash) p;

-- name: identity.spend_sign_in_link
select user_id, team_id from plimsoll.spend_sign_in_link($1::bytea);

-- name: identity.users
-- System: all users. Indexes app_user_pkey, second_factor_pkey, user_identity_user.
select u.id, u.name, u.email, u.email_verified, u.is_admin, u.disabled_at is not null as disabled, u.created_at,
  exists (select from plimsoll.second_factor f where f.user_id = u.id and f.confirmed_at is not null) as second_factor,
  exists (select from plimsoll.user_identity i where i.user_id = u.id) as provided
from plimsoll.app_user u where u.removed_at is null and u.service_team_id is null order by u.id;

-- name: identity.user
-- System or with a team. Index app_user_pkey.
select id, name, email, is_admin, disabled_at is not null as disabled, created_at from plimsoll.app_user where id = $1::bigint;

-- name: identity.bootstrap_lock
-- So that two servers that start at once create one system admin.
select pg_advisory_xact_lock(1347176781, 100000);

-- name: identity.bootstrap
-- System, after the lock. The first system admin, team and link, unless there is a user. $1 user, $2 team, $3 link's hash, $4 its end.
with person as (
  insert into plimsoll.app_user (name, is_admin) select $1::text, true where not exists (select from plimsoll.app_user) returning id
), team as (
  insert into plimsoll.team (name) select $2::text from person returning id
), member as (
  insert into plimsoll.membership (team_id, user_id, role) select team.id, person.id, 'owner' from team, person returning team_id, user_id
), link as (
  insert into plimsoll.sign_in_link (team_id, user_id, hash, expires_at) select team_id, user_id, $3::bytea, $4::timestamptz from member
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target) select team_id, user_id, 'user.create', user_id::text from member
)
select user_id, team_id from member;

-- name: identity.create_user
-- System. $2 email or null.
with made as (
  insert into plimsoll.app_user (name, email, email_verified, is_admin)
  values ($1::text, lower($2::text), $2 is not null, $3::boolean)
  returning id, name, email, is_admin, false as disabled, created_at
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select nullif($4::bigint, 0), $5::bigint, 'user.create', made.id::text, $6::text from made
)
select * from made;

-- name: identity.update_user
-- System. $1 user, $2 name, $3 email ('' for none), $4 system admin, $5 disabled; null: unchanged. $6 to $8 the actor, $9
-- what the user must be now (null: anything). No row: the user does not exist; not may: no system admin would be left; id
-- null: the user is something else. Index app_user_pkey; locks all system admins, in order.
with admins as (
  select id, disabled_at from plimsoll.app_user where is_admin order by id for update
), present as (
  select u.*, not u.is_admin or u.disabled_at is not null or (coalesce($4::boolean, true) and not coalesce($5::boolean, false))
    or exists (select from admins a where a.id <> u.id and a.disabled_at is null) as may
  from plimsoll.app_user u where u.id = $1::bigint and u.removed_at is null and u.service_team_id is null
), changed as (
  update plimsoll.app_user u set name = coalesce($2::text, u.name),
    email = case when $3::text is null then u.email else nullif(lower($3), '') end,
    email_verified = case when $3 is null then u.email_verified else $3 <> '' end, is_admin = coalesce($4, u.is_admin),
    disabled_at = case when coalesce($5, u.disabled_at is not null) then coalesce(u.disabled_at, clock_timestamp()) end
  from present p where u.id = p.id and p.may and ($9::jsonb is null or $9 = jsonb_build_object('name', u.name,
    'email', u.email, 'is_admin', u.is_admin, 'disabled', u.disabled_at is not null))
  returning u.id, u.name, u.email, u.is_admin, u.disabled_at is not null as disabled, u.created_at
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select nullif($6::bigint, 0), $7::bigint, 'user.update', id::text, $8::text,
    json_strip_nulls(json_build_object('name', $2, 'email', $3, 'is_admin', $4, 'disabled', $5)) from changed
)
select p.may, c.* from present p left join changed c on c.id = p.id;

-- name: identity.remove_user
-- System. $1 user, $2 the team whose service account it is (null: a person), $3 to $5 the actor. Ends memberships, and with
-- them tokens, sessions, links and saved views, the password, the second factor and the identity at a provider; what the user made stays under
-- another name. No row: the user does not exist; removed false: no system admin would be left. SQLSTATE PLM02: a team would lose its last owner. Indexes
-- app_user_pkey, membership_member; locks all system admins, in order.
with admins as (
  select id, disabled_at from plimsoll.app_user where is_admin order by id for update
), present as (
  select u.id, u.name, not u.is_admin or u.disabled_at is not null
    or exists (select from admins a where a.id <> u.id and a.disabled_at is null) as may
  from plimsoll.app_user u
  where u.id = $1::bigint and u.removed_at is null and u.service_team_id is not distinct from $2::bigint
), left_teams as (
  delete from plimsoll.membership m using present p where m.user_id = p.id and p.may
), forgotten as (
  delete from plimsoll.user_password w using present p where w.user_id = p.id and p.may
), no_factor as (
  delete from plimsoll.second_factor f using present p where f.user_id = p.id and p.may
), no_identity as (
  delete from plimsoll.user_identity i using present p where i.user_id = p.id and p.may
), old_links as (
  delete from plimsoll.password_link l using present p where l.user_id = p.id and p.may
), changed as (
  update plimsoll.app_user u set name = '(removed user ' || u.id || ')', email = null, is_admin = false,
    disabled_at = coalesce(u.disabled_at, clock_timestamp()), removed_at = clock_timestamp()
  from present p where u.id = p.id and p.may returning u.id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select nullif($3::bigint, 0), $4::bigint, case when $2 is null then 'user.remove' else 'service_account.remove' end,
    c.id::text, $5::text, json_build_object('name', p.name) from changed c join present p using (id)
)
select c.id is not null as removed from present p left join changed c using (id);

-- name: identity.service_accounts
-- $1 team. Index app_user_service_team.
select u.id, u.name, u.email, u.is_admin, u.disabled_at is not null as disabled, u.created_at, m.role
from plimsoll.app_user u join plimsoll.membership m on m.user_id = u.id and m.team_id = u.service_team_id
where u.service_team_id = $1::bigint and u.removed_at is null order by u.id;

-- name: identity.create_service_account
-- System. $1 team, $2 name, $3 role, $4 the team's limit, $5 and $6 the actor. No row: the limit is reached.
with made as (
  insert into plimsoll.app_user (name, service_team_id) select $2::text, $1::bigint
  where (select count(*) from plimsoll.app_user u where u.service_team_id = $1 and u.removed_at is null) < $4::int
  returning id, name, email, is_admin, false as disabled, created_at
), joined as (
  insert into plimsoll.membership (team_id, user_id, role) select $1::bigint, made.id, $3::text from made returning role
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select $1::bigint, $5::bigint, 'service_account.create', made.id::text, $6::text,
    json_build_object('name', $2::text, 'role', $3::text) from made
)
select made.*, joined.role from made, joined;

-- name: identity.update_service_account
-- System. $1 team, $2 account, $3 name, $4 role, $5 disabled; null: unchanged. $6 and $7 the actor, $8 what it must be now
-- (null: anything). No row: not found, or something else. Indexes app_user_pkey, membership_pkey; locks both rows.
with held as materialized (
  select m.role from plimsoll.membership m where m.team_id = $1::bigint and m.user_id = $2::bigint for update
), changed as (
  update plimsoll.app_user u set name = coalesce($3::text, u.name),
    disabled_at = case when coalesce($5::boolean, u.disabled_at is not null) then coalesce(u.disabled_at, clock_timestamp()) end
  where u.id = $2::bigint and u.service_team_id = $1::bigint and u.removed_at is null and ($8::jsonb is null
    or $8 = jsonb_build_object('name', u.name, 'role', (select role from held), 'disabled', u.disabled_at is not null))
  returning u.id, u.name, u.email, u.is_admin, u.disabled_at is not null as disabled, u.created_at
), placed as (
  update plimsoll.membership m set role = coalesce($4::text, m.role) from changed c
  where m.team_id = $1::bigint and m.user_id = c.id returning m.role
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select $1::bigint, $6::bigint, 'service_account.update', id::text, $7::text,
    json_strip_nulls(json_build_object('name', $3, 'role', $4, 'disabled', $5)) from changed
)
select changed.*, placed.role from changed, placed;

-- name: identity.all_teams
-- System. Index team_pkey.
select id, name, archived_at is not null as archived, created_at from plimsoll.team order by id;

-- name: identity.teams_of
-- System. Those that are not archived. Index membership_member.
select t.id, t.name, false as archived, t.created_at, m.role from plimsoll.membership m join plimsoll.team t on t.id = m.team_id
where m.user_id = $1::bigint and t.archived_at is null order by t.name;

-- name: identity.create_team
-- System. The creator of a team owns it.
with made as (
  insert into plimsoll.team (name) values ($1::text) returning id, name, false as archived, created_at
), owned as (
  insert into plimsoll.membership (team_id, user_id, role) select made.id, $3::bigint, 'owner' from made
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select nullif($2::bigint, 0), $3::bigint, 'team.create', made.id::text, $4::text from made
)
select * from made;

-- name: identity.update_team
-- System. $1 team, $2 name, $3 archived; null: unchanged. $4 to $6 the actor, $7 what the team must be now (null: anything).
-- No row: the team does not exist, or is something else. Index team_pkey.
with changed as (
  update plimsoll.team t set name = coalesce($2::text, t.name),
    archived_at = case when coalesce($3::boolean, t.archived_at is not null) then coalesce(t.archived_at, clock_timestamp()) end
  where t.id = $1::bigint
    and ($7::jsonb is null or jsonb_build_object('name', t.name, 'archived', t.archived_at is not null) = $7)
  returning t.id, t.name, t.archived_at is not null as archived, t.created_at
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select id, $5::bigint, 'team.update', id::text, $6::text,
    json_strip_nulls(json_build_object('name', $2, 'archived', $3, 'actor_team', nullif($4::bigint, 0))) from changed
)
select * from changed;

-- name: identity.members
-- People only; service accounts are listed separately. Index membership_pkey.
select u.id, u.name, u.email, u.is_admin, u.disabled_at is not null as disabled, u.created_at, m.role
from plimsoll.membership m join plimsoll.app_user u on u.id = m.user_id
where m.team_id = $1::bigint and u.service_team_id is null order by u.id;

-- name: identity.set_member
-- System. $1 team, $2 user, $3 role, $4 to $6 the actor, $7 what the membership must be now (null: anything, or none). No
-- row: the user does not exist, or the membership is something else. SQLSTATE PLM02: the last owner would lose the role.
-- Indexes app_user_pkey, membership_pkey.
with changed as (
  insert into plimsoll.membership as m (team_id, user_id, role)
  select $1::bigint, u.id, $3::text from plimsoll.app_user u
  where u.id = $2::bigint and u.removed_at is null and u.service_team_id is null and ($7::jsonb is null
    or exists (select from plimsoll.membership o where o.team_id = $1::bigint and o.user_id = u.id))
  on conflict (team_id, user_id) do update set role = excluded.role
    where $7::jsonb is null or jsonb_build_object('role', m.role) = $7
  returning user_id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select $1::bigint, $5::bigint, 'member.set', user_id::text, $6::text,
    json_build_object('role', $3::text, 'actor_team', nullif($4::bigint, 0)) from changed
)
select user_id from changed;

-- name: identity.remove_member
-- Ends the member's tokens, links and sessions in the team too. SQLSTATE PLM02: the last owner. Index membership_pkey.
with gone as (
  delete from plimsoll.membership where team_id = $1::bigint and user_id = $2::bigint returning user_id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select $1::bigint, $4::bigint, 'member.remove', user_id::text, $5::text, json_build_object('actor_team', nullif($3::bigint, 0)) from gone
)
select user_id from gone;

-- name: identity.create_sign_in_link
-- System. $1 team, $2 user, $3 hash, $4 expires at. No row: a service account, which does not sign in.
with made as (
  insert into plimsoll.sign_in_link (team_id, user_id, hash, expires_at)
  select $1::bigint, $2::bigint, $3::bytea, $4::timestamptz
  where not exists (select from plimsoll.app_user u where u.id = $2 and u.service_team_id is not null) returning id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select $1::bigint, $6::bigint, 'link.create', $2::bigint::text, $7::text, json_build_object('actor_team', nullif($5::bigint, 0)) from made
)
select id from made;

-- name: identity.create_session
-- $1 team, $2 user, $3 hash, $4 csrf, $5 expires at, $6 the token that created it or null, $7 the client's address, $8
-- the client's user agent.
with made as (
  insert into plimsoll.session (team_id, user_id, hash, csrf, expires_at, token_id, address, agent)
  values ($1::bigint, $2::bigint, $3::bytea, $4::text, $5::timestamptz, $6::bigint, nullif($7::text, '')::inet, nullif($8::text, ''))
  returning id, address
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, address)
  select $1::bigint, $2::bigint, 'session.create', id::text, address from made
)
select id from made;

-- name: identity.end_session
-- System. $1 session, $2 who ends it, $3 request id. Index session_pkey.
with ended as (
  update plimsoll.session set ended_at = clock_timestamp() where id = $1::bigint and ended_at is null returning id, team_id, user_id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select team_id, $2::bigint, 'session.end', id::text, $3::text, json_build_object('user', user_id) from ended
)
select id from ended;

-- name: identity.sessions
-- System. Open sessions of user $2: with $4 in any team, else in team $1; with $3 also all sessions in team $1. Indexes
-- session_member, session_team.
select s.id, s.user_id, u.name as user_name, s.team_id, t.name as team_name, host(s.address) as address, s.agent, s.created_at,
  s.last_used_at, least(s.expires_at, k.expires_at) as expires_at
from plimsoll.session s join plimsoll.app_user u on u.id = s.user_id join plimsoll.team t on t.id = s.team_id
  left join plimsoll.token k on k.id = s.token_id
where (s.user_id = $2::bigint and ($4::boolean or s.team_id = $1::bigint) or $3::boolean and s.team_id = $1)
  and s.ended_at is null and s.expires_at > clock_timestamp() and u.disabled_at is null
  and (s.token_id is null or k.revoked_at is null and coalesce(k.expires_at > clock_timestamp(), true))
order by s.id;

-- name: identity.switch_team
-- System. $1 session, $2 team: the session changes if the user is a member and no token opened it. No row: the session
-- has ended. Indexes session_pkey, membership_pkey.
with present as (
  select s.id, s.team_id as before, s.token_id is not null as by_token,
    exists (select from plimsoll.membership m join plimsoll.team t on t.id = m.team_id
      where m.team_id = $2::bigint and m.user_id = s.user_id and t.archived_at is null) as is_member
  from plimsoll.session s where s.id = $1::bigint and s.ended_at is null
), switched as (
  update plimsoll.session s set team_id = $2::bigint from present p where s.id = p.id and p.is_member and not p.by_token
  returning s.id, s.user_id, p.before
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, data)
  select $2::bigint, user_id, 'session.switch', id::text, json_build_object('from_team', before) from switched
)
select by_token, is_member from present;

-- name: identity.tokens
-- $1 team, $2 only of this user (null: the whole team's). Index token_team.
select t.id, t.user_id, u.name as user_name, t.name, t.hint, t.scopes, t.created_at, t.expires_at, t.last_used_at
from plimsoll.token t left join plimsoll.app_user u on u.id = t.user_id
where t.team_id = $1::bigint and t.revoked_at is null and ($2::bigint is null or t.user_id = $2) order by t.id;

-- name: identity.create_token
-- $1 team, $2 user, $3 name, $4 hash, $5 hint, $6 scopes, $7 expires at or null, $8 the token that created it or null,
-- $9 the session or null, $10 the user's limit. No row: the limit is reached. Index token_team.
with made as (
  insert into plimsoll.token (team_id, user_id, name, hash, hint, scopes, expires_at, parent_id)
  select $1::bigint, $2::bigint, $3::text, $4::bytea, $5::text, $6::text[], $7::timestamptz,
    coalesce($8::bigint, (select s.token_id from plimsoll.session s where s.id = $9::bigint))
  where (select count(*) from plimsoll.token t where t.team_id = $1 and t.user_id = $2 and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > clock_timestamp())) < $10::int
  returning id, created_at
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select $1::bigint, $12::bigint, 'token.create', id::text, $13::text,
    json_build_object('name', $3::text, 'scopes', $6::text[], 'actor_team', nullif($11::bigint, 0)) from made
)
select m.id, m.created_at, u.name as user_name from made m left join plimsoll.app_user u on u.id = $2::bigint;

-- name: identity.rename_token
-- $1 token, of the actor's team, $2 name, $3 to $5 the actor, $6 what the token must be now (null: anything). No row: not
-- found, or something else. Index token_pkey.
with changed as (
  update plimsoll.token t set name = $2::text where t.id = $1::bigint and t.team_id = $3::bigint and t.revoked_at is null
    and ($6::jsonb is null or jsonb_build_object('name', t.name) = $6)
  returning t.id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select $3::bigint, $4::bigint, 'token.update', id::text, $5::text, json_build_object('name', $2::text) from changed
)
select id from changed;

-- name: identity.revoke_token
-- $1 token, of the actor's team, with all tokens and report links that it created. Indexes token_pkey, token_parent,
-- report_link_token.
with recursive doomed as (
  select t.id from plimsoll.token t where t.id = $1::bigint and t.team_id = $2::bigint and t.revoked_at is null
  union
  select t.id from doomed d join plimsoll.token t on t.parent_id = d.id
), revoked as (
  update plimsoll.token t set revoked_at = clock_timestamp() from doomed d where t.id = d.id and t.revoked_at is null
  returning t.id
), closed as (
  update plimsoll.report_link l set revoked_at = clock_timestamp() from doomed d where l.token_id = d.id and l.revoked_at is null
  returning l.id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $2::bigint, $3::bigint, 'token.revoke', id::text, $4::text from revoked
  union all select $2::bigint, $3::bigint, 'report_link.revoke', id::text, $4::text from closed
)
select id from revoked;

-- name: identity.forget_ended
-- System. Deletes sessions and links that ended more than $1 days ago: they expired, were used or revoked, the user
-- signed out, or the token that created the session ended. Deletes counts of attempts that delay nobody any more.
with old_links as (
  delete from plimsoll.sign_in_link where least(expires_at, spent_at) < clock_timestamp() - make_interval(days => $1::int)
), old_report_links as (
  delete from plimsoll.report_link where least(expires_at, revoked_at) < clock_timestamp() - make_interval(days => $1::int)
), old_password_links as (
  delete from plimsoll.password_link where least(expires_at, spent_at) < clock_timestamp() - make_interval(days => $1::int)
), old_invitations as (
  delete from plimsoll.invitation where least(expires_at, revoked_at, accepted_at) < clock_timestamp() - make_interval(days => $1::int)
), old_attempts as (
  delete from plimsoll.password_attempt where last_at < clock_timestamp() - interval '1 day'
)
delete from plimsoll.session s where least(s.expires_at, s.ended_at,
    (select least(k.revoked_at, k.expires_at) from plimsoll.token k where k.id = s.token_id))
  < clock_timestamp() - make_interval(days => $1::int);
