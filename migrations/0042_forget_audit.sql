-- The audit log has a row for every job: what is older than its time goes, as all else does.
set local role plimsoll_owner;
set local search_path = plimsoll;

-- Forgets what happened before the last p_keep_days days, the oldest first; answers how many rows. Numbers are given in the
-- order of time, but for moments: so only the oldest are looked at, however many there are, and no index on the time is kept.
create function forget_audit_v1(p_keep_days int, p_limit int default 10000, p_now timestamptz default clock_timestamp()) returns int
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
grant execute on function forget_audit_v1 to plimsoll_app;

-- After ten thousand rows, not after a fifth of the log.
alter table audit_event set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
