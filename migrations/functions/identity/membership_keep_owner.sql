-- Trigger: a team keeps at least one owner. Locking the team's row serialises owners who leave at the same time.
create or replace function membership_keep_owner() returns trigger language plpgsql
security definer set search_path = plimsoll, pg_temp as $$
begin
  if old.role = 'owner' and (tg_op = 'DELETE' or new.role <> 'owner') then
    perform from team where id = old.team_id for update;
    if found and not exists (select from membership where team_id = old.team_id and role = 'owner') then
      raise exception 'team % would have no owner', old.team_id using errcode = 'PLM02';
    end if;
  end if;
  return null;
end
$$;

create or replace trigger keep_owner after update or delete on membership
  for each row execute function membership_keep_owner();
