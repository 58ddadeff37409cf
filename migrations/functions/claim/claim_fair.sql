-- The general case of a claim, among accounts that take turns; the arguments are those of the claim, with what it found
-- out under the class's lock. Answers what was leased, in order, and the virtual time at which the last account ended.
--
-- Stride scheduling within a quantum: what starts, in virtual time (account's virtual time + charge before it /
-- weight), before the first account that this claim leaves waiting goes out in the order of virtual start, and then the
-- quantum of each account, in the order of their turns. At most 16 accounts share a claim, and none gets ahead of a
-- waiting one by more than the quantum, 1/16 of the claim, from wherever it stood before: leads do not add up. The
-- tasks of a lease stand account by account.
create or replace function claim_fair(p_worker worker, p_bucket smallint, p_work float8, p_max_tasks int,
  p_models text[], p_clock float8,
  p_half_life float8, p_fence bigint, p_now timestamptz,
  out jobs bigint[], out tasks int[], out attempts smallint[], out ests real[], out finish float8)
language plpgsql as $$
declare
  v_accounts_per_claim constant int := 16;
  v_tasks_per_account constant int := greatest(1, p_max_tasks / 16);
  v_held constant int[] := array(select distinct unnest(l.accounts) from lease l where l.worker_id = p_worker.id
    and l.fence >= p_worker.oldest_fence);
  v_turn record;
  v_count int;  -- accounts that may be served
  v_room int;  -- how many tasks of each are looked at
  v_left int;
  v_horizon float8;  -- where the first account stands that this claim will leave waiting; null: it leaves none
  v_quantum float8;  -- what others may get ahead of it
  v_longest float8;
  v_spots tid[];  -- these and the following have one element per account, in the order of their turns
  v_ids int[];
  v_vtimes float8[];
  v_weights float8[];
  v_readys int[];
  v_quotas float8[];  -- what is left; null: there is none
  v_last_lanes int[];  -- where its lanes end in the arrays of lanes
  v_firsts int[];  -- where its tasks begin in the arrays of tasks, from 0
  v_allowed int[];  -- how many of those that were looked at its quota lets pass
  v_works float8[];  -- what those take
  v_due int[];  -- how many start before the horizon
  v_due_works float8[];
  v_given int[];  -- how many it gets
  v_charges float8[];
  v_lanes int[];  -- these and the following have one element per lane that is looked at
  v_heads bigint[];
  v_looked_at int[];  -- how many of its tasks
  v_not_left int[];  -- how many of these are not left to others
  v_all_seqs bigint[];  -- these and the following have one element per task that was looked at
  v_all_jobs bigint[];
  v_all_tasks int[];
  v_all_attempts smallint[];
  v_all_ests real[];
  v_all_crashes smallint[];
  v_all_spots tid[];
  v_suspects boolean;
  v_stopped int[];  -- accounts whose next task is more than what is left of their quota
  v_n int;
  v_work float8;
  v_before float8;
  v_lane int;
  v_at int;
  v_from int;
  v_taken tid[];
  v_crashes smallint[];
  v_row_lanes int[];
  v_row_accounts int[];
  v_taken_lanes int[];
  v_taken_heads bigint[];
  v_taken_counts int[];
