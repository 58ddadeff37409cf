-- Deregisters a worker; what it still holds is released without costing an attempt. False: it is not registered.
create or replace function retire_worker(p_worker_id int, p_epoch int, p_now timestamptz default clock_timestamp())
returns boolean language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_worker worker;
begin
  select * into v_worker from worker w where w.id = p_worker_id for update;
  if not found or not worker_is_alive(v_worker, p_epoch, p_now) then
    return false;
  end if;
  update worker set state = 'retired', progress = '{}' where id = p_worker_id;
  perform end_leases(v_worker, '{}', p_now, 'released', p_now);
  return true;
end
$$;
