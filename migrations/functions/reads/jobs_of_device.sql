-- Those of the given jobs of which the device has run a task, or runs one now; it reveals nothing about other jobs.
-- Reads the tasks of each job until one is found: indexes worker_node_device_key, result_<day>_pkey,
-- attempt_<day>_pkey.
create or replace function jobs_of_device(p_jobs bigint[], p_node text, p_device text) returns setof bigint
language plpgsql stable security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_worker int;
  v_running bigint[];
begin
  select w.id, array(select unnest(l.jobs) from lease l where l.worker_id = w.id and l.fence >= w.oldest_fence)
    into v_worker, v_running from worker w where w.node = p_node and w.device = p_device;
  return query
  select u.id from unnest(p_jobs) u(id)
  where u.id = any(v_running)
    or (select true from result r where r.job_id = u.id and r.worker_id = v_worker limit 1)
    or (select true from attempt t where t.job_id = u.id and t.worker_id = v_worker limit 1);
end
$$;
