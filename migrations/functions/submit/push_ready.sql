-- Appends tasks to their lanes, and notifies workers if a lane was empty. The caller holds the class lock.
create or replace function push_ready(p_class_id smallint, p_lanes int[], p_jobs bigint[], p_tasks int[], p_ests real[],
  p_attempts smallint[], p_crashes smallint[], p_now timestamptz) returns void language plpgsql as $$
declare
  v_lanes int[];
  v_firsts bigint[];
  v_counts int[];
  v_low bigint;
  v_high bigint;
begin
  if coalesce(cardinality(p_lanes), 0) = 0 then
    return;
  end if;
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  with added as (
    insert into ready (lane_id, seq, job_id, task, est_seconds, attempt, crashes, since)
    select u.lane_id, nextval('job_seq') << 20, u.job_id, u.task, u.est, u.attempt, u.crashes, p_now
    from unnest(p_lanes, p_jobs, p_tasks, p_ests, p_attempts, p_crashes) u(lane_id, job_id, task, est, attempt, crashes)
    returning lane_id, seq, job_id
  ), jobs as (
    update job j set ready_first = coalesce(j.ready_first, r.first), ready_last = r.last
    from (select job_id, min(seq) first, max(seq) last from added group by 1) r
    where j.id = r.job_id and j.id = any(p_jobs) and j.id between v_low and v_high
  )
  select array_agg(lane_id), array_agg(first), array_agg(n) into v_lanes, v_firsts, v_counts
  from (select lane_id, min(seq) first, count(*)::int n from added group by 1) x;
  if add_ready(p_class_id, v_lanes, v_firsts, v_counts, p_now) then
    perform pg_notify('plimsoll_ready', name) from device_class where id = p_class_id;
  end if;
end
$$;
