-- As heartbeat_v1; cleanup: the request that this device has to answer, or null.
create or replace function heartbeat_v2(p_worker_id int, p_epoch int, p_fences bigint[], p_progress_jobs bigint[], p_progress_items int[],
  p_telemetry json default null, p_now timestamptz default clock_timestamp())
returns table (alive boolean, draining boolean, stale_fences bigint[], cancelled_jobs bigint[], cleanup bigint)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  return query
  select h.alive, h.draining, h.stale_fences, h.cancelled_jobs,
    (select c.id from device_cleanup c where c.worker_id = p_worker_id and c.ended_at is null and h.alive)
  from heartbeat_v1(p_worker_id, p_epoch, p_fences, p_progress_jobs, p_progress_items, p_telemetry, p_now) h;
end
$$;
