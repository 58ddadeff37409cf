-- Consumes the one-time link whose secret has the SHA-256 p_link, and stores the hash of the user's new password. The
-- user; null: the link is unknown, expired or used, or its user is disabled. Index password_link_hash_key.
create or replace function spend_password_link(p_link bytea, p_hash text, p_now timestamptz default clock_timestamp())
returns bigint
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_user bigint;
begin
  update password_link l set spent_at = p_now from app_user u
  where l.hash = p_link and l.spent_at is null and l.expires_at > p_now and u.id = l.user_id and u.disabled_at is null
  returning l.user_id into v_user;
  if found then
    perform replace_password(v_user, p_hash, null, p_now);
    insert into audit_event (user_id, action, target, at) values (v_user, 'password.set', v_user::text, p_now);
  end if;
  return v_user;
end
$$;
