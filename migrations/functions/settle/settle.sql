-- Takes tasks, given by their positions, out of a lease whose row the caller has locked. p_outcomes: done, retry,
-- final, died (the process dies on it, as it says itself, or died, as its successor says), released, lost (nobody was
-- heard of: no death, and no attempt, unless two workers died on it before). p_seconds as measured; null: not known.
-- Returns the new state of each: done, quarantined, ready (again), scheduled (again), dropped (the job is being
-- cancelled). Locks: the class; the jobs. Result contents are inserted before the class lock is taken.
create or replace function settle(p_fence bigint, p_positions int[], p_outcomes text[], p_contents bytea[],
  p_partials bytea[], p_items_ok int[], p_items_failed int[], p_seconds real[], p_errors text[], p_delays real[],
  p_now timestamptz)
returns text[] language plpgsql as $$
declare
  v_worker worker;
  v_class smallint;
  v_holders int[];  -- of the lease as it was
  v_lease_count int;
  v_claimed_at timestamptz;
  v_jobs bigint[];  -- these and the following have one element per task of the call
  v_tasks int[];
  v_lanes int[];
  v_accounts int[];
  v_charges real[];
  v_attempts smallint[];
  v_crashes smallint[];
  v_teams bigint[];
  v_merges boolean[];
  v_next_states text[];
  v_costs float8[];
  v_oks int[];
  v_faileds int[];
  v_cancelling bigint[];
  v_merging bigint[];
  v_low bigint;
  v_high bigint;
  v_errors text[] := p_errors;
  v_outcomes constant text[] := array_replace(p_outcomes, 'died', 'lost');  -- what becomes of both is the same
  v_retried constant boolean := v_outcomes && '{retry, final, lost}';
