-- Leases to a worker what divide_claim gave each account (p_given tasks for p_charges seconds), removes it from ready,
-- and charges the accounts. The arrays from p_spots on have one element per examined task; p_counts: the number per
-- lane; p_held: accounts whose leases the worker already holds, and so this device slot.
create or replace function lease_turns(p_worker worker, p_half_life float8, p_fence bigint, p_held int[],
  p_turns claim_turns, p_counts int[], p_given int[], p_charges float8[], p_spots tid[], p_seqs bigint[],
  p_jobs bigint[], p_tasks int[], p_attempts smallint[], p_ests real[], p_crashes smallint[], p_now timestamptz)
returns claimed_tasks language plpgsql as $$
declare
  v_whole boolean;  -- all examined tasks are leased
  v_spots tid[];
  v_jobs bigint[];
  v_tasks int[];
  v_attempts smallint[];
  v_ests real[];
  v_crashes smallint[];
  v_accounts int[];  -- of each task
  v_lanes int[];  -- of each task
  v_taken_lanes int[];
  v_taken_heads bigint[];
  v_taken_counts int[];
  v_finish float8;
  v_lane int := 0;
  v_first int := 0;
  v_from int;
  v_left int;
  v_n int;
begin
  v_whole := (select sum(g) from unnest(p_given) g) = cardinality(p_jobs);
  for t in 1 .. cardinality(p_given) loop
    v_from := v_first;
    v_left := p_given[t];
    if not v_whole then
      v_spots := v_spots || p_spots[v_from + 1 : v_from + v_left];
      v_jobs := v_jobs || p_jobs[v_from + 1 : v_from + v_left];
      v_tasks := v_tasks || p_tasks[v_from + 1 : v_from + v_left];
      v_attempts := v_attempts || p_attempts[v_from + 1 : v_from + v_left];
      v_ests := v_ests || p_ests[v_from + 1 : v_from + v_left];
      v_crashes := v_crashes || p_crashes[v_from + 1 : v_from + v_left];
    end if;
    v_accounts := v_accounts || array_fill(p_turns.ids[t], array[v_left]);
    while v_lane < p_turns.last_lanes[t] loop
      v_lane := v_lane + 1;
      v_first := v_first + p_counts[v_lane];
      v_n := least(v_left, p_counts[v_lane]);
      continue when v_n = 0;
      v_lanes := v_lanes || array_fill(p_turns.lanes[v_lane], array[v_n]);
      v_taken_lanes := v_taken_lanes || p_turns.lanes[v_lane];
      v_taken_heads := v_taken_heads || p_seqs[v_from + v_n];
      v_taken_counts := v_taken_counts || v_n;
      v_left := v_left - v_n;
      v_from := v_from + v_n;
    end loop;
    if p_given[t] > 0 then
      v_finish := greatest(v_finish, p_turns.vtimes[t] + p_charges[t] / p_turns.weights[t]);
    end if;
  end loop;
  if v_whole then
    v_spots := p_spots;
    v_jobs := p_jobs;
    v_tasks := p_tasks;
    v_attempts := p_attempts;
    v_ests := p_ests;
    v_crashes := p_crashes;
  end if;

  delete from ready where ctid = any(v_spots);
  update account_state t set version = t.version + 1, vtime = t.vtime + c.charge / t.weight, ready = t.ready - c.n,
    usage = decayed(t.usage, t.decayed_at, p_now, p_half_life) + c.charge, decayed_at = p_now,
    period_start = quota_start(t.quota_period, p_now),
    period_seconds = period_used(t.period_seconds, t.period_start, t.quota_period, p_now) + c.charge,
    slots = t.slots + (t.account_id <> all(p_held))::int,
    (lanes, heads, counts) = (
      select coalesce(array_agg(u.id), '{}'), coalesce(array_agg(coalesce(v_taken_heads[u.place], u.head)), '{}'),
        coalesce(array_agg(u.n - coalesce(v_taken_counts[u.place], 0)), '{}')
      from (
        select o.*, array_position(v_taken_lanes, o.id) place
        from unnest(t.lanes, t.heads, t.counts) o(id, head, n)) u
      where u.n > coalesce(v_taken_counts[u.place], 0))
  from unnest(p_turns.spots, p_given, p_charges) c(spot, n, charge) where t.ctid = c.spot and c.n > 0;
  insert into lease (fence, worker_id, epoch, class_id, claimed_at, jobs, tasks, lanes, charges, attempts, crashes,
    accounts)
  values (p_fence, p_worker.id, p_worker.epoch, p_worker.class_id, p_now, v_jobs, v_tasks, v_lanes, v_ests, v_attempts,
    v_crashes, v_accounts);
  return (v_jobs, v_tasks, v_attempts, v_ests, v_finish)::claimed_tasks;
end
$$;
