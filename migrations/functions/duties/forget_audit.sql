-- Duty, hourly: deletes audit events older than p_keep_days days, the oldest first. Returns the number; call again
-- while it is not 0. IDs follow time closely, so only the oldest rows are read, and no index on time is needed.
create or replace function forget_audit(p_keep_days int, p_limit int default 10000,
  p_now timestamptz default clock_timestamp()) returns int
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_count int;
begin
  delete from audit_event a using (select e.id, e.at from audit_event e order by e.id limit p_limit) oldest
  where a.id = oldest.id and oldest.at < p_now - make_interval(days => p_keep_days);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
