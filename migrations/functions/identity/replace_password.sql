-- Stores the hash of a user's new password. Ends the user's sessions, except p_session_id (null: all), and the unused
-- links that sign the user in or set the password. Indexes user_password_pkey, session_member, password_link_user.
create or replace function replace_password(p_user_id bigint, p_hash text, p_session_id bigint, p_now timestamptz)
returns void
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  insert into user_password (user_id, hash, changed_at) values (p_user_id, p_hash, p_now)
  on conflict (user_id) do update set hash = excluded.hash, changed_at = excluded.changed_at;
  update session s set ended_at = p_now
  where s.user_id = p_user_id and s.ended_at is null and s.id is distinct from p_session_id;
  update password_link l set spent_at = p_now where l.user_id = p_user_id and l.spent_at is null;
  update sign_in_link l set spent_at = p_now from membership m
  where m.user_id = p_user_id and l.team_id = m.team_id and l.user_id = m.user_id and l.spent_at is null;
end
$$;
