-- Makes the user a system admin, or no longer one. Returns whether the user stays one against p_admin: nobody else is,
-- and may sign in. Locks all system admins, in order. Indexes app_user_pkey.
create or replace function follow_admin_groups(p_user_id bigint, p_admin boolean, p_request_id text, p_now timestamptz)
returns boolean language plpgsql set search_path = plimsoll, pg_temp as $$
begin
  perform from app_user u where u.is_admin order by u.id for update;
  if not p_admin and not exists (select from app_user u
      where u.is_admin and u.id <> p_user_id and u.disabled_at is null and u.removed_at is null) then
    return exists (select from app_user u where u.id = p_user_id and u.is_admin);
  end if;
  update app_user u set is_admin = p_admin where u.id = p_user_id and u.is_admin <> p_admin;
  if found then
    insert into audit_event (user_id, action, target, request_id, data, at)
    values (p_user_id, 'user.update', p_user_id::text, p_request_id,
      json_build_object('is_admin', p_admin, 'by', 'identity provider'), p_now);
  end if;
  return false;
end
$$;
