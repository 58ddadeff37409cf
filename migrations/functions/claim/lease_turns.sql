-- Leases to a worker what divide_claim gave each account (p_given tasks for p_charges seconds), removes it from ready,
-- and charges the accounts. The arrays from p_spots on have one element per examined task; p_counts: the number per
-- lane; p_held: accounts whose leases the worker already holds, and so this device slot.
create or replace function lease_turns(p_worker worker, p_half_life float8, p_fence bigint, p_held int[],
  p_turns claim_turns, p_counts int[], p_given int[], p_charges float8[], p_spots tid[], p_seqs bigint[],
  p_jobs bigint[], p_tasks int[], p_attempts smallint[], p_ests real[], p_crashes smallint[], p_now timestamptz)
returns claimed_tasks language plpgsql as $$
declare
  v_count constant int := cardinality(p_given);
  v_spots tid[];
  v_jobs bigint[];
  v_tasks int[];
  v_attempts smallint[];
  v_ests real[];
  v_crashes smallint[];
  v_accounts int[];  -- of each task
  v_holders int[];
  v_lanes int[];  -- of each task
  v_taken_heads bigint[];  -- of each examined lane: the seq of the last task taken from it
  v_taken_counts int[];
  v_finish float8;
  v_lane int := 0;
  v_first int := 0;
  v_copied_from int := 0;
  v_copied_to int := 0;
  v_from int;
  v_left int;
  v_n int;
begin
  for t in 1 .. v_count + 1 loop
    -- Accounts of which all examined tasks are leased lie side by side: their tasks are copied together.
    if t > v_count or p_given[t] > 0 and v_first > v_copied_to then
      v_spots := v_spots || p_spots[v_copied_from + 1 : v_copied_to];
      v_jobs := v_jobs || p_jobs[v_copied_from + 1 : v_copied_to];
      v_tasks := v_tasks || p_tasks[v_copied_from + 1 : v_copied_to];
      v_attempts := v_attempts || p_attempts[v_copied_from + 1 : v_copied_to];
      v_ests := v_ests || p_ests[v_copied_from + 1 : v_copied_to];
      v_crashes := v_crashes || p_crashes[v_copied_from + 1 : v_copied_to];
      exit when t > v_count;
      v_copied_from := v_first;
    end if;
    v_from := v_first;
    v_left := p_given[t];
    if v_left > 0 then
      v_copied_to := v_first + v_left;
      v_holders := v_holders || p_turns.ids[t];
      v_accounts := v_accounts || array_fill(p_turns.ids[t], array[v_left]);
      v_finish := greatest(v_finish, p_turns.vtimes[t] + p_charges[t] / p_turns.weights[t]);
    end if;
    while v_lane < p_turns.last_lanes[t] loop
      v_lane := v_lane + 1;
      v_first := v_first + p_counts[v_lane];
      v_n := least(v_left, p_counts[v_lane]);
      v_taken_counts[v_lane] := v_n;
      continue when v_n = 0;
      v_lanes := v_lanes || array_fill(p_turns.lanes[v_lane], array[v_n]);
      v_taken_heads[v_lane] := p_seqs[v_from + v_n];
      v_left := v_left - v_n;
      v_from := v_from + v_n;
    end loop;
  end loop;

  delete from ready where ctid = any(v_spots);
  update account_state t set version = t.version + 1, vtime = t.vtime + c.charge / t.weight, ready = t.ready - c.n,
    usage = decayed(t.usage, t.decayed_at, p_now, p_half_life) + c.charge, decayed_at = p_now,
    period_start = quota_start(t.quota_period, p_now),
    period_seconds = period_used(t.period_seconds, t.period_start, t.quota_period, p_now) + c.charge,
    slots = t.slots + (t.account_id <> all(p_held))::int,
    (lanes, heads, counts) = (  -- none, if all of the account's tasks are taken
      select coalesce(array_agg(u.id), '{}'), coalesce(array_agg(coalesce(v_taken_heads[u.place], u.head)), '{}'),
        coalesce(array_agg(u.n - coalesce(v_taken_counts[u.place], 0)), '{}')
      from (
        select o.*, c.before + array_position(c.examined, o.id) place
        from unnest(t.lanes, t.heads, t.counts) o(id, head, n) offset 0) u
      where c.n < t.ready and u.n > coalesce(v_taken_counts[u.place], 0))
  from (
    select x.spot, x.n, x.charge, x.before, p_turns.lanes[x.before + 1 : x.last] examined
    from unnest(p_turns.spots, p_given, p_charges, 0 || p_turns.last_lanes, p_turns.last_lanes)
      x(spot, n, charge, before, last)
    where x.n > 0 offset 0) c
  where t.ctid = c.spot;
  insert into lease (fence, worker_id, epoch, class_id, claimed_at, jobs, tasks, lanes, charges, attempts, crashes,
    accounts, holders)
  values (p_fence, p_worker.id, p_worker.epoch, p_worker.class_id, p_now, v_jobs, v_tasks, v_lanes, v_ests, v_attempts,
    v_crashes, v_accounts, v_holders);
  return (v_jobs, v_tasks, v_attempts, v_ests, v_finish)::claimed_tasks;
end
$$;
