-- Ending what a lease holds: completion, release, the death of a worker.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- One task of a lease and what becomes of it. fate: done, quarantined, ready (again), scheduled (again),
-- dropped (its job is being cancelled).
create type settlement as (ord int, job_id bigint, task int, team_id bigint, lane_id int, account_id int, charge real,
  attempt smallint, crashes smallint, is_merge boolean, fate text, cost float8, items_ok int, items_failed int, items int, error text);

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
  from job j where j.id = any(p_jobs);
end
$$;

-- Takes the given tasks out of the lease. The caller has locked the lease's row and checked that every
-- task is in it. p_outcomes: done, retry, final (from the worker), released, lost. p_seconds as measured.
create function settle(p_fence bigint, p_jobs bigint[], p_tasks int[], p_outcomes text[], p_contents bytea[], p_partials bytea[],
  p_items_ok int[], p_items_failed int[], p_seconds real[], p_errors text[], p_delays real[], p_now timestamptz)
returns settlement[] language plpgsql as $$
declare
  v_lease lease;
  v_worker worker;
  v_clock float8;
  v_settled settlement[];
  v_cancelling bigint[];
  v_left_accounts int[];
  v_gone int[];
  v_ended bigint[];
  v_merging bigint[];
  v_again settlement[];
begin
  select * into strict v_lease from lease where fence = p_fence;
  select * into strict v_worker from worker where id = v_lease.worker_id;

  select array_agg((g.ord, g.job_id, g.task, j.team_id, o.lane_id, n.account_id, o.charge, o.attempt, o.crashes, g.task = j.tasks_total,
      case g.outcome
        when 'released' then 'ready'
        when 'lost' then case when o.crashes >= 1 then 'quarantined' else 'ready' end
        when 'retry' then case when o.attempt >= j.max_attempts then 'quarantined' when g.delay > 0 then 'scheduled' else 'ready' end
        when 'final' then 'quarantined'
        else g.outcome end,
      case g.outcome when 'released' then 0 when 'lost' then o.charge else coalesce(g.seconds, 0) * v_worker.speed end,
      g.ok, g.failed, coalesce(t.items, 0), g.error)::settlement order by g.ord)
  into v_settled
  from unnest(p_jobs, p_tasks, p_outcomes, p_items_ok, p_items_failed, p_seconds, p_errors, p_delays)
    with ordinality g(job_id, task, outcome, ok, failed, seconds, error, delay, ord)
  join unnest(v_lease.jobs, v_lease.tasks, v_lease.lanes, v_lease.charges, v_lease.attempts, v_lease.crashes)
    o(job_id, task, lane_id, charge, attempt, crashes) on o.job_id = g.job_id and o.task = g.task
  join job j on j.id = g.job_id
  join lane n on n.id = o.lane_id
  left join task t on t.job_id = g.job_id and t.seq = g.task;

  -- The bulk of the bytes goes in before the class lock is taken.
  insert into result (job_id, seq, team_id, state, fence, worker_id, attempt, items_ok, items_failed, seconds, bytes, content, partial, error, finished_at)
  select s.job_id, s.task, s.team_id, s.fate, p_fence, v_worker.id, s.attempt,
    case s.fate when 'done' then s.items_ok else 0 end, case s.fate when 'done' then s.items_failed else s.items end, s.cost,
    coalesce(octet_length(c.content), 0), c.content, c.partial, s.error, p_now
  from unnest(v_settled) s
  left join unnest(p_contents, p_partials) with ordinality c(content, partial, ord) on c.ord = s.ord and s.fate = 'done'
  where s.fate in ('done', 'quarantined') and not s.is_merge;

  perform lock_class(v_lease.class_id);
  v_clock := class_clock(v_lease.class_id);

  -- A job being cancelled takes no more results. Cancel sets the state under the class lock.
  v_cancelling := array(select j.id from job j where j.id = any(array(select distinct unnest(p_jobs))) and j.state = 'cancelling');
  if v_cancelling <> '{}' then
    delete from result r using unnest(v_settled) s
    where r.job_id = s.job_id and r.seq = s.task and r.fence = p_fence and s.job_id = any(v_cancelling);
    v_settled := array(select (s.ord, s.job_id, s.task, s.team_id, s.lane_id, s.account_id, s.charge, s.attempt, s.crashes, s.is_merge,
        case when s.job_id = any(v_cancelling) then 'dropped' else s.fate end, s.cost, s.items_ok, s.items_failed, s.items, s.error)::settlement
      from unnest(v_settled) s order by s.ord);
  end if;

  insert into attempt (job_id, seq, fence, team_id, attempt, outcome, worker_id, error, at)
  select s.job_id, s.task, p_fence, s.team_id, s.attempt, case u.outcome when 'lost' then 'worker_lost' else u.outcome end, v_worker.id, s.error, p_now
  from unnest(v_settled) s join unnest(p_outcomes) with ordinality u(outcome, ord) on u.ord = s.ord
  where u.outcome in ('retry', 'final', 'lost') and s.fate <> 'dropped';

  -- What is left of the lease.
  with open as (
    select o.*, n.account_id from unnest(v_lease.jobs, v_lease.tasks, v_lease.lanes, v_lease.charges, v_lease.attempts, v_lease.crashes)
      with ordinality o(job_id, task, lane_id, charge, attempt, crashes, ord)
    join lane n on n.id = o.lane_id
    where not exists (select from unnest(p_jobs, p_tasks) g(job_id, task) where g.job_id = o.job_id and g.task = o.task)
  ), kept as (
    update lease l set jobs = k.jobs, tasks = k.tasks, lanes = k.lanes, charges = k.charges, attempts = k.attempts, crashes = k.crashes,
      accounts = k.accounts
    from (select array_agg(job_id order by ord) jobs, array_agg(task order by ord) tasks, array_agg(lane_id order by ord) lanes,
        array_agg(charge order by ord) charges, array_agg(attempt order by ord) attempts, array_agg(crashes order by ord) crashes,
        array_agg(distinct account_id) accounts from open having count(*) > 0) k
    where l.fence = p_fence returning l.accounts
  )
  select coalesce((select accounts from kept), '{}') into v_left_accounts;
  if v_left_accounts = '{}' then
    delete from lease where fence = p_fence;
  end if;

  -- Charges become what was measured; a slot is given back with the last lease of the account on this worker.
  v_gone := array(select a from unnest(v_lease.accounts) a where a <> all(v_left_accounts)
    except select unnest(l.accounts) from lease l where l.worker_id = v_worker.id and l.fence >= v_worker.oldest_fence and l.fence <> p_fence);
  with change as (
    select a.account_id, coalesce(sum(s.cost - s.charge), 0) correction, (a.account_id = any(v_gone))::int gone
    from unnest(v_lease.accounts) a(account_id) left join unnest(v_settled) s on s.account_id = a.account_id group by 1
  ), old as materialized (
    select o.*, c.gone, o.vtime + c.correction / o.weight corrected,
      o.ready > 0 and o.slots >= o.cap and o.slots - c.gone < o.cap opens
    from change c cross join lateral newest_state(c.account_id) o
  ), changed as (
    update account_state t set version = o.version + 1, slots = o.slots - o.gone,
      vtime = case when o.opens then greatest(o.corrected, v_clock) else o.corrected end
    from old o where t.account_id = o.account_id and t.version = o.version
    returning t.vtime, t.ready > 0 and t.slots < t.cap and not t.paused is_open
  ), lowest as (
    select min(vtime) vtime from changed where is_open
  )
  update class_state c set version = n.version + 1, vclock = lowest.vtime
  from lowest, (select o.version from class_state o where o.class_id = v_lease.class_id order by o.version desc limit 1) n
  where c.class_id = v_lease.class_id and c.version = n.version and lowest.vtime < v_clock;

  -- The jobs: counters, and the end of those that have nothing left to run.
  with part as (
    select s.job_id, count(*) filter (where s.fate in ('done', 'quarantined') and not s.is_merge)::int ended,
      count(*) filter (where s.fate = 'quarantined' and not s.is_merge)::int bad,
      coalesce(bool_or(s.fate = 'done') filter (where s.is_merge), false) merged,
      coalesce(bool_or(s.fate = 'quarantined') filter (where s.is_merge), false) unmerged,
      coalesce(sum(s.items_ok) filter (where s.fate = 'done' and not s.is_merge), 0) ok,
      coalesce(sum(case s.fate when 'done' then s.items_failed else s.items end) filter (where s.fate in ('done', 'quarantined') and not s.is_merge), 0) failed,
      sum(s.cost) cost, array_agg(s.task order by s.task) filter (where s.fate = 'quarantined') bad_tasks,
      array_agg(s.task order by s.task) filter (where s.fate in ('ready', 'scheduled') and o.outcome <> 'released') again_tasks,
      (array_agg(s.error order by s.ord desc) filter (where s.fate = 'quarantined' and s.error is not null))[1] error,
      max(s.ord) filter (where s.fate = 'done') done_ord
    from unnest(v_settled) s join unnest(p_outcomes) with ordinality o(outcome, ord) on o.ord = s.ord group by 1
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
      last_event = j.last_event + (n.again_tasks is not null)::int + (n.bad_tasks is not null)::int + (n.state in ('succeeded', 'failed', 'cancelled'))::int
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
    select c.id, c.team_id, p_fence, u.partial, p_now from changed c
    join unnest(p_partials) with ordinality u(partial, ord) on u.ord = c.done_ord where c.state = 'succeeded' and u.partial is not null
  )
  select array_agg(id), array_agg(id order by id) filter (where merging) into v_ended, v_merging from changed;

  -- What has to run again.
  v_again := array(select s from unnest(v_settled) s where s.fate in ('ready', 'scheduled') order by s.ord);
  if v_again <> '{}' then
    insert into scheduled (class_id, run_at, job_id, task, attempt, crashes)
    select v_lease.class_id, p_now + make_interval(secs => u.delay), s.job_id, s.task, s.attempt + 1, s.crashes
    from unnest(v_again) s join unnest(p_delays) with ordinality u(delay, ord) on u.ord = s.ord where s.fate = 'scheduled';
    perform push(v_lease.class_id, array_agg(s.lane_id order by s.ord), array_agg(s.job_id order by s.ord), array_agg(s.task order by s.ord),
      array_agg(s.charge order by s.ord),
      array_agg((s.attempt + case when u.outcome = 'released' then 0 else 1 end)::smallint order by s.ord),
      array_agg((s.crashes + case when u.outcome = 'lost' then 1 else 0 end)::smallint order by s.ord), p_now)
    from unnest(v_again) s join unnest(p_outcomes) with ordinality u(outcome, ord) on u.ord = s.ord where s.fate = 'ready';
  end if;
  if v_merging is not null then
    perform push_merges(v_merging, p_now);
  end if;
  perform notify_jobs(v_ended);
  return v_settled;
