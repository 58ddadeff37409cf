-- Replaces a team's share of a device class. Null: no cap, no quota. A team with a quota gets a row in team_limit, so
-- that a submit reads only that table to know whether limits or quotas apply.
create or replace function set_share(p_team_id bigint, p_device_class text, p_weight float8, p_cap int,
  p_quota_seconds float8, p_quota_period text)
returns void language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  perform assert_team(p_team_id);
  if p_quota_seconds <= 0 or p_quota_seconds = 'NaN' then
    raise exception 'quota_seconds must be above 0' using errcode = 'invalid_parameter_value';
  elsif p_quota_period not in ('hour', 'day', 'week', 'month') then
    raise exception 'quota_period must be hour, day, week or month' using errcode = 'invalid_parameter_value';
  end if;
  perform set_account(p_team_id, p_device_class, p_weight, coalesce(p_cap, 1000000), null);
  if p_quota_seconds is not null then
    insert into team_limit (team_id) values (p_team_id) on conflict do nothing;
  end if;
  update account_state t set version = o.version + 1, quota_seconds = p_quota_seconds,
    quota_period = coalesce(p_quota_period, 'day'),
    -- A different period starts at zero; within the same one, charges are kept.
    period_seconds = case when o.quota_period = coalesce(p_quota_period, 'day') then o.period_seconds else 0 end,
      over_quota = false
  from (select z.ctid spot, z.* from account a join device_class c on c.id = a.class_id cross join lateral (
      select y.ctid, y.* from account_state y where y.account_id = a.id order by y.version desc limit 1) z
    where a.team_id = p_team_id and c.name = p_device_class) o
  where t.ctid = o.spot;
end
$$;
