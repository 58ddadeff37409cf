-- Completing a whole lease whose tasks are all done, which nearly every completion does, takes a short way to the same rows.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- Charges become what was measured, and a slot is given back with the last lease of an account on its worker.
-- A correction fades, and counts in the quota's period, with the charge that it corrects. p_accounts are distinct.
-- The caller holds the class lock and has updated the lease.
create function account_correct(p_class_id smallint, p_worker worker, p_accounts int[], p_corrections float8[]) returns void language plpgsql as $$
declare
  v_clock constant float8 := class_clock(p_class_id);
  v_lowest float8;
begin
  with old as materialized (
    select s.*, c.seconds more, s.vtime + c.seconds / s.weight corrected, (not h.held)::int gone,
      s.spent and s.period_seconds + c.seconds >= s.quota_seconds still_spent,
      s.ready > 0 and (s.spent or s.slots >= s.cap and s.slots - (not h.held)::int < s.cap) opens
    from unnest(p_accounts, p_corrections) c(account_id, seconds)
    cross join lateral (select exists (select from lease l
      where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence and c.account_id = any(l.accounts)) held) h
    cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = c.account_id order by z.version desc limit 1) s
  ), changed as (
    update account_state t set version = o.version + 1, slots = o.slots - o.gone,
      used = greatest(0, o.used + o.more), period_seconds = greatest(0, o.period_seconds + o.more), spent = coalesce(o.still_spent, false),
      vtime = case when o.opens then greatest(o.corrected, v_clock) else o.corrected end
    from old o where t.ctid = o.spot
    returning t.vtime, t.ready > 0 and t.slots < t.cap and not t.paused and not t.spent is_open
  )
  select min(vtime) filter (where is_open) into v_lowest from changed;
  if v_lowest < v_clock then
    update class_state c set version = n.version + 1, vclock = v_lowest
    from (select o.ctid spot, o.version from class_state o where o.class_id = p_class_id order by o.version desc limit 1) n
    where c.ctid = n.spot;
  end if;
end
$$;

create or replace function account_settle(p_class_id smallint, p_worker worker, p_lease_accounts int[], p_accounts int[], p_costs float8[], p_charges real[])
returns void language plpgsql as $$
declare
  v_accounts int[];
  v_corrections float8[];
begin
  select array_agg(x.account_id), array_agg(x.seconds) into v_accounts, v_corrections from (
    select c.account_id, sum(c.seconds) seconds from (
      select unnest(p_accounts) account_id, unnest(p_costs) - unnest(p_charges) seconds
      union all select distinct unnest(p_lease_accounts), 0) c group by 1) x;
  perform account_correct(p_class_id, p_worker, v_accounts, v_corrections);
end
$$;

-- Counts what was done into the jobs (distinct) and ends those that have nothing left to run; answers the jobs to merge.
-- p_merged: it was the job's merge task. p_reports: of a merge task, or of a job's only task, what it
-- handed in. Nothing of arrays may be
-- looked up row by row here.
create function jobs_done(p_fence bigint, p_jobs bigint[], p_counts int[], p_oks bigint[], p_faileds bigint[], p_costs float8[], p_merged boolean[],
  p_reports bytea[], p_now timestamptz) returns bigint[]
language plpgsql set enable_nestloop = off set enable_hashjoin = on as $$
declare
  v_ended bigint[];  -- these and the three below: jobs that ended
  v_teams bigint[];
  v_events int[];
  v_ends bytea[];
  v_merging bigint[];
  v_low bigint;
  v_high bigint;
