-- Leases to a worker tasks of another class, as claim does of its own: of one job, of a kind that it helps with, about
-- p_max_seconds of its own time. Merge tasks and everything else in the host's lanes are not for helpers. A worker
-- calls this when its own class had nothing, and claims nothing else while it holds such a lease: after a lost response
-- it must call retire_worker and register a new epoch. A worker that holds a lease gets nothing.
create or replace function claim_elsewhere(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25,
  p_max_tasks int default 64, p_memory_bucket smallint default null, p_now timestamptz default clock_timestamp())
returns table (fence bigint)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_worker worker;
  v_guest worker;
  v_class smallint;
  v_bucket smallint;
  v_taken record;
begin
  -- Whatever ends a worker's leases locks its row for update, so no lease is created concurrently.
  select * into v_worker from worker w where w.id = p_worker_id for key share;
  if not found or not worker_is_alive(v_worker, p_epoch, p_now) then
    raise exception 'worker % epoch % is not registered or has expired', p_worker_id, p_epoch using errcode = 'PLM01';
  end if;
  if v_worker.helps = '{}'
    or exists (select from lease l where l.worker_id = p_worker_id and l.fence >= v_worker.oldest_fence) then
    return;
  end if;
  v_bucket := coalesce(p_memory_bucket, v_worker.memory_bucket);
  for v_class in select c.id from device_class c where c.id <> v_worker.class_id and c.name <> 'host' order by c.id loop
    v_guest := as_worker_of_class(v_worker, v_class);
    -- An idle worker that polls other classes does not queue for their locks.
    continue when (
      select h.tasks from cross_class_candidates(v_guest, v_bucket, p_max_seconds, p_max_tasks, p_now) h) is null;
    perform lock_class(v_class);
    -- Checked under the lock, because holds are placed and lifted under it.
    continue when is_held(v_worker) or is_held(v_guest);
    select * into v_taken from claim_cross_class(v_guest, v_bucket, p_max_seconds, p_max_tasks, p_now);
    continue when v_taken.jobs is null;
    perform set_config('synchronous_commit', 'off', true);
    fence := v_taken.fence;
    return next;
    return;
  end loop;
end
$$;
