-- Reports that a worker is alive: at least every 5 s, and only while the device thread makes progress. p_fences: the
-- leases it holds; p_progress_jobs, p_progress_items: items done in open tasks; p_telemetry null keeps the last. alive
-- = false: the leases are or will be lost; drop all work and register again. stale_fences: drop those. cancelled_jobs:
-- stop their tasks and complete (verdict cancelled) or release them. cleanup: a cleanup request for this device,
-- repeated with every heartbeat until it is answered; null: none.
create or replace function heartbeat(p_worker_id int, p_epoch int, p_fences bigint[], p_progress_jobs bigint[],
  p_progress_items int[], p_telemetry json default null, p_now timestamptz default clock_timestamp())
returns table (alive boolean, stale_fences bigint[], cancelled_jobs bigint[], cleanup bigint)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_worker worker;
  v_progress jsonb;
  v_jobs bigint[];
  v_low bigint;
  v_high bigint;
begin
  select coalesce(jsonb_object_agg(u.job::text, u.items), '{}') into v_progress
  from (select job, sum(items) items from unnest(p_progress_jobs, p_progress_items) x(job, items) group by 1) u;
  -- FOR UPDATE, so that no claim of this worker is in progress: its lease would be missing below.
  select * into v_worker from worker w where w.id = p_worker_id for update;
  if not found or not worker_is_alive(v_worker, p_epoch, p_now) then
    return query select false, p_fences, '{}'::bigint[], null::bigint;
    return;
  end if;
  update worker w set seen_at = greatest(w.seen_at, p_now), telemetry = coalesce(p_telemetry, w.telemetry),
    progress = v_progress,
    oldest_fence = coalesce(
      (select min(l.fence) from lease l where l.worker_id = w.id and l.fence >= w.oldest_fence),
      (select last_value << 20 from fence_seq))
  where w.id = p_worker_id returning * into v_worker;
  -- A claim whose response was lost: the worker is alive but does not know the lease. No response takes as long as a
  -- lease lasts.
  perform end_leases(v_worker, p_fences, p_now - lease_ttl(), 'released', p_now);
  perform notify_jobs(array(select distinct j from unnest(p_progress_jobs) j));
  v_jobs := array(select distinct x.id from lease l cross join unnest(l.jobs) x(id) where l.fence = any(p_fences)
    and l.worker_id = p_worker_id and l.fence >= v_worker.oldest_fence);
  select min(id), max(id) into v_low, v_high from unnest(v_jobs) u(id);
  return query select true,
    array(select f from unnest(p_fences) f where not exists (
      select from lease l where l.fence = f and l.epoch = p_epoch and l.worker_id = p_worker_id
        and l.fence >= v_worker.oldest_fence)),
    array(select j.id from job j where j.id = any(v_jobs) and j.id between v_low and v_high and j.state = 'cancelling'),
    (select c.id from device_cleanup c where c.worker_id = p_worker_id and c.ended_at is null);
end
$$;
