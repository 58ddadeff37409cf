-- Ending what a lease holds: completion, release, the death of a worker.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- One task of a lease and what becomes of it. pos: its place in the lease; ord: its place in the call.
-- fate: done, quarantined, ready (again), scheduled (again), dropped (its job is being cancelled).
create type settlement as (ord int, pos int, job_id bigint, task int, team_id bigint, lane_id int, account_id int, charge real,
  attempt smallint, crashes smallint, is_merge boolean, outcome text, fate text, cost float8, items int, items_ok int, items_failed int,
  error text, delay real);

-- Where in a lease the given tasks stand; null: it does not hold them. The one place that joins two arrays.
create function positions(p_jobs bigint[], p_tasks int[], p_lease_jobs bigint[], p_lease_tasks int[]) returns int[]
language plpgsql immutable set enable_nestloop = off set enable_hashjoin = on as $$
begin
  if p_jobs = p_lease_jobs and p_tasks = p_lease_tasks then
    return array(select generate_series(1, cardinality(p_jobs)));
  end if;
  return array(select l.ord::int from unnest(p_jobs, p_tasks) with ordinality g(job_id, task, ord)
    left join unnest(p_lease_jobs, p_lease_tasks) with ordinality l(job_id, task, ord) on l.job_id = g.job_id and l.task = g.task
    order by g.ord);
end
$$;

-- Starts the merge of jobs whose last task has ended. The caller holds their own class's lock; host is last.
create function push_merges(p_jobs bigint[], p_now timestamptz) returns void language plpgsql as $$
declare
  v_host smallint;
begin
  select id into strict v_host from device_class where name = 'host';
  perform lock_class(v_host);
  perform push(v_host, lanes_of(array_agg(j.team_id), array_agg(v_host), array_agg(j.kind), array_agg(j.kind_version),
      array_agg(''::text), array_agg(0::smallint), array_agg(''::text), array_agg(j.priority)),
    array_agg(j.id), array_agg(j.tasks_total), array_agg(0.01::real), array_agg(1::smallint), array_agg(0::smallint), p_now)
  from unnest(p_jobs) u(id) join job j on j.id = u.id;
end
$$;

-- Charges become what was measured, and a slot is given back with the last lease of an account on its worker.
-- The caller holds the class lock and has updated the lease.
create function account_settle(p_class_id smallint, p_worker worker, p_lease_accounts int[], p_accounts int[], p_corrections float8[])
returns void language plpgsql as $$
declare
  v_clock constant float8 := class_clock(p_class_id);
  v_lowest float8;
begin
  with correction as materialized (
    select account_id, sum(seconds) seconds from unnest(p_accounts, p_corrections) c(account_id, seconds) group by 1
  ), held as materialized (
    select distinct u.account_id from lease l cross join unnest(l.accounts) u(account_id)
    where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence
  ), old as materialized (
    select s.*, s.vtime + coalesce(c.seconds, 0) / s.weight corrected, (h.account_id is null)::int gone,
      s.ready > 0 and s.slots >= s.cap and s.slots - (h.account_id is null)::int < s.cap opens
    from (select distinct unnest(p_lease_accounts) account_id) a
    left join correction c on c.account_id = a.account_id left join held h on h.account_id = a.account_id
    cross join lateral (select * from account_state z where z.account_id = a.account_id order by z.version desc limit 1) s
  ), changed as (
    update account_state t set version = o.version + 1, slots = o.slots - o.gone,
      vtime = case when o.opens then greatest(o.corrected, v_clock) else o.corrected end
    from old o where t.account_id = o.account_id and t.version = o.version
    returning t.vtime, t.ready > 0 and t.slots < t.cap and not t.paused is_open
  )
  select min(vtime) filter (where is_open) into v_lowest from changed;
  if v_lowest < v_clock then
    update class_state c set version = n.version + 1, vclock = v_lowest
    from (select o.version from class_state o where o.class_id = p_class_id order by o.version desc limit 1) n
    where c.class_id = p_class_id and c.version = n.version;
  end if;
