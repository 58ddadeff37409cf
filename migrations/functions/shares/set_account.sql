-- Sets a team's share of a device class; null keeps the current value.
create or replace function set_account(p_team_id bigint, p_device_class text, p_weight float8, p_cap int,
  p_paused boolean)
returns void language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_class smallint;
  v_account int;
begin
  perform assert_team(p_team_id);
  if p_weight <= 0 or p_weight = 'NaN' or p_weight = 'infinity' then
    raise exception 'weight must be above 0 and finite' using errcode = 'invalid_parameter_value';
  elsif p_cap < 0 then
    raise exception 'cap must be at least 0' using errcode = 'invalid_parameter_value';
  end if;
  select id into v_class from device_class where name = p_device_class;
  if not found then
    raise exception 'unknown device class %', p_device_class using errcode = 'invalid_parameter_value';
  end if;
  perform lock_class(v_class);
  insert into account (team_id, class_id) values (p_team_id, v_class) on conflict do nothing returning id
    into v_account;
  if v_account is not null then
    insert into account_state (account_id, class_id) values (v_account, v_class);
  else
    select id into strict v_account from account where team_id = p_team_id and class_id = v_class;
  end if;
  update account_state t set version = o.version + 1, weight = coalesce(p_weight, o.weight),
    cap = coalesce(p_cap, o.cap), paused = coalesce(p_paused, o.paused), vtime = greatest(o.vtime, class_clock(v_class))
  from (select * from account_state z where z.account_id = v_account order by z.version desc limit 1) o
    where t.account_id = o.account_id and t.version = o.version;
  perform pg_notify('plimsoll_ready', p_device_class);
end
$$;
