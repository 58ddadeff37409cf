-- Places a hold on p_subject: p_scope team (its ID), device_class, node (names) or device (the worker's ID). p_mode:
-- pause or drain. From the commit on, nothing is claimed for the team or by the devices; running tasks finish.
-- p_by_admin: only a system admin may lift it. Returns the hold's ID; null: the team, class, node or device does not
-- exist.
create or replace function place_hold(p_scope text, p_subject text, p_mode text, p_reason text, p_by_admin boolean,
  p_user_id bigint, p_now timestamptz default clock_timestamp()) returns bigint
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_id bigint;
begin
  perform assert_team(case when p_scope = 'team' then p_subject::bigint end);
  if not (case p_scope
      when 'team' then exists (select from team where id = p_subject::bigint)
      when 'device_class' then exists (select from device_class where name = p_subject)
      when 'node' then exists (select from worker where node = p_subject)
      when 'device' then exists (select from worker where id = p_subject::int) else false end) then
    return null;
  end if;
  perform lock_all_classes();
  insert into hold (scope, subject, mode, reason, by_admin, user_id, at)
  values (p_scope, p_subject, p_mode, p_reason, p_by_admin, p_user_id, p_now) returning id into v_id;
  if p_scope = 'team' then
    perform pause_accounts(p_subject);
  end if;
  return v_id;
end
$$;