end
$$;

-- Records what came of tasks. verdict per task: accepted; cancelled (not recorded: the job is being
-- cancelled); replayed (this fence recorded it before: the answer was lost, all is well); stale (another
-- run owns the task now: forget it).
create function complete_v1(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[], p_outcomes text[],
  p_contents bytea[], p_partials bytea[], p_items_ok int[], p_items_failed int[], p_seconds real[], p_errors text[], p_delays real[],
  p_now timestamptz default clock_timestamp())
returns table (job_id bigint, task int, verdict text)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_lease lease;
  v_worker worker;
  v_held int[] := '{}';
  v_settled settlement[] := '{}';
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
    v_held := array(select u.ord from unnest(p_jobs, p_tasks) with ordinality u(job_id, task, ord)
      where exists (select from unnest(v_lease.jobs, v_lease.tasks) o(job_id, task) where o.job_id = u.job_id and o.task = u.task) order by 1);
  end if;
  if cardinality(v_held) = cardinality(p_jobs) and v_held <> '{}' then
    v_settled := settle(p_fence, p_jobs, p_tasks, p_outcomes, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_errors, p_delays, p_now);
  elsif v_held <> '{}' then
    v_settled := settle(p_fence, array_agg(u.job_id order by u.ord), array_agg(u.task order by u.ord), array_agg(u.outcome order by u.ord),
        array_agg(u.content order by u.ord), array_agg(u.partial order by u.ord), array_agg(u.ok order by u.ord), array_agg(u.failed order by u.ord),
        array_agg(u.seconds order by u.ord), array_agg(u.error order by u.ord), array_agg(u.delay order by u.ord), p_now)
      from unnest(p_jobs, p_tasks, p_outcomes, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_errors, p_delays)
        with ordinality u(job_id, task, outcome, content, partial, ok, failed, seconds, error, delay, ord)
      where u.ord = any(v_held);
  end if;
  return query
  select u.job_id, u.task, case when s.fate = 'dropped' then 'cancelled' when s.fate is not null then 'accepted'
      when exists (select from result r where r.job_id = u.job_id and r.seq = u.task and r.fence = p_fence)
        or exists (select from attempt a where a.job_id = u.job_id and a.seq = u.task and a.fence = p_fence and a.outcome <> 'worker_lost')
        or exists (select from report r join job j on j.id = r.job_id where r.job_id = u.job_id and u.task = j.tasks_total and r.fence = p_fence)
        then 'replayed' else 'stale' end
  from unnest(p_jobs, p_tasks) with ordinality u(job_id, task, ord)
  left join unnest(v_settled) s on s.job_id = u.job_id and s.task = u.task
  order by u.ord;