begin
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  with changed as (
    update job j set items_ok = j.items_ok + n.ok, items_failed = j.items_failed + n.failed, tasks_left = j.tasks_left - n.ended,
      charged_seconds = j.charged_seconds + n.cost, revision = j.revision + 1, error = null,
      state = case when n.merged or j.tasks_left = n.ended and not j.merge then 'succeeded' else j.state end,
      finished_at = case when n.merged or j.tasks_left = n.ended and not j.merge then p_now end,
      last_event = j.last_event + (n.merged or j.tasks_left = n.ended and not j.merge)::int
    from (select unnest(p_jobs) job_id, unnest(p_counts) ended, unnest(p_oks) ok, unnest(p_faileds) failed, unnest(p_costs) cost,
      unnest(p_merged) merged, unnest(p_reports) report) n
    where j.id = n.job_id and j.id = any(p_jobs) and j.id between v_low and v_high
    returning j.id, j.team_id, j.last_event, j.finished_at is not null finished, j.tasks_left = 0 and j.finished_at is null merging, n.report
  )
  select array_agg(c.id) filter (where c.finished), array_agg(c.team_id) filter (where c.finished), array_agg(c.last_event) filter (where c.finished),
    array_agg(c.report) filter (where c.finished), array_agg(c.id order by c.id) filter (where c.merging)
  into v_ended, v_teams, v_events, v_ends, v_merging from changed c;
  if v_ended is not null then
    insert into event (job_id, n, team_id, at, type, data)
    select s.id, s.n, s.team_id, p_now, 'finished', '{"state":"succeeded"}' from unnest(v_ended, v_events, v_teams) s(id, n, team_id);
    insert into report (job_id, team_id, fence, content, created_at)
    select s.id, s.team_id, p_fence, s.report, p_now from unnest(v_ended, v_teams, v_ends) s(id, team_id, report) where s.report is not null;
  end if;
  return v_merging;
end
$$;

-- Ends a lease all of whose tasks are done; the arrays are in the lease's order, the caller has locked its row. False: a job is
-- being cancelled, and nothing has changed.
create function settle_done(p_lease lease, p_worker worker, p_contents bytea[], p_partials bytea[], p_oks int[], p_faileds int[], p_seconds real[],
  p_now timestamptz) returns boolean language plpgsql as $$
declare
  v_jobs bigint[];  -- these and the following have one element per job
  v_counts int[];
  v_ok_sums bigint[];
  v_failed_sums bigint[];
  v_costs float8[];
  v_merged boolean[];
  v_lasts int[];
  v_merges int[];  -- where the merge tasks stand
  v_accounts int[];
  v_teams bigint[];
  v_corrections float8[];
  v_merging bigint[];
  v_low bigint;
  v_high bigint;
