-- Records the outcomes of a lease's tasks, with one verdict for the whole call: accepted if any task was (or its job is
-- being cancelled), replayed if this fence recorded it before, stale only if every task is: another lease owns them
-- now.
--
-- Arrays have one element per task. p_outcomes: done, retry (again after p_delays seconds), final (failed), died (the
-- worker's process will not survive it); p_errors and p_delays are null if all tasks are done. p_contents: a gzip
-- member of result rows, or null. p_partials: the task's aggregate; of a merge task, or of the only task of a job
-- without one, the report. p_reports: null, or at the last task of a whole job its report, which counts only if all
-- tasks of the lease are done and recorded by this call: then no merge task is needed. p_items_ok, p_items_failed;
-- p_seconds: device-seconds as measured. p_tokens: what models have read for the tasks, or null; it is added to the
-- jobs for their progress, repeated work again. 22023: the arrays differ in length, an outcome is unknown, or a task is
-- named twice.
create or replace function complete(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[],
  p_contents bytea[], p_partials bytea[], p_items_ok int[], p_items_failed int[], p_seconds real[],
  p_outcomes text[] default null, p_errors text[] default null, p_delays real[] default null,
  p_now timestamptz default clock_timestamp(), p_tokens bigint[] default null, p_reports bytea[] default null)
returns text language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_lease lease;
  v_worker worker;
  v_count constant int := cardinality(p_jobs);
  v_verdict text;
  v_low bigint;
  v_high bigint;
begin
  if p_outcomes is null and v_count = all (array[cardinality(p_tasks), cardinality(p_contents), cardinality(p_partials),
    cardinality(p_items_ok), cardinality(p_items_failed), cardinality(p_seconds)]) then
    select * into v_lease from lease where fence = p_fence for update;
    if p_jobs = v_lease.jobs and p_tasks = v_lease.tasks and v_lease.worker_id = p_worker_id and v_lease.epoch = p_epoch
      then
      select * into v_worker from worker where id = p_worker_id;
      if v_lease.class_id = v_worker.class_id and worker_is_alive(v_worker, p_epoch, p_now)
        and settle_done(v_lease, v_worker, p_contents, p_partials, p_reports, p_items_ok, p_items_failed, p_seconds,
          p_now) then
        v_verdict := 'accepted';
      end if;
    end if;
  end if;
  if v_verdict is null then
    select case when bool_or(c.verdict in ('accepted', 'cancelled')) then 'accepted'
      when bool_or(c.verdict = 'replayed') then 'replayed' else 'stale' end into v_verdict
    from complete_each(p_worker_id, p_epoch, p_fence, p_jobs, p_tasks,
      coalesce(p_outcomes, array_fill('done'::text, array[v_count])), p_contents, p_partials,
      p_items_ok, p_items_failed, p_seconds, coalesce(p_errors, array_fill(null::text, array[v_count])),
      coalesce(p_delays, array_fill(null::real, array[v_count])), p_now, p_reports) c;
  end if;
  -- The class lock is held now, and with it the order of locks.
  if v_verdict = 'accepted' and p_tokens is not null then
    select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
    update job j set tokens_done = j.tokens_done + n.tokens
    from (select s.job_id, sum(s.tokens) tokens from unnest(p_jobs, p_tokens) s(job_id, tokens) group by 1) n
    where j.id = n.job_id and j.id = any(p_jobs) and j.id between v_low and v_high;
  end if;
  return v_verdict;
end
$$;