end
$$;

-- Counts what was settled into the jobs and ends those that have nothing left to run; answers the jobs to merge.
create function job_settle(p_fence bigint, p_settled settlement[], p_partials bytea[], p_now timestamptz)
returns bigint[] language plpgsql as $$
declare
  v_changed bigint[];
  v_merging bigint[];
begin
  with part as materialized (
    select s.job_id, count(*) filter (where s.fate in ('done', 'quarantined') and not s.is_merge)::int ended,
      count(*) filter (where s.fate = 'quarantined' and not s.is_merge)::int bad,
      coalesce(bool_or(s.fate = 'done') filter (where s.is_merge), false) merged,
      coalesce(bool_or(s.fate = 'quarantined') filter (where s.is_merge), false) unmerged,
      coalesce(sum(s.items_ok) filter (where s.fate = 'done' and not s.is_merge), 0) ok,
      coalesce(sum(case s.fate when 'done' then s.items_failed else s.items end)
        filter (where s.fate in ('done', 'quarantined') and not s.is_merge), 0) failed,
      sum(s.cost) cost,
      array_agg(s.task) filter (where s.fate = 'quarantined') bad_tasks,
      array_agg(s.task) filter (where s.fate in ('ready', 'scheduled') and s.outcome <> 'released') again_tasks,
      max(s.error) filter (where s.fate = 'quarantined') error,
      max(s.ord) filter (where s.fate = 'done') done_ord
    from unnest(p_settled) s group by 1
  ), next as materialized (
    select p.*, j.merge,
      case when j.state = 'cancelling' then
          case when exists (select from lease l where p.job_id = any(l.jobs)) then 'cancelling' else 'cancelled' end
        when p.merged then 'succeeded'
        when p.unmerged then 'failed'
        when p.ended > 0 and j.tasks_left = p.ended and j.tasks_quarantined + p.bad = j.tasks_total then 'failed'
        when p.ended > 0 and j.tasks_left = p.ended and not j.merge then 'succeeded'
        else j.state end state,
      p.ended > 0 and j.tasks_left = p.ended and j.merge and j.tasks_quarantined + p.bad < j.tasks_total and j.state <> 'cancelling' merging
    from part p join job j on j.id = p.job_id
  ), changed as (
    update job j set items_ok = j.items_ok + n.ok, items_failed = j.items_failed + n.failed, tasks_left = j.tasks_left - n.ended,
      tasks_quarantined = j.tasks_quarantined + n.bad, charged_seconds = j.charged_seconds + n.cost, revision = j.revision + 1,
      state = n.state, finished_at = case when n.state in ('succeeded', 'failed', 'cancelled') then p_now end,
      error = case when n.state = 'failed' then n.error end,
      last_event = j.last_event + (n.again_tasks is not null)::int + (n.bad_tasks is not null)::int
        + (n.state in ('succeeded', 'failed', 'cancelled'))::int
    from next n where j.id = n.job_id
    returning j.id, j.team_id, j.state, j.finished_at is not null finished, j.last_event, j.error, n.bad_tasks, n.again_tasks, n.merging, n.done_ord
  ), told as (
    insert into event (job_id, n, team_id, at, type, data)
    select id, last_event - finished::int - (bad_tasks is not null)::int, team_id, p_now, 'retried', json_build_object('tasks', again_tasks)
    from changed where again_tasks is not null
    union all
    select id, last_event - finished::int, team_id, p_now, 'quarantined', json_build_object('tasks', bad_tasks) from changed where bad_tasks is not null
    union all
    select id, last_event, team_id, p_now, 'finished', json_strip_nulls(json_build_object('state', state, 'error', error)) from changed where finished
  ), reported as (
    insert into report (job_id, team_id, fence, content, created_at)
    select id, team_id, p_fence, p_partials[done_ord], p_now from changed where state = 'succeeded' and p_partials[done_ord] is not null
  )
  select array_agg(id), array_agg(id order by id) filter (where merging) into v_changed, v_merging from changed;
  perform notify_jobs(v_changed);
  return v_merging;
