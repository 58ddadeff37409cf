-- What each account of a team (null: of all) used and is due, decayed to now: used_share of the class's device-seconds,
-- due_share by weight among those with recent usage or ready tasks.
create or replace function list_shares(p_team_id bigint, p_now timestamptz default clock_timestamp())
returns table (team_id bigint, team_name text, device_class text, weight float8, cap int, slots int, ready bigint,
  used_seconds float8, used_share float8, due_share float8, quota_seconds float8, quota_used float8, quota_period text,
  quota_renews_at timestamptz, quota_spent boolean, paused boolean)
language plpgsql stable security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
begin
  perform assert_team(p_team_id);
  return query
  with present as (
    select a.team_id, c.id class_id, c.name, s.weight, s.cap, s.slots, s.ready,
      decayed(s.usage, s.decayed_at, p_now, c.half_life_seconds) used, s.quota_seconds,
      period_used(s.period_seconds, s.period_start, s.quota_period, p_now) quota_used, s.quota_period, s.over_quota,
        s.paused
    from account a join device_class c on c.id = a.class_id
    cross join lateral (select * from account_state y where y.account_id = a.id order by y.version desc limit 1) s
  ), counted as (
    select p.*, p.used / nullif(sum(p.used) over (partition by p.class_id), 0) used_share, p.weight / nullif(
      sum(p.weight) filter (where p.used >= 0.001 or p.ready > 0 or p.slots > 0) over (partition by p.class_id),
        0) due_share
    from present p
  )
  select p.team_id, t.name, p.name, p.weight, nullif(p.cap, 1000000), p.slots, p.ready::bigint, p.used,
    coalesce(p.used_share, 0),
    case when p.used >= 0.001 or p.ready > 0 or p.slots > 0 then coalesce(p.due_share, 0) else 0 end,
    p.quota_seconds, p.quota_used, p.quota_period,
    case when p.quota_seconds is not null then quota_start(p.quota_period, p_now) + ('1 ' || p.quota_period)::interval
      end, p.over_quota, p.paused
  from counted p join team t on t.id = p.team_id where p_team_id is null or p.team_id = p_team_id
  order by t.name, p.class_id;
end
$$;