begin
  if array_remove(p_lease.accounts, p_lease.accounts[1]) = '{}' then
    v_accounts := array[p_lease.accounts[1]];
  else
    v_accounts := array(select distinct unnest(p_lease.accounts));
  end if;
  v_teams := array(select a.team_id from unnest(v_accounts) with ordinality u(id, ord) join account a on a.id = u.id order by u.ord);
  select min(id), max(id) into v_low, v_high from unnest(p_lease.jobs) u(id);
  -- No merge task has others of its job beside it.
  select array_agg(s.job_id), array_agg(case when s.task = j.tasks_total then 0 else s.n end), array_agg(case when s.task = j.tasks_total then 0 else s.ok end),
    array_agg(case when s.task = j.tasks_total then 0 else s.failed end), array_agg(s.cost), array_agg(s.task = j.tasks_total), array_agg(s.ord),
    array_agg(s.ord) filter (where s.task = j.tasks_total)
  into v_jobs, v_counts, v_ok_sums, v_failed_sums, v_costs, v_merged, v_lasts, v_merges
  from (
    select x.job_id, count(*)::int n, sum(x.ok) ok, sum(x.failed) failed, sum((coalesce(x.seconds, 0) * p_worker.speed)::float8) cost, max(x.task) task, max(x.ord) ord
    from (select unnest(p_lease.jobs) job_id, unnest(p_lease.tasks) task, unnest(p_oks) ok, unnest(p_faileds) failed, unnest(p_seconds) seconds,
      generate_series(1, cardinality(p_lease.jobs)) ord) x group by x.job_id order by ord) s
  cross join lateral (select y.tasks_total from job y where y.id = s.job_id and y.id between v_low and v_high offset 0) j;

  -- The bulk of the bytes goes in before the class lock is taken.
  insert into result (job_id, seq, team_id, state, fence, worker_id, attempt, items_ok, items_failed, seconds, bytes, content, partial, finished_at)
  select s.job_id, s.task, v_teams[array_position(v_accounts, s.account)], 'done', p_lease.fence, p_worker.id, s.attempt, s.ok, s.failed,
    coalesce(s.seconds, 0) * p_worker.speed, coalesce(octet_length(s.content), 0), s.content, s.partial, p_now
  from (
    select unnest(p_lease.jobs) job_id, unnest(p_lease.tasks) task, unnest(p_lease.accounts) account, unnest(p_lease.attempts) attempt, unnest(p_oks) ok,
      unnest(p_faileds) failed, unnest(p_seconds) seconds, unnest(p_contents) content, unnest(p_partials) partial,
      generate_series(1, cardinality(p_lease.jobs)) ord) s
  where v_merges is null or s.ord <> all(v_merges);

  perform lock_class(p_lease.class_id);
  -- A job being cancelled takes no more results. Cancel sets the state under the class lock.
  if exists (select from job j where j.id = any(v_jobs) and j.id between v_low and v_high and j.state = 'cancelling') then
    delete from result r using unnest(p_lease.jobs, p_lease.tasks) s(job_id, task)
    where r.job_id = s.job_id and r.job_id between v_low and v_high and r.seq = s.task and r.fence = p_lease.fence;
    return false;
  end if;
  if v_merges is not null then
    perform rewrite_rows(array_agg(p_lease.jobs[m]), array_agg(p_lease.tasks[m]), array_agg(true), array_agg('done'::text), array_agg(p_contents[m]))
    from unnest(v_merges) m;
  end if;
  delete from lease where fence = p_lease.fence;

  if cardinality(v_accounts) = 1 then
    v_corrections := array[(select sum(s.cost) from unnest(v_costs) s(cost)) - (select sum(s.charge::float8) from unnest(p_lease.charges) s(charge))];
  else
    select array_agg(x.account_id), array_agg(x.seconds) into v_accounts, v_corrections from (
      select c.account_id, sum((coalesce(c.seconds, 0) * p_worker.speed)::float8 - c.charge) seconds from (
        select unnest(p_lease.accounts) account_id, unnest(p_seconds) seconds, unnest(p_lease.charges) charge) c group by 1) x;
  end if;
  perform account_correct(p_lease.class_id, p_worker, v_accounts, v_corrections);
  v_merging := jobs_done(p_lease.fence, v_jobs, v_counts, v_ok_sums, v_failed_sums, v_costs, v_merged,
    case when cardinality(v_jobs) = cardinality(p_lease.jobs) then p_partials
      else array(select case when o.n <= 1 then p_partials[o.ord] end from unnest(v_lasts, v_counts) with ordinality o(ord, n, place) order by o.place) end, p_now);
  perform notify_jobs(v_jobs);
  if v_merging is not null then
    perform push_merges(v_merging, p_now);
  end if;
  return true;
end
$$;

-- Records what came of tasks. verdict per task: accepted; cancelled (not recorded: the job is being
-- cancelled); replayed (this fence recorded it before: the answer was lost, all is well); stale (another
-- run owns the task now: forget it).
create or replace function complete_v1(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[], p_outcomes text[],
  p_contents bytea[], p_partials bytea[], p_items_ok int[], p_items_failed int[], p_seconds real[], p_errors text[], p_delays real[],
  p_now timestamptz default clock_timestamp())
returns table (job_id bigint, task int, verdict text)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_lease lease;
  v_worker worker;
  v_positions int[];
  v_fates text[];
