-- The session whose secret has this SHA-256, with its team, role and user. No row: it is unknown, ended or expired, its
-- token or user is no longer valid, or its team is archived. Index session_hash_key.
create or replace function authenticate_session(p_hash bytea, p_now timestamptz default clock_timestamp())
returns table (session_id bigint, token_expires_at timestamptz, csrf text, role text, user_id bigint, user_name text,
  email text, is_admin boolean, is_service boolean, user_created_at timestamptz, team_id bigint, team_name text,
  team_created_at timestamptz)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
begin
  -- Last use is stored to the minute, as for tokens.
  update session s set last_used_at = p_now where s.hash = p_hash and s.ended_at is null and s.expires_at > p_now
    and (s.last_used_at is null or s.last_used_at < p_now - interval '1 minute');
  return query select s.id, k.expires_at, s.csrf, m.role, u.id, u.name, u.email, u.is_admin,
    u.service_team_id is not null, u.created_at, t.id, t.name, t.created_at
  from session s join membership m using (team_id, user_id) join app_user u on u.id = s.user_id
    join team t on t.id = s.team_id
    left join token k on k.id = s.token_id
  where s.hash = p_hash and s.ended_at is null and s.expires_at > p_now and u.disabled_at is null
    and t.archived_at is null
    and (s.token_id is null or k.revoked_at is null and (k.expires_at is null or k.expires_at > p_now));
end
$$;
