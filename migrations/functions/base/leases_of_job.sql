-- The leases that hold tasks of the job. Read worker by worker, because each worker knows its oldest live lease; offset
-- 0 makes the planner keep to that, instead of reading all of lease with its dead rows.
create or replace function leases_of_job(p_job_id bigint) returns bigint[] language plpgsql as $$
begin
  return array(select l.fence from worker w cross join lateral (
      select x.fence, x.jobs from lease x where x.worker_id = w.id and x.fence >= w.oldest_fence offset 0) l
    where p_job_id = any(l.jobs) order by l.fence);
end
$$;
