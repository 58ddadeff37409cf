-- Proving who one is, before a team is known. Each answers no row when the secret is not good.
set local role plimsoll_identity;
set local search_path = plimsoll;

create function authenticate_token_v1(p_hash bytea, p_now timestamptz default clock_timestamp())
returns table (token_id bigint, token_expires_at timestamptz, scopes text[], role text, user_id bigint, user_name text, email text, is_admin boolean, user_created_at timestamptz,
  team_id bigint, team_name text, team_created_at timestamptz)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  -- Last use is kept to the minute, so that a busy token does not write on every request.
  update token t set last_used_at = p_now where t.hash = p_hash and t.revoked_at is null
    and (t.last_used_at is null or t.last_used_at < p_now - interval '1 minute');
  return query
  select k.id, k.expires_at, k.scopes, m.role, u.id, u.name, u.email, u.is_admin, u.created_at, t.id, t.name, t.created_at
  from token k join membership m using (team_id, user_id) join app_user u on u.id = k.user_id join team t on t.id = k.team_id
  where k.hash = p_hash and k.revoked_at is null and (k.expires_at is null or k.expires_at > p_now) and u.disabled_at is null;
end
$$;

create function authenticate_session_v1(p_hash bytea, p_now timestamptz default clock_timestamp())
returns table (session_id bigint, token_expires_at timestamptz, csrf text, role text, user_id bigint, user_name text, email text, is_admin boolean,
  user_created_at timestamptz, team_id bigint, team_name text, team_created_at timestamptz)
language plpgsql stable security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
begin
  return query select s.id, k.expires_at, s.csrf, m.role, u.id, u.name, u.email, u.is_admin, u.created_at, t.id, t.name, t.created_at
  from session s join membership m using (team_id, user_id) join app_user u on u.id = s.user_id join team t on t.id = s.team_id
    left join token k on k.id = s.token_id
  where s.hash = p_hash and s.ended_at is null and s.expires_at > p_now and u.disabled_at is null
    and (s.token_id is null or k.revoked_at is null and (k.expires_at is null or k.expires_at > p_now));
end
$$;

-- Spends a one-time link; whoever gets the row may open a session for it.
create function spend_sign_in_link_v1(p_hash bytea, p_now timestamptz default clock_timestamp())
returns table (user_id bigint, team_id bigint)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  return query
  update sign_in_link l set spent_at = p_now from app_user u
  where l.hash = p_hash and l.spent_at is null and l.expires_at > p_now and u.id = l.user_id and u.disabled_at is null
  returning l.user_id, l.team_id;
end
$$;