end
$$;

-- Takes tasks, named by their places in the lease, out of it. The caller has locked the lease's row.
-- p_outcomes: done, retry, final (from the worker), released, lost. p_seconds as measured.
create function settle(p_fence bigint, p_positions int[], p_outcomes text[], p_contents bytea[], p_partials bytea[],
  p_items_ok int[], p_items_failed int[], p_seconds real[], p_errors text[], p_delays real[], p_now timestamptz)
returns settlement[] language plpgsql as $$
declare
  v_worker worker;
  v_class smallint;
  v_jobs bigint[];
  v_tasks int[];
  v_lanes int[];
  v_accounts int[];
  v_charges real[];
  v_attempts smallint[];
  v_crashes smallint[];
  v_open int[];
  v_settled settlement[];
  v_cancelling bigint[];
  v_merging bigint[];
begin
  select class_id, jobs, tasks, lanes, accounts, charges, attempts, crashes
  into strict v_class, v_jobs, v_tasks, v_lanes, v_accounts, v_charges, v_attempts, v_crashes from lease where fence = p_fence;
  select w.* into strict v_worker from worker w join lease l on l.worker_id = w.id where l.fence = p_fence;

  v_settled := array(
    select (g.ord, g.pos, v_jobs[g.pos], v_tasks[g.pos], j.team_id, v_lanes[g.pos], v_accounts[g.pos], v_charges[g.pos],
      v_attempts[g.pos], v_crashes[g.pos], v_tasks[g.pos] = j.tasks_total, g.outcome,
      case g.outcome
        when 'released' then 'ready'
        when 'lost' then case when v_crashes[g.pos] >= 1 then 'quarantined' else 'ready' end
        when 'retry' then case when v_attempts[g.pos] >= j.max_attempts then 'quarantined' when g.delay > 0 then 'scheduled' else 'ready' end
        when 'final' then 'quarantined'
        else g.outcome end,
      case g.outcome when 'released' then 0 when 'lost' then v_charges[g.pos] else coalesce(g.seconds, 0) * v_worker.speed end,
      case when g.outcome not in ('done', 'released') then
        coalesce((select t.items from task t where t.job_id = j.id and t.seq = v_tasks[g.pos]), 0) end,
      g.ok, g.failed, g.error, g.delay)::settlement
  from unnest(p_positions, p_outcomes, p_items_ok, p_items_failed, p_seconds, p_errors, p_delays)
    with ordinality g(pos, outcome, ok, failed, seconds, error, delay, ord)
  join job j on j.id = v_jobs[g.pos] order by g.ord);

  -- The bulk of the bytes goes in before the class lock is taken.
  insert into result (job_id, seq, team_id, state, fence, worker_id, attempt, items_ok, items_failed, seconds, bytes, content, partial, error, finished_at)
  select s.job_id, s.task, s.team_id, s.fate, p_fence, v_worker.id, s.attempt,
    case s.fate when 'done' then s.items_ok else 0 end, case s.fate when 'done' then s.items_failed else s.items end, s.cost,
    case s.fate when 'done' then coalesce(octet_length(p_contents[s.ord]), 0) else 0 end,
    case s.fate when 'done' then p_contents[s.ord] end, case s.fate when 'done' then p_partials[s.ord] end, s.error, p_now
  from unnest(v_settled) s
  where s.fate in ('done', 'quarantined') and not s.is_merge;

  perform lock_class(v_class);

  -- A job being cancelled takes no more results. Cancel sets the state under the class lock.
  v_cancelling := array(select j.id from (select distinct s.job_id from unnest(v_settled) s) u join job j on j.id = u.job_id where j.state = 'cancelling');
  if v_cancelling <> '{}' then
    delete from result r using unnest(v_settled) s
    where r.job_id = s.job_id and r.seq = s.task and r.fence = p_fence and s.job_id = any(v_cancelling);
    for i in 1 .. cardinality(v_settled) loop
      if v_settled[i].job_id = any(v_cancelling) then
        v_settled[i].fate := 'dropped';
      end if;
    end loop;
  end if;

  if exists (select from unnest(p_outcomes) o where o in ('retry', 'final', 'lost')) then
    insert into attempt (job_id, seq, fence, team_id, attempt, outcome, worker_id, error, at)
    select s.job_id, s.task, p_fence, s.team_id, s.attempt, case s.outcome when 'lost' then 'worker_lost' else s.outcome end, v_worker.id, s.error, p_now
    from unnest(v_settled) s where s.outcome in ('retry', 'final', 'lost') and s.fate <> 'dropped';
  end if;

  -- What is left of the lease.
  if cardinality(p_positions) = cardinality(v_jobs) then
    delete from lease where fence = p_fence;
  else
    v_open := array(select generate_series(1, cardinality(v_jobs)) except select unnest(p_positions) order by 1);
    update lease set (jobs, tasks, lanes, accounts, charges, attempts, crashes) = (
      select array_agg(v_jobs[o] order by o), array_agg(v_tasks[o] order by o), array_agg(v_lanes[o] order by o), array_agg(v_accounts[o] order by o),
        array_agg(v_charges[o] order by o), array_agg(v_attempts[o] order by o), array_agg(v_crashes[o] order by o) from unnest(v_open) o)
    where fence = p_fence;
  end if;

  perform account_settle(v_class, v_worker, v_accounts, array_agg(s.account_id), array_agg(s.cost - s.charge)) from unnest(v_settled) s;
  v_merging := job_settle(p_fence, v_settled, p_partials, p_now);

  -- What has to run again.
  if exists (select from unnest(v_settled) s where s.fate in ('ready', 'scheduled')) then
    insert into scheduled (class_id, run_at, lane_id, job_id, task, est_seconds, attempt, crashes)
    select v_class, p_now + make_interval(secs => s.delay), s.lane_id, s.job_id, s.task, s.charge, s.attempt + 1, s.crashes
    from unnest(v_settled) s where s.fate = 'scheduled';
    perform push(v_class, array_agg(s.lane_id order by s.ord), array_agg(s.job_id order by s.ord), array_agg(s.task order by s.ord),
      array_agg(s.charge order by s.ord),
      array_agg((s.attempt + (s.outcome <> 'released')::int)::smallint order by s.ord),
      array_agg((s.crashes + (s.outcome = 'lost')::int)::smallint order by s.ord), p_now)
    from unnest(v_settled) s where s.fate = 'ready';
  end if;
  if v_merging is not null then
    perform push_merges(v_merging, p_now);
  end if;
  return v_settled;
