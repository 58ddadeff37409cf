-- Duty, every second: ends the leases of a worker that was not seen within the lease time, one worker per call (class
-- locks are taken in order): call again while it returns a row. tasks: how many it held.
create or replace function expire_leases(p_now timestamptz default clock_timestamp())
returns table (worker_id int, tasks int) language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_worker worker;
begin
  select * into v_worker from worker w where w.state = 'active' and w.seen_at <= p_now - lease_ttl()
  order by w.id limit 1 for update skip locked;
  if found then
    update worker set state = 'lost', progress = '{}' where id = v_worker.id;
    return query select v_worker.id, end_leases(v_worker, '{}', p_now, 'lost', p_now);
  end if;
end
$$;
