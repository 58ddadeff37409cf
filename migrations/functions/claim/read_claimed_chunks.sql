-- The inputs of a lease's tasks that run on dataset chunks, which claim returns without input: for each, the chunk and
-- the slice of it (see enqueue_dataset), chunk by chunk. input is null for the further tasks of a chunk: a chunk may be
-- a thousand times as large as a slice. No row: the lease is not this worker's.
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
  select t.job_id, t.task, case when t.place = 1 then coalesce(c.content, '') end, t.task % t.slices, t.slices
  from (
    select u.job_id, u.task, j.dataset_id, j.slices, row_number() over of_chunk place
    from unnest(v_lease.jobs, v_lease.tasks) u(job_id, task)
    cross join lateral (select x.dataset_id, x.slices from job x
      where x.id = u.job_id and x.id between v_low and v_high and x.dataset_id is not null offset 0) j
    window of_chunk as (partition by j.dataset_id, u.task / j.slices order by u.task)) t
  left join dataset_chunk c on t.place = 1 and c.dataset_id = t.dataset_id and c.seq = t.task / t.slices
  order by t.dataset_id, t.task / t.slices, t.place;
end
$$;
