-- The token whose secret has this SHA-256, with its scopes, team, role and user. No row: it is unknown, revoked or
-- expired, its user is disabled, or its team is archived. Index token_hash_key.
create or replace function authenticate_token(p_hash bytea, p_now timestamptz default clock_timestamp())
returns table (token_id bigint, token_expires_at timestamptz, scopes text[], role text, user_id bigint, user_name text,
  email text, is_admin boolean, is_service boolean, user_created_at timestamptz, team_id bigint, team_name text,
  team_created_at timestamptz)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  -- Last use is stored to the minute, so that a busy token does not write on every request.
  update token t set last_used_at = p_now where t.hash = p_hash and t.revoked_at is null
    and (t.last_used_at is null or t.last_used_at < p_now - interval '1 minute');
  return query
  select k.id, k.expires_at, k.scopes, m.role, u.id, u.name, u.email, u.is_admin, u.service_team_id is not null,
    u.created_at, t.id, t.name, t.created_at
  from token k join membership m using (team_id, user_id) join app_user u on u.id = k.user_id
    join team t on t.id = k.team_id
  where k.hash = p_hash and k.revoked_at is null and (k.expires_at is null or k.expires_at > p_now)
    and u.disabled_at is null and t.archived_at is null;
end
$$;