begin
  loop
    v_count := 0;
    v_horizon := null;
    v_last_lanes := '{}';
    v_lanes := '{}';
    v_heads := '{}';
    v_looked_at := '{}';
    for v_turn in
      select x.spot, x.account_id, x.vtime, x.weight, x.ready,
      x.quota_seconds - period_used(x.period_seconds, x.period_start, x.quota_period, p_now) quota_left,
        least(v_accounts_per_claim, x.n)::int accounts, f.*
      from (
        select t.*, count(*) over () n from (
          (select s.ctid spot, s.* from account_state s
            where s.class_id = p_worker.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.spent
            and s.vtime >= p_clock
              and exists (select from unnest(s.lanes) u(id) join lane l on l.id = u.id
              where lane_fits(l, p_worker, p_bucket))
            order by s.vtime limit v_accounts_per_claim + 1)
          union all  -- at its cap, but this device is one of its slots
          (select s.* from unnest(v_held) h(id) cross join lateral (select z.ctid spot, z.* from account_state z
            where z.account_id = h.id order by z.version desc limit 1) s
            where s.ready > 0 and s.slots >= s.cap and s.slots > 0 and not s.paused and not s.spent)) t
        order by t.vtime, t.account_id limit v_accounts_per_claim + 1) x
      cross join lateral (
        -- Where all lanes of an account are alike, nobody needs to know how long their heads have waited.
        select array_agg(o.id) lanes, array_agg(o.head) heads, array_agg(o.n) counts, sum(o.n)::int waiting
        from (
          select w.id, w.head, w.n from (
            select l.id, u.head, u.n, l.priority, l.model = any(p_models) resident,
              min(l.priority) over () < max(l.priority) over ()
                or bool_or(l.model = any(p_models)) over () <> bool_and(l.model = any(p_models)) over () mixed,
              bool_or(l.model = any(p_models)) over () <> bool_and(l.model = any(p_models)) over () choice
            from unnest(x.lanes, x.heads, x.counts) u(id, head, n) join lane l on l.id = u.id
            where lane_fits(l, p_worker, p_bucket)) w
          left join lateral (
            select r.since from ready r where w.mixed and r.lane_id = w.id and r.seq > w.head order by r.seq
              limit 1) h on true
          order by case when w.mixed then aged_priority(w.priority, h.since, p_now) end desc,
            case when w.choice then h.since - case when w.resident then interval '1 minute' else interval '0' end end,
            w.head, w.id) o) f
      order by x.vtime, x.account_id
    loop
      if v_count = v_accounts_per_claim then
        v_horizon := v_turn.vtime;
        exit;
      end if;
      v_count := v_count + 1;
      v_spots[v_count] := v_turn.spot;
      v_ids[v_count] := v_turn.account_id;
      v_vtimes[v_count] := v_turn.vtime;
      v_weights[v_count] := v_turn.weight;
      v_readys[v_count] := v_turn.ready;
      v_quotas[v_count] := v_turn.quota_left;
      v_room := case v_turn.accounts when 1 then p_max_tasks
        when v_accounts_per_claim then greatest(v_tasks_per_account,
        ceil(1.25 * p_max_tasks / v_accounts_per_claim))::int
        else greatest(v_tasks_per_account, ceil(2.0 * p_max_tasks / v_turn.accounts))::int end;
      if v_turn.waiting > v_room then
        v_left := v_room;
        for i in 1 .. cardinality(v_turn.lanes) loop
          exit when v_left <= 0;
          v_lanes := v_lanes || v_turn.lanes[i];
          v_heads := v_heads || v_turn.heads[i];
          v_looked_at := v_looked_at || least(v_left, v_turn.counts[i]);
          v_left := v_left - v_turn.counts[i];
        end loop;
      else
        v_lanes := v_lanes || v_turn.lanes;
        v_heads := v_heads || v_turn.heads;
        v_looked_at := v_looked_at || v_turn.counts;
      end if;
      v_last_lanes[v_count] := cardinality(v_lanes);
    end loop;
    exit when v_count = 0;

    -- What they have ready, account by account in the order of their lines.
    for reading in 1 .. 2 loop
      select array_agg(r.ctid), array_agg(r.seq), array_agg(r.job_id), array_agg(r.task), array_agg(r.attempt),
        array_agg(r.est_seconds), array_agg(r.crashes),
        max(r.est_seconds), coalesce(max(r.crashes) > 0, false)
      into v_all_spots, v_all_seqs, v_all_jobs, v_all_tasks, v_all_attempts, v_all_ests, v_all_crashes, v_longest,
        v_suspects
      from unnest(v_lanes, v_heads, v_looked_at) l(id, head, n)
      cross join lateral (select x.ctid, x.* from ready x where x.lane_id = l.id and x.seq > l.head order by x.seq
        limit l.n) r;
      exit when not v_suspects or reading = 2;
      -- What a worker died on here is left to others, and what stands behind it in its lane.
      v_not_left := array(select coalesce((select r.place - 1 from (
            select x.*, row_number() over (order by x.seq)::int place from ready x where x.lane_id = l.id
              and x.seq > l.head order by x.seq limit l.n) r
          where r.crashes > 0 and defers_to_other_worker(p_worker, r.lane_id, r.job_id, r.task, r.since, p_now)
            order by r.place limit 1), l.n)
        from unnest(v_lanes, v_heads, v_looked_at) with ordinality l(id, head, n, place) order by l.place);
      exit when v_not_left = v_looked_at;
      v_looked_at := v_not_left;
    end loop;

    -- How far each would go, and where this leaves those who have more.
    v_stopped := '{}';
    v_lane := 0;
    v_at := 0;
    for t in 1 .. v_count loop
      v_firsts[t] := v_at;
      while v_lane < v_last_lanes[t] loop
        v_lane := v_lane + 1;
        v_at := v_at + v_looked_at[v_lane];
      end loop;
      v_work := 0;
      v_n := v_at - v_firsts[t];
      if v_quotas[t] is null then
        for i in v_firsts[t] + 1 .. v_at loop
          v_work := v_work + v_all_ests[i];
        end loop;
      else
        for i in v_firsts[t] + 1 .. v_at loop
          if v_work + v_all_ests[i] > v_quotas[t] then
            v_n := i - 1 - v_firsts[t];
            exit;
          end if;
          v_work := v_work + v_all_ests[i];
        end loop;
        if v_n = 0 and v_at > v_firsts[t] then
          v_stopped := v_stopped || t;
        end if;
      end if;
      v_allowed[t] := v_n;
      v_works[t] := v_work;
      if v_count > 1 and v_n >= v_room and v_readys[t] > v_n then
        v_horizon := least(v_horizon, v_vtimes[t] + v_work / v_weights[t]);
      end if;
    end loop;
    if array_remove(v_quotas[:v_count], null) <> '{}' then
      v_longest := 0;
      for t in 1 .. v_count loop
        for i in v_firsts[t] + 1 .. v_firsts[t] + v_allowed[t] loop
          v_longest := greatest(v_longest, v_all_ests[i]);
        end loop;
      end loop;
    end if;
    v_quantum := least(p_work / v_accounts_per_claim, v_tasks_per_account * v_longest);

    -- What starts before the horizon, and what may be given ahead of it.
    v_n := 0;
    v_work := 0;
    for t in 1 .. v_count loop
      v_given[t] := v_allowed[t];
      v_charges[t] := v_works[t];
      v_due[t] := v_allowed[t];
      v_due_works[t] := v_works[t];
      v_before := v_works[t] - v_all_ests[v_firsts[t] + v_allowed[t]];  -- of the last one
      if v_allowed[t] > 0 and v_vtimes[t] + v_before / v_weights[t] >= v_horizon then
        v_due[t] := 0;
        v_due_works[t] := 0;
        while v_due[t] < v_allowed[t] and v_vtimes[t] + v_due_works[t] / v_weights[t] < v_horizon loop
          v_due[t] := v_due[t] + 1;
          v_due_works[t] := v_due_works[t] + v_all_ests[v_firsts[t] + v_due[t]];
        end loop;
        if v_allowed[t] > v_tasks_per_account or v_before >= p_work / v_accounts_per_claim
            or v_vtimes[t] + v_before / v_weights[t] >= v_horizon + v_quantum / v_weights[t] then
          v_given[t] := v_due[t];
          v_charges[t] := v_due_works[t];
          while v_given[t] < least(v_allowed[t], v_tasks_per_account) and v_charges[t] < p_work / v_accounts_per_claim
              and v_vtimes[t] + v_charges[t] / v_weights[t] < v_horizon + v_quantum / v_weights[t] loop
            v_given[t] := v_given[t] + 1;
            v_charges[t] := v_charges[t] + v_all_ests[v_firsts[t] + v_given[t]];
          end loop;
        end if;
      end if;
      v_n := v_n + v_due[t];
      v_work := v_work + v_due_works[t];
    end loop;

    -- What of this is one claim.
    if v_suspects or v_n > p_max_tasks or v_work >= p_work then
      select array_agg(x.n order by x.t), array_agg(x.charge order by x.t) into v_given, v_charges from (
        select o.t, count(*) filter (where o.taken)::int n, coalesce(sum(o.est) filter (where o.taken), 0) charge from (
          select c.t, c.est, row_number() over in_all <= p_max_tasks and sum(c.est) over in_all - c.est < p_work
            -- What a worker died on runs alone: whatever it dies with next time would be given up together.
            and (count(*) filter (where c.crashes > 0) over in_all = 0 or row_number() over in_all = 1
              and v_held = '{}') taken
          from (
            select a.t, p.place, v_all_ests[v_firsts[a.t] + p.place]::float8 est,
              v_all_crashes[v_firsts[a.t] + p.place] crashes, p.place > v_due[a.t] ahead,
              v_vtimes[a.t] + (sum(v_all_ests[v_firsts[a.t] + p.place]::float8) over (partition by a.t
                order by p.place rows unbounded preceding)
                - v_all_ests[v_firsts[a.t] + p.place]) / v_weights[a.t] start
            from generate_series(1, v_count) a(t) left join lateral generate_series(1, v_given[a.t]) p(place) on true) c
          window in_all as (order by c.ahead, case when not c.ahead then c.start end, case when not c.ahead
            then v_ids[c.t] end, c.t, c.place
            rows unbounded preceding)) o
        group by o.t) x;
      v_n := (select sum(g) from unnest(v_given) g);
    else
      for t in 1 .. v_count loop
        if v_n + v_given[t] - v_due[t] <= p_max_tasks and v_work + v_charges[t] - v_due_works[t] < p_work then
          v_n := v_n + v_given[t] - v_due[t];
          v_work := v_work + v_charges[t] - v_due_works[t];
        else
          v_left := v_given[t] - v_due[t];
          v_given[t] := v_due[t];
          v_charges[t] := v_due_works[t];
          while v_left > 0 and v_n < p_max_tasks and v_work < p_work loop
            v_left := v_left - 1;
            v_n := v_n + 1;
            v_given[t] := v_given[t] + 1;
            v_charges[t] := v_charges[t] + v_all_ests[v_firsts[t] + v_given[t]];
            v_work := v_work + v_all_ests[v_firsts[t] + v_given[t]];
          end loop;
        end if;
      end loop;
    end if;

    if v_stopped <> '{}' then
      update account_state t set version = t.version + 1, spent = true,
        period_start = quota_start(t.quota_period, p_now),
        period_seconds = t.quota_seconds - v_quotas[s]
      from unnest(v_stopped) s where t.ctid = v_spots[s];
    end if;
    exit when v_n > 0 or v_stopped = '{}';  -- otherwise those who may not go on stood in the way of others
  end loop;
  if v_n is null or v_n = 0 then
    return;
  end if;

  -- The lease, and the accounts' rows as they will be.
  if v_n = cardinality(v_all_jobs) then
    v_taken := v_all_spots;
    jobs := v_all_jobs;
    tasks := v_all_tasks;
    attempts := v_all_attempts;
    ests := v_all_ests;
    v_crashes := v_all_crashes;
  end if;
  v_lane := 0;
  for t in 1 .. v_count loop
    v_from := v_firsts[t];
    v_left := v_given[t];
    if jobs is null or v_n < cardinality(v_all_jobs) then
      v_taken := v_taken || v_all_spots[v_from + 1 : v_from + v_left];
      jobs := jobs || v_all_jobs[v_from + 1 : v_from + v_left];
      tasks := tasks || v_all_tasks[v_from + 1 : v_from + v_left];
      attempts := attempts || v_all_attempts[v_from + 1 : v_from + v_left];
      ests := ests || v_all_ests[v_from + 1 : v_from + v_left];
      v_crashes := v_crashes || v_all_crashes[v_from + 1 : v_from + v_left];
    end if;
    v_row_accounts := v_row_accounts || array_fill(v_ids[t], array[v_left]);
    while v_lane < v_last_lanes[t] loop
      v_lane := v_lane + 1;
      continue when v_left = 0;
      v_at := least(v_left, v_looked_at[v_lane]);
      continue when v_at = 0;
      v_row_lanes := v_row_lanes || array_fill(v_lanes[v_lane], array[v_at]);
      v_taken_lanes := v_taken_lanes || v_lanes[v_lane];
      v_taken_heads := v_taken_heads || v_all_seqs[v_from + v_at];
      v_taken_counts := v_taken_counts || v_at;
      v_left := v_left - v_at;
      v_from := v_from + v_at;
    end loop;
    if v_given[t] > 0 then
      finish := greatest(finish, v_vtimes[t] + v_charges[t] / v_weights[t]);
    end if;
  end loop;
  delete from ready where ctid = any(v_taken);
  update account_state t set version = t.version + 1, vtime = t.vtime + c.charge / t.weight, ready = t.ready - c.n,
    used = faded(t.used, t.used_at, p_now, p_half_life) + c.charge, used_at = p_now,
    period_start = quota_start(t.quota_period, p_now),
    period_seconds = period_used(t.period_seconds, t.period_start, t.quota_period, p_now) + c.charge,
    slots = t.slots + (t.account_id <> all(v_held))::int,
    (lanes, heads, counts) = (
      select coalesce(array_agg(u.id), '{}'), coalesce(array_agg(coalesce(v_taken_heads[u.place], u.head)), '{}'),
        coalesce(array_agg(u.n - coalesce(v_taken_counts[u.place], 0)), '{}')
      from (select o.*, array_position(v_taken_lanes, o.id) place
        from unnest(t.lanes, t.heads, t.counts) o(id, head, n)) u
      where u.n > coalesce(v_taken_counts[u.place], 0))
  from unnest(v_spots[:v_count], v_given, v_charges) c(spot, n, charge)
  where t.ctid = c.spot and c.n > 0;
  insert into lease (fence, worker_id, epoch, class_id, claimed_at, jobs, tasks, lanes, charges, attempts, crashes,
    accounts)
  values (p_fence, p_worker.id, p_worker.epoch, p_worker.class_id, p_now, jobs, tasks, v_row_lanes, ests, attempts,
    v_crashes, v_row_accounts);
end
$$;
