-- How many tasks of each account form one claim of p_work seconds and at most p_max_tasks tasks: n in total;
-- given, charges: tasks and seconds per account. p_counts: the number of examined tasks per lane; p_ests, p_crashes: of
-- these tasks; p_longest: the longest; p_suspects: a worker died on one of them; p_idle: the worker holds no lease.
-- over_quota: the places of accounts whose next task exceeds what is left of their quota. Reads no tables.
--
-- Tasks that start, in virtual time (account's virtual time + charge before it / weight), before the first account that
-- this claim leaves waiting (the horizon) are given in order of virtual start; then each account gets its quantum, in
-- turn.
create or replace function divide_claim(p_work float8, p_max_tasks int, p_accounts int, p_idle boolean,
  p_turns claim_turns, p_counts int[], p_ests real[], p_crashes smallint[], p_longest float8, p_suspects boolean,
  out n int, out given int[], out charges float8[], out over_quota int[])
language plpgsql immutable as $$
declare
  v_count constant int := cardinality(p_turns.ids);
  v_tasks_per_account constant int := greatest(1, p_max_tasks / p_accounts);
  v_work_per_account constant float8 := p_work / p_accounts;
  v_horizon float8 := p_turns.horizon;
  v_longest float8 := p_longest;
  v_quantum float8;  -- what other accounts may get ahead of the horizon
  v_work float8;
  v_before float8;
  v_left int;
  v_lane int := 0;
  v_at int := 0;
  v_vtime float8;
  v_weight float8;
  v_firsts int[];  -- start of an account's tasks in the arrays of tasks, from 0
  v_allowed int[];  -- how many of the examined tasks its quota allows
  v_works float8[];  -- their seconds
  v_due int[];  -- how many start before the horizon
  v_due_works float8[];
begin
  -- How far each account would get, and the resulting virtual time of accounts that have more tasks.
  over_quota := '{}';
  for t in 1 .. v_count loop
    v_firsts[t] := v_at;
    while v_lane < p_turns.last_lanes[t] loop
      v_lane := v_lane + 1;
      v_at := v_at + p_counts[v_lane];
    end loop;
    v_work := 0;
    n := v_at - v_firsts[t];
    if p_turns.quotas[t] is null then
      for i in v_firsts[t] + 1 .. v_at loop
        v_work := v_work + p_ests[i];
      end loop;
    else
      for i in v_firsts[t] + 1 .. v_at loop
        if v_work + p_ests[i] > p_turns.quotas[t] then
          n := i - 1 - v_firsts[t];
          exit;
        end if;
        v_work := v_work + p_ests[i];
      end loop;
      if n = 0 and v_at > v_firsts[t] then
        over_quota := over_quota || t;
      end if;
    end if;
    v_allowed[t] := n;
    v_works[t] := v_work;
    if v_count > 1 and n >= p_turns.room and p_turns.readys[t] > n then
      v_horizon := least(v_horizon, p_turns.vtimes[t] + v_work / p_turns.weights[t]);
    end if;
  end loop;
  if array_remove(p_turns.quotas, null) <> '{}' then
    v_longest := 0;
    for t in 1 .. v_count loop
      for i in v_firsts[t] + 1 .. v_firsts[t] + v_allowed[t] loop
        v_longest := greatest(v_longest, p_ests[i]);
      end loop;
    end loop;
  end if;
  v_quantum := least(v_work_per_account, v_tasks_per_account * v_longest);

  -- Tasks that start before the horizon, and what may be given ahead of it.
  given := v_allowed;
  charges := v_works;
  v_due := v_allowed;
  v_due_works := v_works;
  n := 0;
  v_work := 0;
  for t in 1 .. v_count loop
    v_vtime := p_turns.vtimes[t];
    v_weight := p_turns.weights[t];
    v_before := v_works[t] - p_ests[v_firsts[t] + v_allowed[t]];  -- of the last one
    if v_allowed[t] > 0 and v_vtime + v_before / v_weight >= v_horizon then
      v_due[t] := 0;
      v_due_works[t] := 0;
      while v_due[t] < v_allowed[t] and v_vtime + v_due_works[t] / v_weight < v_horizon loop
        v_due[t] := v_due[t] + 1;
        v_due_works[t] := v_due_works[t] + p_ests[v_firsts[t] + v_due[t]];
      end loop;
      if v_allowed[t] > v_tasks_per_account or v_before >= v_work_per_account
          or v_vtime + v_before / v_weight >= v_horizon + v_quantum / v_weight then
        given[t] := v_due[t];
        charges[t] := v_due_works[t];
        while given[t] < least(v_allowed[t], v_tasks_per_account) and charges[t] < v_work_per_account
            and v_vtime + charges[t] / v_weight < v_horizon + v_quantum / v_weight loop
          given[t] := given[t] + 1;
          charges[t] := charges[t] + p_ests[v_firsts[t] + given[t]];
        end loop;
      end if;
    end if;
    n := n + v_due[t];
    v_work := v_work + v_due_works[t];
  end loop;

  -- The part of it that fits one claim.
  if p_suspects or n > p_max_tasks or v_work >= p_work then
    select array_agg(x.n order by x.t), array_agg(x.charge order by x.t), sum(x.n) into given, charges, n
    from (
      select o.t, count(*) filter (where o.taken)::int n, coalesce(sum(o.est) filter (where o.taken), 0) charge
      from (
        select c.t, c.est, row_number() over in_all <= p_max_tasks and sum(c.est) over in_all - c.est < p_work
          -- A task that a worker died on runs alone, so that nothing else is suspect if another one dies.
          and (count(*) filter (where c.crashes > 0) over in_all = 0 or row_number() over in_all = 1 and p_idle) taken
        from (
          select a.t, p.place, p_ests[v_firsts[a.t] + p.place]::float8 est,
            p_crashes[v_firsts[a.t] + p.place] crashes, p.place > v_due[a.t] ahead,
            p_turns.vtimes[a.t] + (sum(p_ests[v_firsts[a.t] + p.place]::float8) over in_account
              - p_ests[v_firsts[a.t] + p.place]) / p_turns.weights[a.t] start
          from generate_series(1, v_count) a(t) left join lateral generate_series(1, given[a.t]) p(place) on true
          window in_account as (partition by a.t order by p.place rows unbounded preceding)) c
        window in_all as (order by c.ahead, case when not c.ahead then c.start end,
          case when not c.ahead then p_turns.ids[c.t] end, c.t, c.place rows unbounded preceding)) o
      group by o.t) x;
    return;
  end if;
  for t in 1 .. v_count loop
    if n + given[t] - v_due[t] <= p_max_tasks and v_work + charges[t] - v_due_works[t] < p_work then
      n := n + given[t] - v_due[t];
      v_work := v_work + charges[t] - v_due_works[t];
    else
      v_left := given[t] - v_due[t];
      given[t] := v_due[t];
      charges[t] := v_due_works[t];
      while v_left > 0 and n < p_max_tasks and v_work < p_work loop
        v_left := v_left - 1;
        n := n + 1;
        given[t] := given[t] + 1;
        charges[t] := charges[t] + p_ests[v_firsts[t] + given[t]];
        v_work := v_work + p_ests[v_firsts[t] + given[t]];
      end loop;
    end if;
  end loop;
end
$$;