end
$$;

-- Settles tasks without a word from their worker.
create function settle_unheard(p_fence bigint, p_positions int[], p_outcome text, p_error text, p_now timestamptz)
returns void language plpgsql as $$
declare
  v_count constant int := cardinality(p_positions);
begin
  if v_count > 0 then
    perform settle(p_fence, p_positions, array_fill(p_outcome, array[v_count]), null, null, null, null, null,
      array_fill(p_error, array[v_count]), null, p_now);
  end if;
end
$$;

-- Ends the leases of a worker, whose row the caller has locked, that are not in p_but and were claimed by
-- p_until; answers how many tasks they held. All lease rows are locked before the first class lock is taken.
create function end_leases(p_worker worker, p_but bigint[], p_until timestamptz, p_outcome text, p_now timestamptz)
returns int language plpgsql as $$
declare
  v_fences bigint[];
  v_fence bigint;
  v_count int;
  v_tasks int := 0;
begin
  v_fences := array(select l.fence from lease l where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence
    and l.claimed_at <= p_until and l.fence <> all(p_but) order by l.fence for update);
  foreach v_fence in array v_fences loop
    select cardinality(jobs) into strict v_count from lease where fence = v_fence;
    perform settle_unheard(v_fence, array(select generate_series(1, v_count)), p_outcome,
      case p_outcome when 'lost' then 'The worker that ran this died.' end, p_now);
    v_tasks := v_tasks + v_count;
  end loop;
  return v_tasks;
