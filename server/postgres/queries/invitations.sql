-- Invitations into teams. Run in a transaction that has set app.team_id, except what shows an invitation's secret.

-- name: invitations.list
-- The open ones, oldest first. $1 team. Index invitation_team.
select i.id, i.role, i.email, i.user_id, u.name as user_name, i.created_at, i.expires_at
from plimsoll.invitation i left join plimsoll.app_user u on u.id = i.user_id
where i.team_id = $1::bigint and i.accepted_at is null and i.revoked_at is null and i.expires_at > clock_timestamp()
order by i.id;

-- name: invitations.create
-- $1 team, $2 user, $3 role, $4 address or null, $5 hash, $6 expires at, $7 the team's limit, $8 request id, $9 the token
-- that created it or null, $10 the session or null. No row: the limit is reached. Index invitation_team.
with made as (
  insert into plimsoll.invitation (team_id, user_id, role, email, hash, expires_at, token_id)
  select $1::bigint, $2::bigint, $3::text, lower($4::text), $5::bytea, $6::timestamptz,
    coalesce($9::bigint, (select s.token_id from plimsoll.session s where s.id = $10::bigint))
  where (select count(*) from plimsoll.invitation i where i.team_id = $1 and i.accepted_at is null
      and i.revoked_at is null and i.expires_at > clock_timestamp()) < $7::int
  returning id, role, email, user_id, created_at, expires_at
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select $1::bigint, $2::bigint, 'invitation.create', id::text, $8::text,
    json_strip_nulls(json_build_object('role', role, 'email', email, 'expires_at', expires_at)) from made
)
select m.*, u.name as user_name from made m left join plimsoll.app_user u on u.id = m.user_id;

-- name: invitations.revoke
-- $1 id, $2 team, $3 user, $4 request id. No row: there is no such open invitation. Index invitation_pkey.
with revoked as (
  update plimsoll.invitation set revoked_at = clock_timestamp()
  where id = $1::bigint and team_id = $2::bigint and revoked_at is null and accepted_at is null
    and expires_at > clock_timestamp()
  returning id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $2::bigint, $3::bigint, 'invitation.revoke', id::text, $4::text from revoked
)
select id from revoked;

-- name: invitations.find
-- What the invitation with the hash $1 offers; needs no team.
select team_name, role, email, invited_by, expires_at from plimsoll.find_invitation($1::bytea);

-- name: invitations.accept
-- $1 the secret's hash, $2 user or null, $3 name and $4 address of a new user or null, $5 request id; needs no team.
select outcome, user_id, team_id from plimsoll.accept_invitation($1::bytea, $2::bigint, $3::text, $4::text, $5::text);
