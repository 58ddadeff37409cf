-- Whether the worker leaves a task, on which one of its processes died, to another device: for a minute, and only while
-- another one could run it. A single device retries it itself.
create or replace function defers_to_other_worker(p_worker worker, p_lane_id int, p_job_id bigint, p_task int,
  p_since timestamptz, p_now timestamptz)
returns boolean language plpgsql stable as $$
begin
  return p_since > p_now - interval '1 minute'
    and exists (select from attempt a
      where a.job_id = p_job_id and a.seq = p_task and a.worker_id = p_worker.id and a.outcome = 'worker_died')
    and exists (select from worker w join lane l on l.id = p_lane_id
      where w.class_id = p_worker.class_id and w.id <> p_worker.id and w.state = 'active'
        and w.seen_at > p_now - lease_ttl() and lane_fits(l, w, w.memory_bucket));
end
$$;