begin
  if not coalesce(cardinality(p_jobs) = all (array[cardinality(p_tasks), cardinality(p_outcomes), cardinality(p_contents), cardinality(p_partials),
      cardinality(p_items_ok), cardinality(p_items_failed), cardinality(p_seconds), cardinality(p_errors), cardinality(p_delays)]), false)
    or exists (select from unnest(p_outcomes) o where o is null or o not in ('done', 'retry', 'final')) then
    raise exception 'arrays differ in length or an outcome is unknown' using errcode = 'invalid_parameter_value';
  end if;
  select * into v_lease from lease where fence = p_fence for update;
  -- A lease names no task twice: whoever completes the whole of it cannot either.
  if (p_jobs = v_lease.jobs and p_tasks = v_lease.tasks) is not true
    and (select count(*) <> count(distinct (j, t)) from unnest(p_jobs, p_tasks) u(j, t)) then
    raise exception 'a task is named twice' using errcode = 'invalid_parameter_value';
  end if;
  select * into v_worker from worker where id = p_worker_id;
  if v_lease.worker_id = p_worker_id and v_lease.epoch = p_epoch and worker_is_alive(v_worker, p_epoch, p_now) then
    if p_jobs = v_lease.jobs and p_tasks = v_lease.tasks and 'done' = all(p_outcomes)
        and settle_done(v_lease, v_worker, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_now) then
      return query select u.job_id, u.task, 'accepted' from unnest(p_jobs, p_tasks) u(job_id, task);
      return;
    end if;
    v_positions := positions(p_jobs, p_tasks, v_lease.jobs, v_lease.tasks);
  end if;
  if array_position(v_positions, null) is null and v_positions <> '{}' then
    return query select u.job_id, u.task, case u.fate when 'dropped' then 'cancelled' else 'accepted' end
    from unnest(p_jobs, p_tasks, settle(p_fence, v_positions, p_outcomes, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_errors,
      p_delays, p_now)) u(job_id, task, fate);
    return;
  elsif array_remove(v_positions, null) <> '{}' then
    v_fates := settle(p_fence, array_agg(u.pos order by u.ord), array_agg(u.outcome order by u.ord),
        array_agg(u.content order by u.ord), array_agg(u.partial order by u.ord), array_agg(u.ok order by u.ord), array_agg(u.failed order by u.ord),
        array_agg(u.seconds order by u.ord), array_agg(u.error order by u.ord), array_agg(u.delay order by u.ord), p_now)
      from unnest(v_positions, p_outcomes, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_errors, p_delays)
        with ordinality u(pos, outcome, content, partial, ok, failed, seconds, error, delay, ord)
      where u.pos is not null;
  end if;
  -- Some were not in the lease: recorded by it before, or not its own.
  return query
  select u.job_id, u.task, case
      when u.pos is not null then case v_fates[count(u.pos) over (order by u.ord)] when 'dropped' then 'cancelled' else 'accepted' end
      when exists (select from result r where r.job_id = u.job_id and r.seq = u.task and r.fence = p_fence)
        or exists (select from attempt a where a.job_id = u.job_id and a.seq = u.task and a.fence = p_fence and a.outcome <> 'worker_lost')
        or exists (select from report r join job j on j.id = r.job_id where r.job_id = u.job_id and u.task = j.tasks_total and r.fence = p_fence)
        then 'replayed'
      else 'stale' end
  from unnest(p_jobs, p_tasks, v_positions) with ordinality u(job_id, task, pos, ord) order by u.ord;
end
$$;

-- As complete_v1, for what a worker does: one verdict for the whole call, which is stale only if every task is, and accepted if
-- any was. p_outcomes, p_errors and p_delays are null where all tasks are done.
create function complete_v2(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[], p_contents bytea[], p_partials bytea[],
  p_items_ok int[], p_items_failed int[], p_seconds real[], p_outcomes text[] default null, p_errors text[] default null, p_delays real[] default null,
  p_now timestamptz default clock_timestamp())
returns text language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_lease lease;
  v_worker worker;
  v_count constant int := cardinality(p_jobs);
begin
  if p_outcomes is null and v_count = all (array[cardinality(p_tasks), cardinality(p_contents), cardinality(p_partials), cardinality(p_items_ok),
      cardinality(p_items_failed), cardinality(p_seconds)]) then
    select * into v_lease from lease where fence = p_fence for update;
    if p_jobs = v_lease.jobs and p_tasks = v_lease.tasks and v_lease.worker_id = p_worker_id and v_lease.epoch = p_epoch then
      select * into v_worker from worker where id = p_worker_id;
      if worker_is_alive(v_worker, p_epoch, p_now) and settle_done(v_lease, v_worker, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_now) then
        return 'accepted';
      end if;
    end if;
  end if;
  return (select case when bool_or(c.verdict in ('accepted', 'cancelled')) then 'accepted' when bool_or(c.verdict = 'replayed') then 'replayed' else 'stale' end
    from complete_v1(p_worker_id, p_epoch, p_fence, p_jobs, p_tasks, coalesce(p_outcomes, array_fill('done'::text, array[v_count])), p_contents, p_partials,
      p_items_ok, p_items_failed, p_seconds, coalesce(p_errors, array_fill(null::text, array[v_count])),
      coalesce(p_delays, array_fill(null::real, array[v_count])), p_now) c);
end
$$;
grant execute on function complete_v2 to plimsoll_worker;
