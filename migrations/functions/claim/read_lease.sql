-- The worker's newest lease but those in p_known: what the claim before this call has leased. No row: there is none.
--
-- One row per job: tasks and the arrays beside it have one element per task, in task order; places gives the position
-- of each among all tasks of the lease, from 1. is_whole: all tasks of the job are here and make its report. items and
-- inputs are null for a merge task, which has its tasks' partials instead; an input is null if the task runs on a
-- dataset's chunk (read_claimed_chunks). Index lease_worker. Locks nothing.
create or replace function read_lease(p_worker_id int, p_epoch int, p_known bigint[])
returns table (fence bigint, job_id bigint, is_merge boolean, is_whole boolean, kind text, kind_version smallint,
  args json, model text, tasks int[], attempts smallint[], est_seconds real[], places int[], items int[],
  inputs bytea[], partials bytea[], priority smallint, trace bytea)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_lease lease;
begin
  select l.* into v_lease from lease l
  where l.worker_id = p_worker_id and l.epoch = p_epoch and l.fence <> all(p_known)
    and l.fence >= (select w.oldest_fence from worker w where w.id = p_worker_id)
  order by l.fence desc limit 1;
  if not found then
    return;
  end if;
  if 0 = all (v_lease.tasks) then
    return query select v_lease.fence, a.*
    from leased_first_tasks(v_lease.jobs, v_lease.attempts, v_lease.charges) a;
  else
    return query select v_lease.fence, a.*
    from leased_jobs(v_lease.jobs, v_lease.tasks, v_lease.attempts, v_lease.charges) a;
  end if;
end
$$;
