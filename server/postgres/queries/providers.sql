-- Users of an identity provider. They cross teams: run in a transaction that has set app.system = 'on'.

-- name: providers.spend_state
-- $1 the state's hash, $2 expires at. No row: it was spent. Also forgets some that have expired. Indexes
-- spent_sign_in_pkey, spent_sign_in_expires.
with old as (
  delete from plimsoll.spent_sign_in where state in (
    select state from plimsoll.spent_sign_in where expires_at < clock_timestamp() - interval '10 minutes'
    order by expires_at limit 100 for update skip locked)
)
insert into plimsoll.spent_sign_in (state, expires_at) values ($1::bytea, $2::timestamptz)
on conflict (state) do nothing returning state;

-- name: providers.sign_in
-- $1 issuer, $2 subject, $3 names, $4 address or null, $5 create, $6 link, $7 teams, $8 their roles or '', $9 request id,
-- $10 whether the groups make a system admin (null: they do not decide).
select outcome, user_id, team_id, unknown_teams, ownerless_teams, last_admin
from plimsoll.sign_in_provided_user($1::text, $2::text, $3::text[], $4::text, $5::boolean, $6::boolean, $7::text[],
  (select coalesce(array_agg(nullif(r.role, '') order by r.n), '{}')
   from unnest($8::text[]) with ordinality r(role, n)), $10::boolean, $9::text);

-- name: providers.identities
-- Oldest first. $1 user. Index user_identity_user.
select i.id, i.issuer, i.subject, i.created_at, i.last_used_at from plimsoll.user_identity i
where i.user_id = $1::bigint order by i.id;

-- name: providers.unlink
-- $1 user, $2 identity, $3 to $5 the actor. Ends the user's sessions, which it may have opened. No row: the user has no
-- such identity. Indexes user_identity_id, session_member.
with gone as (
  delete from plimsoll.user_identity where id = $2::bigint and user_id = $1::bigint returning user_id, issuer, subject
), ended as (
  update plimsoll.session s set ended_at = clock_timestamp() from gone g where s.user_id = g.user_id and s.ended_at is null
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select nullif($3::bigint, 0), $4::bigint, 'user.unlink', user_id::text, $5::text,
    json_build_object('issuer', issuer, 'subject', subject) from gone
)
select user_id from gone;
