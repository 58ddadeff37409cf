-- A claim of as many accounts as may share one looks at a quarter more tasks of each than its even part, where it looked at twice
-- as many, and asks about quotas and crashes only where there are any. Who stands far behind gets the rest with its next
-- claims: the horizon is where what was looked at ends.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- As before (0039).
create or replace function take_turns(p_worker worker, p_bucket smallint, p_work float8, p_max_tasks int, p_models text[], p_clock float8,
  p_half_life float8, p_fence bigint, p_now timestamptz,
  out jobs bigint[], out tasks int[], out attempts smallint[], out ests real[], out finish float8)
language plpgsql as $$
#variable_conflict use_column
declare
  v_accounts_per_claim constant int := 16;
  v_tasks_per_account constant int := greatest(1, p_max_tasks / 16);
  v_jobs bigint[];
  v_tasks int[];
  v_attempts smallint[];
  v_ests real[];
  v_finish float8;
  v_spent int;
begin
  loop
    with held as materialized (
      select distinct unnest(l.accounts) account_id from lease l
      where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence
    ), turn as materialized (
      select row_number() over (order by x.vtime, x.account_id) place, x.* from (
        (select s.ctid spot, s.* from account_state s
          where s.class_id = p_worker.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.spent and s.vtime >= p_clock
            and exists (select from unnest(s.lanes) u(id) join lane l on l.id = u.id where lane_fits(l, p_worker, p_bucket))
          order by s.vtime limit v_accounts_per_claim + 1)
        union all  -- at its cap, but this device is one of its slots
        (select s.* from held h cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = h.account_id order by z.version desc limit 1) s
          where s.ready > 0 and s.slots >= s.cap and s.slots > 0 and not s.paused and not s.spent)
      ) x
    ), served as materialized (
      select t.*, exists (select from held h where h.account_id = t.account_id) is_held,
        t.quota_seconds - period_used(t.period_seconds, t.period_start, t.quota_period, p_now) quota_left,
        case count(*) over () when 1 then p_max_tasks when v_accounts_per_claim then greatest(v_tasks_per_account, ceil(1.25 * p_max_tasks / v_accounts_per_claim))::int
          else greatest(v_tasks_per_account, ceil(2.0 * p_max_tasks / count(*) over ()))::int end room
      from turn t where t.place <= v_accounts_per_claim
    ), fitting as materialized (
      -- Where all lanes of an account are alike, nobody needs to know how long their heads have waited.
      select t.account_id, t.vtime, t.weight, t.room, t.quota_left, u.lane_id, u.head, u.n, l.priority, l.model = any(p_models) resident,
        min(l.priority) over by_account < max(l.priority) over by_account
          or bool_or(l.model = any(p_models)) over by_account <> bool_and(l.model = any(p_models)) over by_account mixed,
          bool_or(l.model = any(p_models)) over by_account <> bool_and(l.model = any(p_models)) over by_account choice
      from served t cross join unnest(t.lanes, t.heads, t.counts) u(lane_id, head, n) join lane l on l.id = u.lane_id
      where lane_fits(l, p_worker, p_bucket)
      window by_account as (partition by t.account_id)
    ), line as materialized (
      select f.account_id, f.vtime, f.weight, f.quota_left, f.lane_id, f.head, row_number() over by_age place,
        f.room - coalesce(sum(f.n) over (by_age rows between unbounded preceding and 1 preceding), 0) room
      from fitting f left join lateral (
        select x.since from ready x where f.mixed and x.lane_id = f.lane_id and x.seq > f.head order by x.seq limit 1) h on true
      window by_age as (partition by f.account_id order by aged_priority(f.priority, h.since, p_now) desc,
        case when f.choice then h.since - case when f.resident then interval '1 minute' else interval '0' end end, f.head, f.lane_id)
    ), front as materialized (
      select n.account_id, n.vtime, n.weight, n.quota_left, n.lane_id, n.place line, r.*
      from line n cross join lateral (
        select x.ctid spot, x.seq, x.job_id, x.task, x.est_seconds, x.attempt, x.crashes, x.since
        from ready x where x.lane_id = n.lane_id and x.seq > n.head order by x.seq limit n.room) r
      where n.room > 0
    ), left_alone as materialized (
      select f.lane_id, min(f.seq) seq from front f
      where f.crashes > 0 and leaves_to_others(p_worker, f.lane_id, f.job_id, f.task, f.since, p_now) group by 1
    ), next as materialized (
      select x.account_id, x.lane_id, x.spot, x.seq, x.job_id, x.task, x.est_seconds, x.attempt, x.crashes, x.place, x.before, x.suspects, x.weight,
        x.vtime + x.before / x.weight vstart, coalesce(x.before + x.est_seconds <= x.quota_left, true) allowed
      from (
        select f.*, row_number() over in_turn place, sum(f.est_seconds::float8) over in_turn - f.est_seconds before,
          count(*) filter (where f.crashes > 0) over in_turn suspects
        from front f
        where (select count(*) = 0 from left_alone) or coalesce(f.seq < (select a.seq from left_alone a where a.lane_id = f.lane_id), true)
        window in_turn as (partition by f.account_id order by f.line, f.seq rows unbounded preceding)) x
    ), candidates as materialized (
      select n.account_id, count(*) n, max(n.est_seconds::float8) longest, max(n.before + n.est_seconds) work from next n where n.allowed group by 1
    ), horizon as materialized (
      -- Where the first account stands that this claim will leave waiting, and by what others may get ahead of it.
      select least(p_work / v_accounts_per_claim, v_tasks_per_account * (select max(c.longest) from candidates c)) quantum,
        least((select t.vtime from turn t where t.place = v_accounts_per_claim + 1),
          (select min(s.vtime + c.work / s.weight) from candidates c join served s on s.account_id = c.account_id
            where c.n >= s.room and s.ready > c.n)) v
    ), pick as materialized (
      -- A single account goes in the order of its own tasks; what was weighed above is not even looked at.
      select c.account_id, c.lane_id, c.spot, c.seq, c.job_id, c.task, c.est_seconds, c.attempt, c.crashes, c.place n from next c
      where (select count(*) = 1 from served) and c.allowed and c.place <= p_max_tasks and c.before < p_work
        -- What a worker died on runs alone: whatever it dies with next time would be given up together.
        and (c.suspects = 0 or (c.place = 1 and not exists (select from held)))
      union all
      select x.account_id, x.lane_id, x.spot, x.seq, x.job_id, x.task, x.est_seconds, x.attempt, x.crashes, x.n from (
        select c.account_id, c.lane_id, c.spot, c.seq, c.job_id, c.task, c.est_seconds, c.attempt, c.crashes,
          row_number() over in_all n, sum(c.est_seconds::float8) over in_all - c.est_seconds work_before,
          count(*) filter (where c.crashes > 0) over in_all suspects
        from next c
        where c.allowed and ((select h.v is null from horizon h) or c.vstart < (select h.v from horizon h)
          or (c.place <= v_tasks_per_account and c.before < p_work / v_accounts_per_claim
            and c.vstart < (select h.v from horizon h) + (select h.quantum from horizon h) / c.weight))
        window in_all as (order by c.vstart, c.account_id, c.place rows unbounded preceding)) x
      where (select count(*) > 1 from served) and x.n <= p_max_tasks and x.work_before < p_work
        and (x.suspects = 0 or (x.n = 1 and not exists (select from held)))
    ), taken as (
      delete from ready where ctid = any(array(select p.spot from pick p))
    ), lanes_taken as (
      select array_agg(p.lane_id) lanes, array_agg(p.head) heads, array_agg(p.n) counts
      from (select q.lane_id, max(q.seq) head, count(*)::int n from pick q group by 1) p
    ), account_taken as (
      select p.account_id, count(*)::int n, sum(p.est_seconds::float8) charge from pick p group by 1
    ), charged as (
      update account_state t set version = s.version + 1, vtime = s.vtime + a.charge / s.weight, ready = s.ready - a.n,
        used = faded(s.used, s.used_at, p_now, p_half_life) + a.charge, used_at = p_now,
        period_start = quota_start(s.quota_period, p_now),
        period_seconds = period_used(s.period_seconds, s.period_start, s.quota_period, p_now) + a.charge,
        slots = s.slots + (not s.is_held)::int,
        lanes = coalesce(m.lanes, '{}'), heads = coalesce(m.heads, '{}'), counts = coalesce(m.counts, '{}')
      from lanes_taken k cross join account_taken a join served s on s.account_id = a.account_id
      cross join lateral (
        select array_agg(u.lane_id) lanes, array_agg(coalesce(k.heads[u.place], u.head)) heads, array_agg(u.n - coalesce(k.counts[u.place], 0)) counts
        from (select lane_id, head, n, array_position(k.lanes, lane_id) place from unnest(s.lanes, s.heads, s.counts) o(lane_id, head, n)) u
        where u.n > coalesce(k.counts[u.place], 0)) m
      where t.ctid = s.spot
    ), stopped as (
      update account_state t set version = s.version + 1, spent = true, period_start = quota_start(s.quota_period, p_now),
        period_seconds = s.quota_seconds - s.quota_left
      from served s where t.ctid = s.spot and s.quota_left is not null
        and (select not n.allowed from next n where n.account_id = s.account_id and n.place = 1)
      returning 1
    ), new_lease as (
      insert into lease (fence, worker_id, epoch, class_id, claimed_at, jobs, tasks, lanes, charges, attempts, crashes, accounts)
      select p_fence, p_worker.id, p_worker.epoch, p_worker.class_id, p_now, array_agg(p.job_id), array_agg(p.task), array_agg(p.lane_id),
        array_agg(p.est_seconds), array_agg(p.attempt), array_agg(p.crashes), array_agg(p.account_id)
      from (select q.job_id, q.task, q.lane_id, q.est_seconds, q.attempt, q.crashes, q.account_id from pick q order by q.n) p having count(*) > 0
      returning jobs, tasks, attempts, charges
    )
    select n.jobs, n.tasks, n.attempts, n.charges, (select max(s.vtime + a.charge / s.weight) from account_taken a join served s using (account_id)), x.spent
    into v_jobs, v_tasks, v_attempts, v_ests, v_finish, v_spent from (select count(*)::int spent from stopped) x left join new_lease n on true;
    exit when v_jobs is not null or v_spent = 0;  -- otherwise those who may not go on stood in the way of others
  end loop;
  jobs := v_jobs;
  tasks := v_tasks;
  attempts := v_attempts;
  ests := v_ests;
  finish := v_finish;
end
$$;