end
$$;

-- Records what came of tasks. verdict per task: accepted; cancelled (not recorded: the job is being
-- cancelled); replayed (this fence recorded it before: the answer was lost, all is well); stale (another
-- run owns the task now: forget it).
create function complete_v1(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[], p_outcomes text[],
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
  v_settled settlement[];
begin
  if not coalesce(cardinality(p_jobs) = all (array[cardinality(p_tasks), cardinality(p_outcomes), cardinality(p_contents), cardinality(p_partials),
      cardinality(p_items_ok), cardinality(p_items_failed), cardinality(p_seconds), cardinality(p_errors), cardinality(p_delays)]), false)
    or exists (select from unnest(p_outcomes) o where o is null or o not in ('done', 'retry', 'final'))
    or (select count(*) <> count(distinct (j, t)) from unnest(p_jobs, p_tasks) u(j, t)) then
    raise exception 'arrays differ in length, an outcome is unknown or a task is named twice' using errcode = 'invalid_parameter_value';
  end if;
  select * into v_lease from lease where fence = p_fence for update;
  select * into v_worker from worker where id = p_worker_id;
  if v_lease.worker_id = p_worker_id and v_lease.epoch = p_epoch and worker_is_alive(v_worker, p_epoch, p_now) then
    v_positions := positions(p_jobs, p_tasks, v_lease.jobs, v_lease.tasks);
  end if;
  if array_position(v_positions, null) is null and v_positions <> '{}' then
    v_settled := settle(p_fence, v_positions, p_outcomes, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_errors, p_delays, p_now);
    return query select s.job_id, s.task, case s.fate when 'dropped' then 'cancelled' else 'accepted' end from unnest(v_settled) s order by s.ord;
    return;
  elsif array_remove(v_positions, null) <> '{}' then
    v_settled := settle(p_fence, array_agg(u.pos order by u.ord), array_agg(u.outcome order by u.ord),
        array_agg(u.content order by u.ord), array_agg(u.partial order by u.ord), array_agg(u.ok order by u.ord), array_agg(u.failed order by u.ord),
        array_agg(u.seconds order by u.ord), array_agg(u.error order by u.ord), array_agg(u.delay order by u.ord), p_now)
      from unnest(v_positions, p_outcomes, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_errors, p_delays)
        with ordinality u(pos, outcome, content, partial, ok, failed, seconds, error, delay, ord)
      where u.pos is not null;
  end if;
  -- Some were not in the lease: recorded by it before, or not its own.
  return query
  select u.job_id, u.task, case
      when u.pos is not null then (select case s.fate when 'dropped' then 'cancelled' else 'accepted' end from unnest(v_settled) s where s.pos = u.pos)
      when exists (select from result r where r.job_id = u.job_id and r.seq = u.task and r.fence = p_fence)
        or exists (select from attempt a where a.job_id = u.job_id and a.seq = u.task and a.fence = p_fence and a.outcome <> 'worker_lost')
        or exists (select from report r join job j on j.id = r.job_id where r.job_id = u.job_id and u.task = j.tasks_total and r.fence = p_fence)
        then 'replayed'
      else 'stale' end
  from unnest(p_jobs, p_tasks, v_positions) with ordinality u(job_id, task, pos, ord) order by u.ord;
end
$$;

-- Gives tasks back that were not started: no attempt is spent. Answers how many the lease still held.
create function release_v1(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[], p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_lease lease;
  v_positions int[];
begin
  select * into v_lease from lease where fence = p_fence and worker_id = p_worker_id and epoch = p_epoch for update;
  v_positions := array(select distinct p from unnest(positions(p_jobs, p_tasks, v_lease.jobs, v_lease.tasks)) p where p is not null);
  perform settle_unheard(p_fence, v_positions, 'released', null, p_now);
  return cardinality(v_positions);
end
$$;
