-- The case of a single account without a quota, with no leases of other accounts: the tasks of its lanes in sequence.
-- v_turn is its row with its place (spot). Returns the same as claim_fair; jobs is null if the general case must
-- decide, and then nothing has changed.
create or replace function claim_single_account(p_worker worker, p_bucket smallint, p_work float8, p_max_tasks int,
  p_models text[], p_spot tid, p_account account_state, p_held boolean, p_half_life float8, p_fence bigint,
  p_now timestamptz, out jobs bigint[], out tasks int[], out attempts smallint[], out ests real[], out finish float8)
language plpgsql as $$
declare
  v_lanes int[] := p_account.lanes;
  v_heads bigint[] := p_account.heads;
  v_spots tid[];
  v_place int;
  v_row_lanes int[];
  v_line record;
  v_charge float8 := 0;
  v_count int := 0;
begin
  if p_account.ready = 1 then  -- as on an idle queue: taken without a look at it before
    delete from ready x where x.lane_id = v_lanes[1] and x.seq > v_heads[1] and x.crashes = 0
    returning array[x.job_id], array[x.task], array[x.attempt], array[x.est_seconds], x.est_seconds, 1, v_lanes
    into jobs, tasks, attempts, ests, v_charge, v_count, v_row_lanes;
    p_account.lanes := '{}'::int[];
    p_account.heads := '{}'::bigint[];
    p_account.counts := '{}'::int[];
    v_lanes := '{}'::int[];
  elsif cardinality(v_lanes) > 1 then
    select o.lanes, o.heads into v_lanes, v_heads
    from served_lanes(v_lanes, v_heads, p_account.counts, p_worker, p_bucket, p_models, p_now) o;
  end if;

  for i in 1 .. cardinality(v_lanes) loop
    exit when v_count >= p_max_tasks or v_charge >= p_work;
    select array_agg(n.spot) spots, array_agg(n.job_id) jobs, array_agg(n.task) tasks, array_agg(n.attempt) attempts,
      array_agg(n.est_seconds) ests, max(n.crashes) crashes, max(n.seq) head, sum(n.est_seconds::float8) charge,
      count(*)::int n
    into v_line from (
      select x.ctid spot, x.seq, x.job_id, x.task, x.est_seconds, x.attempt, x.crashes,
        sum(x.est_seconds::float8) over (order by x.seq rows unbounded preceding) - x.est_seconds before
      from ready x where x.lane_id = v_lanes[i] and x.seq > v_heads[i] order by x.seq limit p_max_tasks - v_count) n
    where v_charge + n.before < p_work;
    continue when v_line.n = 0;
    if v_line.crashes > 0 then
      jobs := null;
      return;
    end if;
    v_count := v_count + v_line.n;
    v_charge := v_charge + v_line.charge;
    v_spots := v_spots || v_line.spots;
    jobs := jobs || v_line.jobs;
    tasks := tasks || v_line.tasks;
    attempts := attempts || v_line.attempts;
    ests := ests || v_line.ests;
    v_row_lanes := v_row_lanes || array_fill(v_lanes[i], array[v_line.n]);
    -- The account's new row, without lanes that became empty.
    v_place := array_position(p_account.lanes, v_lanes[i]);
    if p_account.counts[v_place] > v_line.n then
      p_account.heads[v_place] := v_line.head;
      p_account.counts[v_place] := p_account.counts[v_place] - v_line.n;
    else
      p_account.lanes := p_account.lanes[:v_place - 1] || p_account.lanes[v_place + 1:];
      p_account.heads := p_account.heads[:v_place - 1] || p_account.heads[v_place + 1:];
      p_account.counts := p_account.counts[:v_place - 1] || p_account.counts[v_place + 1:];
    end if;
  end loop;
  if jobs is null then
    return;
  end if;

  if v_spots is not null then
    delete from ready where ctid = any(v_spots);
  end if;
  update account_state t set version = p_account.version + 1, vtime = p_account.vtime + v_charge / p_account.weight,
    ready = p_account.ready - v_count,
    usage = decayed(p_account.usage, p_account.decayed_at, p_now, p_half_life) + v_charge, decayed_at = p_now,
    period_start = quota_start(p_account.quota_period, p_now),
    period_seconds = period_used(p_account.period_seconds, p_account.period_start, p_account.quota_period, p_now)
      + v_charge,
    slots = p_account.slots + (not p_held)::int,
    lanes = p_account.lanes, heads = p_account.heads, counts = p_account.counts
  where t.ctid = p_spot;
  insert into lease (fence, worker_id, epoch, class_id, claimed_at, jobs, tasks, lanes, charges, attempts, crashes,
    accounts, holders)
  values (p_fence, p_worker.id, p_worker.epoch, p_worker.class_id, p_now, jobs, tasks, v_row_lanes, ests, attempts,
    array_fill(0::smallint, array[v_count]), array_fill(p_account.account_id, array[v_count]),
    array[p_account.account_id]);
  finish := p_account.vtime + v_charge / p_account.weight;
end
$$;
