-- Duty, hourly: deletes notices older than p_keep_days days, at most p_limit per call. Returns the number.
create or replace function forget_webhook_deliveries(p_keep_days int, p_limit int default 10000,
  p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_count int;
begin
  delete from webhook_delivery where id in (
    select d.id from webhook_delivery d where d.created_at < p_now - make_interval(days => p_keep_days) limit p_limit);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
