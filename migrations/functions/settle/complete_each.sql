-- Records the outcomes of tasks. verdict per task: accepted; cancelled (not recorded: the job is being cancelled);
-- replayed (this fence recorded it before: the response was lost); stale (another lease owns the task now: drop the
-- result). A death that was noticed before it was reported counts as replayed. Outcomes and arrays: see complete.
create or replace function complete_each(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[],
  p_outcomes text[], p_contents bytea[], p_partials bytea[], p_items_ok int[], p_items_failed int[], p_seconds real[],
  p_errors text[], p_delays real[], p_now timestamptz default clock_timestamp(), p_reports bytea[] default null)
returns table (job_id bigint, task int, verdict text)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_lease lease;
  v_worker worker;
  v_positions int[];
  v_next_states text[];
begin
  if not coalesce(cardinality(p_jobs) = all (array[cardinality(p_tasks), cardinality(p_outcomes),
    cardinality(p_contents), cardinality(p_partials), cardinality(p_items_ok), cardinality(p_items_failed),
    cardinality(p_seconds), cardinality(p_errors), cardinality(p_delays)]), false)
    or exists (select from unnest(p_outcomes) o where o is null or o not in ('done', 'retry', 'final', 'died')) then
    raise exception 'arrays differ in length or an outcome is unknown' using errcode = 'invalid_parameter_value';
  end if;
  select * into v_lease from lease where fence = p_fence for update;
  -- A lease names no task twice, so completing the whole lease cannot either.
  if (p_jobs = v_lease.jobs and p_tasks = v_lease.tasks) is not true
    and (select count(*) <> count(distinct (j, t)) from unnest(p_jobs, p_tasks) u(j, t)) then
    raise exception 'a task is named twice' using errcode = 'invalid_parameter_value';
  end if;
  select * into v_worker from worker where id = p_worker_id;
  if v_lease.class_id <> v_worker.class_id then
    p_seconds := charged_seconds(v_lease, v_worker.speed, p_jobs, p_tasks);
  end if;
  if v_lease.worker_id = p_worker_id and v_lease.epoch = p_epoch and worker_is_alive(v_worker, p_epoch, p_now) then
    if p_jobs = v_lease.jobs and p_tasks = v_lease.tasks and 'done' = all(p_outcomes)
        and settle_done(v_lease, v_worker, p_contents, p_partials, p_reports, p_items_ok, p_items_failed, p_seconds,
          p_now) then
      return query select u.job_id, u.task, 'accepted' from unnest(p_jobs, p_tasks) u(job_id, task);
      return;
    end if;
    v_positions := lease_positions(p_jobs, p_tasks, v_lease.jobs, v_lease.tasks);
  end if;
  if array_position(v_positions, null) is null and v_positions <> '{}' then
    return query select u.job_id, u.task, case u.next_state when 'dropped' then 'cancelled' else 'accepted' end
    from unnest(p_jobs, p_tasks, settle(p_fence, v_positions, p_outcomes, p_contents, p_partials, p_items_ok,
      p_items_failed, p_seconds, p_errors, p_delays, p_now)) u(job_id, task, next_state);
    return;
  elsif array_remove(v_positions, null) <> '{}' then
    v_next_states := settle(p_fence, array_agg(u.pos order by u.ord), array_agg(u.outcome order by u.ord),
        array_agg(u.content order by u.ord), array_agg(u.partial order by u.ord), array_agg(u.ok order by u.ord),
        array_agg(u.failed order by u.ord), array_agg(u.seconds order by u.ord), array_agg(u.error order by u.ord),
        array_agg(u.delay order by u.ord), p_now)
      from unnest(v_positions, p_outcomes, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_errors,
        p_delays)
        with ordinality u(pos, outcome, content, partial, ok, failed, seconds, error, delay, ord)
      where u.pos is not null;
  end if;
  -- Tasks that were not in the lease: recorded by it before, or not its own.
  return query
  select u.job_id, u.task, case
      when u.pos is not null then case v_next_states[count(u.pos) over (order by u.ord)] when 'dropped' then 'cancelled'
      else 'accepted' end
      when exists (select from result r where r.job_id = u.job_id and r.seq = u.task and r.fence = p_fence)
        or exists (select from attempt a where a.job_id = u.job_id and a.seq = u.task and a.fence = p_fence
          and (a.outcome in ('worker_lost', 'worker_died')) = (p_outcomes[u.ord::int] = 'died'))
        or exists (select from report r join job j on j.id = r.job_id where r.job_id = u.job_id
          and u.task = j.tasks_total and r.fence = p_fence)
        then 'replayed'
      else 'stale' end
  from unnest(p_jobs, p_tasks, v_positions) with ordinality u(job_id, task, pos, ord) order by u.ord;
end
$$;
