-- A completion costs less per task: what concerns a job is looked up once a job instead of once a task. What is recorded
-- stays as it was, but tasks given back return in the order in which they were claimed, and a merge may hand in rows.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- What becomes of a lease's tasks, one element per task, with their jobs' teams; merges: whether it is the merge task. The
-- other place that joins an array: with the rows of its jobs, each read once.
create function fates_of(p_speed real, p_jobs bigint[], p_tasks int[], p_charges real[], p_attempts smallint[], p_crashes smallint[],
  p_outcomes text[], p_oks int[], p_faileds int[], p_seconds real[], p_delays real[],
  out teams bigint[], out merges boolean[], out fates text[], out costs float8[], out oks int[], out faileds int[])
language plpgsql set enable_nestloop = off set enable_hashjoin = on as $$
declare
  v_low bigint;
  v_high bigint;
begin
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  if 'done' = all(p_outcomes) then
    with job_row as materialized (
      select j.id, j.team_id, j.tasks_total from job j where j.id = any(p_jobs) and j.id between v_low and v_high
    )
    select array_agg(x.team_id), array_agg(x.is_merge), array_agg(x.cost) into teams, merges, costs
    from (select j.team_id, g.task = j.tasks_total is_merge, coalesce(g.seconds, 0) * p_speed cost
      from unnest(p_jobs, p_tasks, p_seconds) with ordinality g(job_id, task, seconds, ord) join job_row j on j.id = g.job_id order by g.ord) x;
    fates := p_outcomes;
    oks := p_oks;
    faileds := p_faileds;
    return;
  end if;
  with job_row as materialized (
    select j.id, j.team_id, j.tasks_total, j.max_attempts from job j where j.id = any(p_jobs) and j.id between v_low and v_high
  )
  select array_agg(x.team_id), array_agg(x.is_merge), array_agg(x.fate), array_agg(x.cost),
    array_agg(case x.fate when 'done' then x.ok else 0 end), array_agg(case x.fate when 'done' then x.failed else x.items end)
  into teams, merges, fates, costs, oks, faileds
  from (
    select j.team_id, g.task = j.tasks_total is_merge, g.ok, g.failed,
      case g.outcome
        when 'done' then 'done'
        when 'released' then 'ready'
        when 'lost' then case when g.crashes >= 1 then 'quarantined' else 'ready' end
        when 'retry' then case when g.attempt >= j.max_attempts then 'quarantined' when g.delay > 0 then 'scheduled' else 'ready' end
        else 'quarantined' end fate,
      case g.outcome when 'released' then 0 when 'lost' then g.charge else coalesce(g.seconds, 0) * p_speed end cost,
      case when g.outcome <> 'done' then coalesce((select t.items from task t where t.job_id = g.job_id and t.job_id between v_low and v_high and t.seq = g.task), 0) end items
    from unnest(p_jobs, p_tasks, p_charges, p_attempts, p_crashes, p_outcomes, p_oks, p_faileds, p_seconds, p_delays)
      with ordinality g(job_id, task, charge, attempt, crashes, outcome, ok, failed, seconds, delay, ord)
    join job_row j on j.id = g.job_id order by g.ord) x;
end
$$;

drop function account_settle(smallint, worker, int[], int[], float8[]);

-- Charges become what was measured, and a slot is given back with the last lease of an account on its worker.
-- A correction fades, and counts in the quota's period, with the charge that it corrects.
-- The caller holds the class lock and has updated the lease.
create function account_settle(p_class_id smallint, p_worker worker, p_lease_accounts int[], p_accounts int[], p_costs float8[], p_charges real[])
returns void language plpgsql as $$
declare
  v_clock constant float8 := class_clock(p_class_id);
  v_lowest float8;
begin
  with correction as materialized (
    select account_id, sum(cost - charge) seconds from unnest(p_accounts, p_costs, p_charges) c(account_id, cost, charge) group by 1
  ), held as materialized (
    select distinct u.account_id from lease l cross join unnest(l.accounts) u(account_id)
    where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence
  ), old as materialized (
    select s.*, coalesce(c.seconds, 0) more, s.vtime + coalesce(c.seconds, 0) / s.weight corrected, (h.account_id is null)::int gone,
      s.spent and s.period_seconds + coalesce(c.seconds, 0) >= s.quota_seconds still_spent,
      s.ready > 0 and (s.spent or s.slots >= s.cap and s.slots - (h.account_id is null)::int < s.cap) opens
    from (select distinct unnest(p_lease_accounts) account_id) a
    left join correction c on c.account_id = a.account_id left join held h on h.account_id = a.account_id
    cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = a.account_id order by z.version desc limit 1) s
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

