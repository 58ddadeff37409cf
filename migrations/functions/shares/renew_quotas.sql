-- Duty, every second: unmarks accounts whose quota period is over, those of one class per call. Returns the number;
-- call again while it is not 0.
create or replace function renew_quotas(p_now timestamptz default clock_timestamp()) returns int
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_class device_class;
  v_count int;
begin
  for v_class in select c.* from device_class c where exists (select from account_state s where s.class_id = c.id
    and s.over_quota
      and s.period_start < quota_start(s.quota_period, p_now)) order by c.id limit 1 loop
    perform lock_class(v_class.id);
    update account_state s set version = s.version + 1, over_quota = false,
      vtime = greatest(s.vtime, class_clock(v_class.id))
    where s.class_id = v_class.id and s.over_quota and s.period_start < quota_start(s.quota_period, p_now);
    get diagnostics v_count = row_count;
    perform pg_notify('plimsoll_ready', v_class.name);
    return v_count;
  end loop;
  return 0;
end
$$;
