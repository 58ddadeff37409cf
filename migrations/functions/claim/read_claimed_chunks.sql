-- The inputs of a lease's tasks that run on dataset chunks, which claim returns without input: for each, the chunk and
-- the slice of it (see enqueue_dataset). No row: the lease is not this worker's.
create or replace function read_claimed_chunks(p_worker_id int, p_epoch int, p_fence bigint)
returns table (job_id bigint, task int, input bytea, slice int, slices int)
language plpgsql stable security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_lease lease;
  v_low bigint;
  v_high bigint;
begin
  select * into v_lease from lease l where l.fence = p_fence and l.worker_id = p_worker_id and l.epoch = p_epoch;
  select min(u.id), max(u.id) into v_low, v_high from unnest(v_lease.jobs) u(id);
  return query
  select u.job_id, u.task, c.content, u.task % j.slices, j.slices
  from unnest(v_lease.jobs, v_lease.tasks) u(job_id, task)
  cross join lateral (select x.dataset_id, x.slices from job x
    where x.id = u.job_id and x.id between v_low and v_high offset 0) j
  join dataset_chunk c on c.dataset_id = j.dataset_id and c.seq = u.task / j.slices;
end
$$;
