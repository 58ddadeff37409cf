-- Duty, hourly: deletes hours older than p_keep_days days. Returns the number.
create or replace function forget_usage(p_keep_days int, p_now timestamptz default clock_timestamp()) returns int
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_count int;
begin
  delete from usage_hour where hour < date_trunc('day', p_now, 'UTC') - make_interval(days => p_keep_days);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
