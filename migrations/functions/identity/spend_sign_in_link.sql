-- Consumes the one-time link whose secret has this SHA-256; the caller that gets the row may open a session. No row: it
-- is unknown, expired or used, its user is disabled, or its team is archived.
create or replace function spend_sign_in_link(p_hash bytea, p_now timestamptz default clock_timestamp())
returns table (user_id bigint, team_id bigint)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  return query
  update sign_in_link l set spent_at = p_now from app_user u, team t
  where l.hash = p_hash and l.spent_at is null and l.expires_at > p_now and u.id = l.user_id and u.disabled_at is null
    and t.id = l.team_id and t.archived_at is null
  returning l.user_id, l.team_id;
end
$$;
