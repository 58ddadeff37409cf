-- Gives the worker tasks: about p_max_seconds of its device's time, at most p_max_tasks, at least one if any fits. No
-- row: nothing to do; listen and poll. claim_next describes who gets which tasks.
--
-- One row per job: tasks and the arrays beside it have one element per task, in task order; places gives the position
-- of each among all tasks of the claim, from 1. is_whole: all tasks of the job are here and make its report. items and
-- inputs are null for a merge task, which has its tasks' partials instead; an input is null if the task runs on a
-- dataset's chunk (read_claimed_chunks).
-- p_memory_bucket: 2^n MiB are free on the device; null: as registered. p_models: models that the device holds in
-- memory. PLM01: the worker is not registered or has expired.
-- To keep leases short, a worker holds at most two: one running, one fetched ahead. A task that a worker died on is
-- handed out alone and, for a minute, not to the device that it died on while another one could run it.
-- Does not wait for the disk: a crash of the database may forget the claims of its last moments, never the record of an
-- outcome and not its claim. Forgotten, the tasks are ready again; their old holder's results are stale.
create or replace function claim(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25,
  p_max_tasks int default 64, p_memory_bucket smallint default null, p_models text[] default '{}',
  p_now timestamptz default clock_timestamp())
returns table (fence bigint, job_id bigint, is_merge boolean, is_whole boolean, kind text, kind_version smallint,
  args json, model text, tasks int[], attempts smallint[], est_seconds real[], places int[], items int[],
  inputs bytea[], partials bytea[], priority smallint, trace bytea)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_taken record;
begin
  v_taken := claim_next(p_worker_id, p_epoch, p_max_seconds, p_max_tasks, p_memory_bucket, p_models, p_now);
  if v_taken.jobs is null then
    return;
  end if;
  perform set_config('synchronous_commit', 'off', true);
  if 0 = all (v_taken.tasks) then
    return query select v_taken.fence, a.*
    from leased_first_tasks(v_taken.jobs, v_taken.attempts, v_taken.ests) a;
  else
    return query select v_taken.fence, a.*
    from leased_jobs(v_taken.jobs, v_taken.tasks, v_taken.attempts, v_taken.ests) a;
  end if;
end
$$;
