-- Lifts a hold. With p_team_id: only one of this team that a member placed; null: any. Returns whether it existed.
create or replace function lift_hold(p_hold_id bigint, p_team_id bigint) returns boolean
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_hold hold;
begin
  perform assert_team(p_team_id);
  select * into v_hold from hold where id = p_hold_id
    and (p_team_id is null or (scope = 'team' and subject = p_team_id::text and not by_admin));
  if not found then
    return false;
  end if;
  perform lock_all_classes();
  delete from hold where id = p_hold_id;
  if v_hold.scope = 'team' then
    perform pause_accounts(v_hold.subject);
  end if;
  perform pg_notify('plimsoll_ready', name) from device_class;
  return true;
end
$$;