begin
  select class_id, jobs, tasks, lanes, accounts, charges, attempts, crashes, holders, cardinality(jobs), claimed_at
  into strict v_class, v_jobs, v_tasks, v_lanes, v_accounts, v_charges, v_attempts, v_crashes, v_holders,
    v_lease_count, v_claimed_at
  from lease where fence = p_fence;
  select w.* into strict v_worker from worker w join lease l on l.worker_id = w.id where l.fence = p_fence;

  -- What is left of the lease.
  if cardinality(p_positions) = v_lease_count then
    delete from lease where fence = p_fence;
  else
    update lease set (jobs, tasks, lanes, accounts, charges, attempts, crashes, holders) = (
      select array_agg(v_jobs[o]), array_agg(v_tasks[o]), array_agg(v_lanes[o]), array_agg(v_accounts[o]),
        array_agg(v_charges[o]), array_agg(v_attempts[o]), array_agg(v_crashes[o]),
        array(select distinct unnest(array_agg(v_accounts[o])))
      from (select generate_series(1, v_lease_count) o except select unnest(p_positions) order by o) open)
    where fence = p_fence;
  end if;
  if p_positions <> array(select generate_series(1, v_lease_count)) then
    select array_agg(v_jobs[p]), array_agg(v_tasks[p]), array_agg(v_lanes[p]), array_agg(v_accounts[p]),
      array_agg(v_charges[p]), array_agg(v_attempts[p]), array_agg(v_crashes[p])
    into v_jobs, v_tasks, v_lanes, v_accounts, v_charges, v_attempts, v_crashes
    from (select u.p from unnest(p_positions) with ordinality u(p, ord) order by u.ord) given;
  end if;

  select min(id), max(id) into v_low, v_high from unnest(v_jobs) u(id);
  select f.teams, f.merges, f.next_states, f.costs, f.oks, f.faileds
  into v_teams, v_merges, v_next_states, v_costs, v_oks, v_faileds
  from task_outcomes(v_worker.speed, v_jobs, v_tasks, v_charges, v_attempts, v_crashes, v_outcomes, p_items_ok,
    p_items_failed, p_seconds, p_delays) f;

  if 'lost' = any(v_outcomes) then
    -- A worker that reports its own death gives the reason and the time taken.
    v_errors := array(select case
        when s.next_state <> 'quarantined' or s.seconds is not null then s.error
        when s.outcome = 'died' then 'Three workers died while running the task.'
        when s.outcome = 'lost' then 'Two workers died while running the task, and a third one was not heard of again.'
        else s.error end
      from unnest(p_outcomes, v_next_states, p_errors, p_seconds)
        with ordinality s(outcome, next_state, error, seconds, ord)
      order by s.ord);
    v_costs := array(select case s.outcome when 'died' then coalesce(s.seconds * v_worker.speed, s.cost) else s.cost end
      from unnest(p_outcomes, p_seconds, v_costs) with ordinality s(outcome, seconds, cost, ord) order by s.ord);
  end if;

  -- Most bytes are inserted before the class lock is taken.
  insert into result (job_id, seq, team_id, state, fence, worker_id, attempt, items_ok, items_failed, seconds, bytes,
    content, partial, error, finished_at)
  select s.job_id, s.task, s.team_id, s.next_state, p_fence, v_worker.id, s.attempt, s.ok, s.failed, s.cost,
    case s.next_state when 'done' then coalesce(octet_length(s.content), 0) else 0 end,
    case s.next_state when 'done' then s.content end, case s.next_state when 'done' then s.partial end, s.error, p_now
  from unnest(v_jobs, v_tasks, v_teams, v_merges, v_next_states, v_attempts, v_oks, v_faileds, v_costs, p_contents,
    p_partials, v_errors)
    s(job_id, task, team_id, is_merge, next_state, attempt, ok, failed, cost, content, partial, error)
  where s.next_state in ('done', 'quarantined') and not s.is_merge;

  perform lock_class(v_class);

  -- A job being cancelled accepts no more results. Cancel sets the state under the class lock.
  v_cancelling := array(select j.id from job j where j.id = any(v_jobs) and j.id between v_low and v_high
    and j.state = 'cancelling');
  if v_cancelling <> '{}' then
    delete from result r using unnest(v_jobs, v_tasks) s(job_id, task)
    where r.job_id = s.job_id and r.seq = s.task and r.fence = p_fence and s.job_id = any(v_cancelling);
    v_next_states := array(select case when s.job_id = any(v_cancelling) then 'dropped' else s.next_state end
      from unnest(v_jobs, v_next_states) with ordinality s(job_id, next_state, ord) order by s.ord);
  end if;

  if true = any(v_merges) then
    perform rewrite_rows(v_jobs, v_tasks, v_merges, v_next_states, p_contents);
  end if;

  if v_retried then
    insert into attempt (job_id, seq, fence, team_id, attempt, outcome, worker_id, error, at, claimed_at)
    select s.job_id, s.task, p_fence, s.team_id, s.attempt,
      case s.outcome when 'lost' then 'worker_lost' when 'died' then 'worker_died' else s.outcome end, v_worker.id,
      s.error, p_now, v_claimed_at
    from unnest(v_jobs, v_tasks, v_teams, v_attempts, p_outcomes, v_errors, v_next_states)
      s(job_id, task, team_id, attempt, outcome, error, next_state)
    where s.outcome in ('retry', 'final', 'died', 'lost') and s.next_state <> 'dropped';
  end if;

  perform correct_charges(v_class, v_worker, array_agg(x.account_id), array_agg(x.seconds)) from (
    select c.account_id, sum(c.seconds) seconds from (
      select unnest(v_accounts) account_id, unnest(v_costs) - unnest(v_charges) seconds
      union all select unnest(v_holders), 0) c group by 1) x;
  v_merging := settle_jobs(p_fence, v_jobs, v_tasks, v_merges, v_outcomes, v_next_states, v_costs, v_oks, v_faileds,
    v_errors, p_partials, p_now);

  -- Tasks that must run again.
  if v_next_states && '{ready, scheduled}' then
    insert into scheduled (class_id, run_at, lane_id, job_id, task, est_seconds, attempt, crashes)
    select v_class, p_now + make_interval(secs => s.delay), s.lane_id, s.job_id, s.task, s.charge, s.attempt + 1,
      s.crashes
    from unnest(v_next_states, p_delays, v_lanes, v_jobs, v_tasks, v_charges, v_attempts, v_crashes)
      s(next_state, delay, lane_id, job_id, task, charge, attempt, crashes)
    where s.next_state = 'scheduled';
    perform push_ready(v_class, array_agg(s.lane_id), array_agg(s.job_id), array_agg(s.task), array_agg(s.charge),
      array_agg((s.attempt + (s.outcome not in ('released', 'lost'))::int)::smallint),
      array_agg((s.crashes + (s.outcome = 'died')::int)::smallint), p_now)
    from (
      select * from unnest(v_next_states, p_outcomes, v_lanes, v_jobs, v_tasks, v_charges, v_attempts, v_crashes)
        with ordinality u(next_state, outcome, lane_id, job_id, task, charge, attempt, crashes, ord)
      where u.next_state = 'ready' order by u.ord) s;
  end if;
  if v_merging is not null then
    perform push_merges(v_merging, p_now);
  end if;
  return v_next_states;
end
$$;
