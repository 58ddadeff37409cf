-- Returns unstarted tasks of a lease to the queue, in the order of the claim, without costing an attempt. Returns how
-- many the lease still held.
create or replace function release_tasks(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[],
  p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_lease lease;
  v_positions int[];
begin
  select * into v_lease from lease where fence = p_fence and worker_id = p_worker_id and epoch = p_epoch for update;
  v_positions := array(select distinct p from unnest(lease_positions(p_jobs, p_tasks, v_lease.jobs, v_lease.tasks)) p
    where p is not null order by p);
  perform settle_unheard(p_fence, v_positions, 'released', null, p_now);
  return cardinality(v_positions);
end
$$;
