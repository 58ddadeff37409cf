-- Consumes the one-time link whose secret has the SHA-256 p_link, and stores the hash of the user's new password. With
-- p_end_tokens the user's tokens end, too, with all tokens and report links that were made with them. The user; null:
-- its user is disabled, or the link is not valid. Indexes password_link_hash_key, token_parent, report_link_token.
create or replace function spend_password_link(
  p_link bytea, p_hash text, p_end_tokens boolean, p_now timestamptz default clock_timestamp()) returns bigint
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
    with recursive doomed as (
      select t.id from token t where p_end_tokens and t.user_id = v_user and t.revoked_at is null
      union select t.id from doomed d join token t on t.parent_id = d.id
    ), revoked as (
      update token t set revoked_at = p_now from doomed d where t.id = d.id and t.revoked_at is null
      returning t.team_id, 'token.revoke' as action, t.id
    ), closed as (
      update report_link l set revoked_at = p_now from doomed d where l.token_id = d.id and l.revoked_at is null
      returning l.team_id, 'report_link.revoke' as action, l.id
    )
    insert into audit_event (team_id, user_id, action, target, at)
    select e.team_id, v_user, e.action, e.id::text, p_now from (select * from revoked union all select * from closed) e;
  end if;
  return v_user;
end
$$;