end
$$;

-- Settles tasks without a word from their worker.
create function settle_unheard(p_fence bigint, p_jobs bigint[], p_tasks int[], p_outcome text, p_error text, p_now timestamptz)
returns void language plpgsql as $$
declare
  v_count constant int := cardinality(p_jobs);
begin
  if v_count > 0 then
    perform settle(p_fence, p_jobs, p_tasks, array_fill(p_outcome, array[v_count]), null, null, null, null, null,
      array_fill(p_error, array[v_count]), null, p_now);
  end if;
end
$$;

-- Gives tasks back that were not started: no attempt is spent. Answers how many the lease still held.
create function release_v1(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[], p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_lease lease;
  v_jobs bigint[];
  v_tasks int[];
begin
  select * into v_lease from lease where fence = p_fence and worker_id = p_worker_id and epoch = p_epoch for update;
  select array_agg(u.job_id), array_agg(u.task) into v_jobs, v_tasks
  from (select distinct job_id, task from unnest(p_jobs, p_tasks) x(job_id, task)) u
  where exists (select from unnest(v_lease.jobs, v_lease.tasks) o(job_id, task) where o.job_id = u.job_id and o.task = u.task);
  perform settle_unheard(p_fence, v_jobs, v_tasks, 'released', null, p_now);
  return coalesce(cardinality(v_jobs), 0);
end
$$;
