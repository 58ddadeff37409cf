-- The rules of an account's shares are checked when they are set, and not by every submit, claim and completion: PostgreSQL
-- reads the rules of a table anew for each statement that writes it.
set local role plimsoll_owner;
set local search_path = plimsoll;

-- tests/support/queue_invariants.py looks for breaches of these.
alter table account_state drop constraint account_state_cap, drop constraint account_state_lanes, drop constraint account_state_quota_period_check,
  drop constraint account_state_weight_check, drop constraint account_state_cap_check, drop constraint account_state_quota_seconds_check;
alter table job drop constraint job_items, drop constraint job_tasks_left_check;
alter table attempt drop constraint attempt_outcome_check;

set local role plimsoll_queue;
set local search_path = plimsoll;

-- As before (0009). Null keeps the old value.
create or replace function set_account_v1(p_team_id bigint, p_device_class text, p_weight float8, p_cap int, p_paused boolean)
returns void language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_class smallint;
  v_account int;
begin
  if p_weight <= 0 or p_weight = 'NaN' or p_weight = 'infinity' then
    raise exception 'weight must be above 0, and finite' using errcode = 'invalid_parameter_value';
  elsif p_cap < 0 then
    raise exception 'cap must be at least 0' using errcode = 'invalid_parameter_value';
  end if;
  select id into v_class from device_class where name = p_device_class;
  if not found then
    raise exception 'unknown device class %', p_device_class using errcode = 'invalid_parameter_value';
  end if;
  perform lock_class(v_class);
  insert into account (team_id, class_id) values (p_team_id, v_class) on conflict do nothing returning id into v_account;
  if v_account is not null then
    insert into account_state (account_id, class_id) values (v_account, v_class);
  else
    select id into strict v_account from account where team_id = p_team_id and class_id = v_class;
  end if;
  update account_state t set version = o.version + 1, weight = coalesce(p_weight, o.weight), cap = coalesce(p_cap, o.cap),
    paused = coalesce(p_paused, o.paused), vtime = greatest(o.vtime, class_clock(v_class))
  from (select * from account_state z where z.account_id = v_account order by z.version desc limit 1) o where t.account_id = o.account_id and t.version = o.version;
  perform pg_notify('plimsoll_ready', p_device_class);
end
$$;

-- As before (0030). Sets a team's share of a device class, whole. Null: no cap, no quota.
create or replace function set_share_v1(p_team_id bigint, p_device_class text, p_weight float8, p_cap int, p_quota_seconds float8, p_quota_period text)
returns void language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  if p_quota_seconds <= 0 or p_quota_seconds = 'NaN' then
    raise exception 'quota_seconds must be above 0' using errcode = 'invalid_parameter_value';
  elsif p_quota_period not in ('hour', 'day', 'week', 'month') then
    raise exception 'quota_period must be hour, day, week or month' using errcode = 'invalid_parameter_value';
  end if;
  perform set_account_v1(p_team_id, p_device_class, p_weight, coalesce(p_cap, 1000000), null);
  update account_state t set version = o.version + 1, quota_seconds = p_quota_seconds, quota_period = coalesce(p_quota_period, 'day'),
    -- Another period is counted anew, in the same one what was charged stays.
    period_seconds = case when o.quota_period = coalesce(p_quota_period, 'day') then o.period_seconds else 0 end, spent = false
  from (select z.ctid spot, z.* from account a join device_class c on c.id = a.class_id cross join lateral (
      select y.ctid, y.* from account_state y where y.account_id = a.id order by y.version desc limit 1) z
    where a.team_id = p_team_id and c.name = p_device_class) o
  where t.ctid = o.spot;
end
$$;
