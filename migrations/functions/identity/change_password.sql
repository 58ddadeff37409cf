-- Stores the hash of a user's new password. p_present: the hash that the present password was found to match; null: the
-- user has none yet, which p_session_id may change only if a sign-in link or a password opened it, because a session
-- that a token opened ends with the token, and a password would not. p_session_id goes on, the user's other sessions
-- end. False: nothing was changed, because the password is another one by now, or one is needed. Locks the
-- password.
create or replace function change_password(p_user_id bigint, p_hash text, p_present text, p_session_id bigint,
  p_now timestamptz default clock_timestamp()) returns boolean
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_hash text;
begin
  perform assert_team(null);
  select p.hash into v_hash from user_password p where p.user_id = p_user_id for update;
  if v_hash is distinct from p_present or p_present is null and not exists (
      select from session s where s.id = p_session_id and s.user_id = p_user_id and s.token_id is null
        and s.ended_at is null) then
    return false;
  end if;
  perform replace_password(p_user_id, p_hash, p_session_id, p_now);
  return true;
end
$$;
