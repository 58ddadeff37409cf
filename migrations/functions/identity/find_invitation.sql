-- What the invitation whose secret has this SHA-256 offers. No row: it is unknown, used, revoked or expired, its team
-- is archived, who invited is disabled or may not give this role any more, or the token that it was created with is
-- revoked. Index invitation_hash_key.
create or replace function find_invitation(p_hash bytea, p_now timestamptz default clock_timestamp())
returns table (id bigint, team_id bigint, team_name text, role text, email text, invited_by text,
  expires_at timestamptz)
language sql stable security definer set search_path = plimsoll, pg_temp as $$
  select i.id, i.team_id, t.name, i.role, i.email, u.name, i.expires_at
  from invitation i join team t on t.id = i.team_id
    join membership m on m.team_id = i.team_id and m.user_id = i.user_id join app_user u on u.id = i.user_id
  where i.hash = p_hash and i.accepted_at is null and i.revoked_at is null and i.expires_at > p_now
    and t.archived_at is null and u.disabled_at is null
    and not exists (select from token k where k.id = i.token_id and k.revoked_at is not null)
    and (u.is_admin or m.role = 'owner' or m.role = 'admin' and i.role <> 'owner')
$$;