-- A merge task that is done may hand in rows: they replace those of the job's last task, which it could not write in
-- full, since what they say depends on the other tasks. The arrays are those of settle.
create function rewrite_rows(p_jobs bigint[], p_tasks int[], p_merges boolean[], p_fates text[], p_contents bytea[])
returns void language plpgsql as $$
declare
  v_low bigint;
  v_high bigint;
begin
  select min(s.job_id), max(s.job_id) into v_low, v_high from unnest(p_jobs, p_merges, p_fates, p_contents) s(job_id, is_merge, fate, content)
  where s.is_merge and s.fate = 'done' and s.content is not null;
  if v_low is null then
    return;
  end if;
  update result r set content = s.content, bytes = octet_length(s.content)
  from unnest(p_jobs, p_tasks, p_merges, p_fates, p_contents) s(job_id, task, is_merge, fate, content)
  where s.is_merge and s.fate = 'done' and s.content is not null
    and r.job_id = s.job_id and r.job_id between v_low and v_high and r.seq = s.task - 1 and r.state = 'done';
end
$$;

-- Takes tasks, named by their places in the lease, out of it. The caller has locked the lease's row.
-- p_outcomes: done, retry, final (from the worker), released, lost. p_seconds as measured. Answers their fates: done,
-- quarantined, ready (again), scheduled (again), dropped (the job is being cancelled).
create or replace function settle(p_fence bigint, p_positions int[], p_outcomes text[], p_contents bytea[], p_partials bytea[],
  p_items_ok int[], p_items_failed int[], p_seconds real[], p_errors text[], p_delays real[], p_now timestamptz)
returns text[] language plpgsql as $$
declare
  v_worker worker;
  v_class smallint;
  v_lease_accounts int[];
  v_lease_count int;
  v_jobs bigint[];  -- these and the following have one element per task of the call
  v_tasks int[];
  v_lanes int[];
  v_accounts int[];
  v_charges real[];
  v_attempts smallint[];
  v_crashes smallint[];
  v_teams bigint[];
  v_merges boolean[];
  v_fates text[];
  v_costs float8[];
  v_oks int[];
  v_faileds int[];
  v_cancelling bigint[];
  v_merging bigint[];
  v_low bigint;
  v_high bigint;
  v_errors text[] := p_errors;
  v_retried constant boolean := p_outcomes && '{retry, final, lost}';
