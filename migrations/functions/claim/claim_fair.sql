-- The general case of a claim, among accounts that take turns. Arguments: those of the claim, with what it read under
-- the class's lock. Returns what was leased, in order, and the virtual time at which the last account ended; null if
-- there was nothing to lease.
--
-- Stride scheduling within a quantum: read_turns decides whose turn it is, divide_claim how many of the tasks read here
-- each account gets, and lease_turns writes the lease. 32 accounts share a claim, or as many as it takes to fill it;
-- none gets ahead of a waiting one by more than the quantum, 1/32 of the claim, from wherever it stood before: leads do
-- not add up. A lease holds its tasks account by account. An account whose next task exceeds what is left of its quota
-- is marked as over quota.
--
-- Ready tasks are read by the primary key of ready, after the lanes' cursors.
create or replace function claim_fair(p_worker worker, p_bucket smallint, p_work float8, p_max_tasks int,
  p_models text[], p_clock float8, p_half_life float8, p_fence bigint, p_now timestamptz)
returns claimed_tasks language plpgsql as $$
declare
  v_accounts_per_claim constant int := 32;
  v_held constant int[] := array(select distinct unnest(l.holders) from lease l
    where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence);
  v_turns claim_turns;
  v_counts int[];  -- number of examined tasks per lane
  v_not_left int[];  -- how many of these are not left to other workers
  v_division record;
  v_spots tid[];  -- these and the following have one element per examined task
  v_seqs bigint[];
  v_jobs bigint[];
  v_tasks int[];
  v_attempts smallint[];
  v_ests real[];
  v_crashes smallint[];
  v_longest float8;
  v_suspects boolean;  -- a worker died on one of them
begin
  loop
    v_turns := read_turns(p_worker, p_bucket, p_max_tasks, p_models, p_clock, v_held, v_accounts_per_claim, p_now);
    if cardinality(v_turns.ids) = 0 then
      return null;
    end if;

    -- Their ready tasks, account by account in lane order.
    v_counts := v_turns.counts;
    for reading in 1 .. 2 loop
      select array_agg(r.ctid), array_agg(r.seq), array_agg(r.job_id), array_agg(r.task), array_agg(r.attempt),
        array_agg(r.est_seconds), array_agg(r.crashes), max(r.est_seconds), coalesce(max(r.crashes) > 0, false)
      into v_spots, v_seqs, v_jobs, v_tasks, v_attempts, v_ests, v_crashes, v_longest, v_suspects
      from unnest(v_turns.lanes, v_turns.heads, v_counts) l(id, head, n)
      cross join lateral (
        select x.ctid, x.* from ready x where x.lane_id = l.id and x.seq > l.head order by x.seq limit l.n) r;
      exit when not v_suspects or reading = 2;
      -- A task that a worker died on here is left to others, with everything after it in its lane.
      v_not_left := array(
        select coalesce((
          select r.place - 1 from (
            select x.*, row_number() over (order by x.seq)::int place from ready x
            where x.lane_id = l.id and x.seq > l.head order by x.seq limit l.n) r
          where r.crashes > 0 and defers_to_other_worker(p_worker, r.lane_id, r.job_id, r.task, r.since, p_now)
          order by r.place limit 1), l.n)
        from unnest(v_turns.lanes, v_turns.heads, v_counts) with ordinality l(id, head, n, place) order by l.place);
      exit when v_not_left = v_counts;
      v_counts := v_not_left;
    end loop;

    v_division := divide_claim(p_work, p_max_tasks, v_accounts_per_claim, v_held = '{}', v_turns, v_counts, v_ests,
      v_crashes, v_longest, v_suspects);
    if v_division.over_quota <> '{}' then
      update account_state t set version = t.version + 1, over_quota = true,
        period_start = quota_start(t.quota_period, p_now), period_seconds = t.quota_seconds - v_turns.quotas[s]
      from unnest(v_division.over_quota) s where t.ctid = v_turns.spots[s];
    end if;
    exit when v_division.n > 0;
    if v_division.over_quota = '{}' then
      return null;
    end if;
    -- Try once more: accounts that may not continue blocked others.
  end loop;

  return lease_turns(p_worker, p_half_life, p_fence, v_held, v_turns, v_counts, v_division.given, v_division.charges,
    v_spots, v_seqs, v_jobs, v_tasks, v_attempts, v_ests, v_crashes, p_now);
end
$$;
