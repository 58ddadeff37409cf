-- Proving who one is, before a team is known. Each answers no row when the secret is not good.
set local role plimsoll_identity;
set local search_path = plimsoll;

create function authenticate_token_v1(p_hash bytea, p_now timestamptz default clock_timestamp())
returns table (token_id bigint, team_id bigint, user_id bigint, email text, user_name text, role text, is_admin boolean, scopes text[])
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  -- Last use is kept to the minute, so that a busy token does not write on every request.
  update token t set last_used_at = p_now where t.hash = p_hash and t.revoked_at is null
    and (t.last_used_at is null or t.last_used_at < p_now - interval '1 minute');
  return query
  select t.id, t.team_id, t.user_id, u.email, u.name, m.role, u.is_admin, t.scopes
  from token t join membership m using (team_id, user_id) join app_user u on u.id = t.user_id
  where t.hash = p_hash and t.revoked_at is null and (t.expires_at is null or t.expires_at > p_now) and u.disabled_at is null;
end
$$;

create function authenticate_session_v1(p_hash bytea, p_now timestamptz default clock_timestamp())
returns table (session_id bigint, team_id bigint, user_id bigint, email text, user_name text, role text, is_admin boolean, csrf bytea, expires_at timestamptz)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select s.id, s.team_id, s.user_id, u.email, u.name, m.role, u.is_admin, s.csrf, s.expires_at
  from session s join membership m using (team_id, user_id) join app_user u on u.id = s.user_id
  where s.hash = p_hash and s.ended_at is null and s.expires_at > p_now and u.disabled_at is null;
end;

-- Spends a one-time link and opens a session in its place.
create function spend_sign_in_link_v1(p_link_hash bytea, p_session_hash bytea, p_csrf bytea, p_session_seconds int,
  p_now timestamptz default clock_timestamp())
returns table (session_id bigint, team_id bigint, user_id bigint)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  return query
  with spent as (
    update sign_in_link l set spent_at = p_now from app_user u
    where l.hash = p_link_hash and l.spent_at is null and l.expires_at > p_now and u.id = l.user_id and u.disabled_at is null
    returning l.team_id, l.user_id)
  insert into session as s (team_id, user_id, hash, csrf, created_at, expires_at)
  select spent.team_id, spent.user_id, p_session_hash, p_csrf, p_now, p_now + make_interval(secs => p_session_seconds) from spent
  returning s.id, s.team_id, s.user_id;
end
$$;