begin
  select class_id, jobs, tasks, lanes, accounts, charges, attempts, crashes, accounts, cardinality(jobs)
  into strict v_class, v_jobs, v_tasks, v_lanes, v_accounts, v_charges, v_attempts, v_crashes, v_lease_accounts, v_lease_count
  from lease where fence = p_fence;
  select w.* into strict v_worker from worker w join lease l on l.worker_id = w.id where l.fence = p_fence;

  -- What is left of the lease.
  if cardinality(p_positions) = v_lease_count then
    delete from lease where fence = p_fence;
  else
    update lease set (jobs, tasks, lanes, accounts, charges, attempts, crashes) = (
      select array_agg(v_jobs[o]), array_agg(v_tasks[o]), array_agg(v_lanes[o]), array_agg(v_accounts[o]), array_agg(v_charges[o]),
        array_agg(v_attempts[o]), array_agg(v_crashes[o])
      from (select generate_series(1, v_lease_count) o except select unnest(p_positions) order by o) open)
    where fence = p_fence;
  end if;
  if p_positions <> array(select generate_series(1, v_lease_count)) then
    select array_agg(v_jobs[p]), array_agg(v_tasks[p]), array_agg(v_lanes[p]), array_agg(v_accounts[p]), array_agg(v_charges[p]),
      array_agg(v_attempts[p]), array_agg(v_crashes[p])
    into v_jobs, v_tasks, v_lanes, v_accounts, v_charges, v_attempts, v_crashes
    from (select u.p from unnest(p_positions) with ordinality u(p, ord) order by u.ord) given;
  end if;

  select min(id), max(id) into v_low, v_high from unnest(v_jobs) u(id);
  select f.teams, f.merges, f.fates, f.costs, f.oks, f.faileds into v_teams, v_merges, v_fates, v_costs, v_oks, v_faileds
  from fates_of(v_worker.speed, v_jobs, v_tasks, v_charges, v_attempts, v_crashes, p_outcomes, p_items_ok, p_items_failed, p_seconds, p_delays) f;

  if 'lost' = any(p_outcomes) then
    v_errors := array(select case when s.outcome = 'lost' and s.fate = 'quarantined' then 'Two workers died while they ran this.' else s.error end
      from unnest(p_outcomes, v_fates, p_errors) with ordinality s(outcome, fate, error, ord) order by s.ord);
  end if;

  -- The bulk of the bytes goes in before the class lock is taken.
  insert into result (job_id, seq, team_id, state, fence, worker_id, attempt, items_ok, items_failed, seconds, bytes, content, partial, error, finished_at)
  select s.job_id, s.task, s.team_id, s.fate, p_fence, v_worker.id, s.attempt, s.ok, s.failed, s.cost,
    case s.fate when 'done' then coalesce(octet_length(s.content), 0) else 0 end,
    case s.fate when 'done' then s.content end, case s.fate when 'done' then s.partial end, s.error, p_now
  from unnest(v_jobs, v_tasks, v_teams, v_merges, v_fates, v_attempts, v_oks, v_faileds, v_costs, p_contents, p_partials, v_errors)
    s(job_id, task, team_id, is_merge, fate, attempt, ok, failed, cost, content, partial, error)
  where s.fate in ('done', 'quarantined') and not s.is_merge;

  perform lock_class(v_class);

  -- A job being cancelled takes no more results. Cancel sets the state under the class lock.
  v_cancelling := array(select j.id from job j where j.id = any(v_jobs) and j.id between v_low and v_high and j.state = 'cancelling');
  if v_cancelling <> '{}' then
    delete from result r using unnest(v_jobs, v_tasks) s(job_id, task)
    where r.job_id = s.job_id and r.seq = s.task and r.fence = p_fence and s.job_id = any(v_cancelling);
    v_fates := array(select case when s.job_id = any(v_cancelling) then 'dropped' else s.fate end
      from unnest(v_jobs, v_fates) with ordinality s(job_id, fate, ord) order by s.ord);
  end if;

  if true = any(v_merges) then
    perform rewrite_rows(v_jobs, v_tasks, v_merges, v_fates, p_contents);
  end if;

  if v_retried then
    insert into attempt (job_id, seq, fence, team_id, attempt, outcome, worker_id, error, at)
    select s.job_id, s.task, p_fence, s.team_id, s.attempt, case s.outcome when 'lost' then 'worker_lost' else s.outcome end, v_worker.id, s.error, p_now
    from unnest(v_jobs, v_tasks, v_teams, v_attempts, p_outcomes, v_errors, v_fates) s(job_id, task, team_id, attempt, outcome, error, fate)
    where s.outcome in ('retry', 'final', 'lost') and s.fate <> 'dropped';
  end if;

  perform account_settle(v_class, v_worker, v_lease_accounts, v_accounts, v_costs, v_charges);
  v_merging := job_settle(p_fence, v_jobs, v_tasks, v_merges, p_outcomes, v_fates, v_costs, v_oks, v_faileds, v_errors, p_partials, p_now);

  -- What has to run again.
  if v_fates && '{ready, scheduled}' then
    insert into scheduled (class_id, run_at, lane_id, job_id, task, est_seconds, attempt, crashes)
    select v_class, p_now + make_interval(secs => s.delay), s.lane_id, s.job_id, s.task, s.charge, s.attempt + 1, s.crashes
    from unnest(v_fates, p_delays, v_lanes, v_jobs, v_tasks, v_charges, v_attempts, v_crashes) s(fate, delay, lane_id, job_id, task, charge, attempt, crashes)
    where s.fate = 'scheduled';
    perform push(v_class, array_agg(s.lane_id), array_agg(s.job_id), array_agg(s.task), array_agg(s.charge),
      array_agg((s.attempt + (s.outcome <> 'released')::int)::smallint), array_agg((s.crashes + (s.outcome = 'lost')::int)::smallint), p_now)
    from (select * from unnest(v_fates, p_outcomes, v_lanes, v_jobs, v_tasks, v_charges, v_attempts, v_crashes)
        with ordinality u(fate, outcome, lane_id, job_id, task, charge, attempt, crashes, ord) where u.fate = 'ready' order by u.ord) s;
  end if;
  if v_merging is not null then
    perform push_merges(v_merging, p_now);
  end if;
  return v_fates;
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

-- Gives tasks back that were not started, in the order in which they were claimed: no attempt is spent. Answers how many the
-- lease still held.
create or replace function release_v1(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[], p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_lease lease;
  v_positions int[];
begin
  select * into v_lease from lease where fence = p_fence and worker_id = p_worker_id and epoch = p_epoch for update;
  v_positions := array(select distinct p from unnest(positions(p_jobs, p_tasks, v_lease.jobs, v_lease.tasks)) p where p is not null order by p);
  perform settle_unheard(p_fence, v_positions, 'released', null, p_now);
  return cardinality(v_positions);
end
$$;
