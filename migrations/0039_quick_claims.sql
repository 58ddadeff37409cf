-- A claim where one account's turn it is takes a short way to the same tasks, and answers a row a job instead of one a task.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- Stable, as what it consists of: otherwise the planner may not inline it and plans it anew at every call.
create or replace function worker_is_alive(p_worker worker, p_epoch int, p_now timestamptz) returns boolean language sql stable
return p_worker.epoch = p_epoch and p_worker.state in ('active', 'draining') and p_worker.seen_at > p_now - lease_ttl();

-- The general case of a claim, among accounts that take turns; the arguments are those of the claim, with what it found
-- out under the class's lock. Answers what was leased, in order, and the virtual time at which the last account ended.
--
-- Exact stride scheduling within a quantum: tasks go out in order of virtual start (account's virtual time +
-- charge before it / weight). At most 16 accounts share a claim, and none gets ahead of a waiting one by
-- more than the quantum, 1/16 of the claim, from wherever it stood before: leads do not add up.
create function take_turns(p_worker worker, p_bucket smallint, p_work float8, p_max_tasks int, p_models text[], p_clock float8,
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
        case when count(*) over () = 1 then p_max_tasks
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
        from front f left join left_alone a on a.lane_id = f.lane_id where a.seq is null or f.seq < a.seq
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
    ), lane_taken as (
      select p.account_id, p.lane_id, max(p.seq) head, count(*)::int n from pick p group by 1, 2
    ), account_taken as (
      select p.account_id, count(*)::int n, sum(p.est_seconds::float8) charge from pick p group by 1
    ), charged as (
      update account_state t set version = s.version + 1, vtime = s.vtime + a.charge / s.weight, ready = s.ready - a.n,
        used = faded(s.used, s.used_at, p_now, p_half_life) + a.charge, used_at = p_now,
        period_start = quota_start(s.quota_period, p_now),
        period_seconds = period_used(s.period_seconds, s.period_start, s.quota_period, p_now) + a.charge,
        slots = s.slots + (not s.is_held)::int,
        lanes = coalesce(m.lanes, '{}'), heads = coalesce(m.heads, '{}'), counts = coalesce(m.counts, '{}')
      from account_taken a join served s on s.account_id = a.account_id
      cross join lateral (
        select array_agg(u.lane_id) lanes, array_agg(coalesce(k.head, u.head)) heads, array_agg(u.n - coalesce(k.n, 0)) counts
        from unnest(s.lanes, s.heads, s.counts) u(lane_id, head, n) left join lane_taken k on k.lane_id = u.lane_id
        where u.n > coalesce(k.n, 0)) m
      where t.ctid = s.spot
    ), stopped as (
      update account_state t set version = s.version + 1, spent = true, period_start = quota_start(s.quota_period, p_now),
        period_seconds = s.quota_seconds - s.quota_left
      from served s where t.ctid = s.spot and s.quota_left is not null
        and exists (select from next n where n.account_id = s.account_id and n.place = 1 and not n.allowed)
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

-- The case of one account that stands alone, without a quota, beside leases of nobody else: the tasks of its lanes one after
-- the other. v_turn is its row with its place (spot). Answers as take_turns; jobs is null where the general case must decide,
-- and then nothing has been done.
create function take_alone(p_worker worker, p_bucket smallint, p_work float8, p_max_tasks int, p_models text[], p_spot tid, p_account account_state,
  p_held boolean, p_half_life float8, p_fence bigint, p_now timestamptz,
  out jobs bigint[], out tasks int[], out attempts smallint[], out ests real[], out finish float8)
language plpgsql as $$
declare
  v_lanes int[] := p_account.lanes;
  v_heads bigint[] := p_account.heads;
  v_spots tid[];
  v_taken_lanes int[];  -- these and the two below: a lane that was taken from
  v_taken_heads bigint[];
  v_taken_counts int[];
  v_row_lanes int[];
  v_line record;
  v_charge float8 := 0;
  v_count int := 0;
begin
  if cardinality(v_lanes) > 1 then
    -- Where all lanes are alike, nobody needs to know how long their heads have waited.
    with fitting as materialized (
      select u.lane_id, u.head, l.priority, l.model = any(p_models) resident,
        min(l.priority) over () < max(l.priority) over ()
          or bool_or(l.model = any(p_models)) over () <> bool_and(l.model = any(p_models)) over () mixed,
        bool_or(l.model = any(p_models)) over () <> bool_and(l.model = any(p_models)) over () choice
      from unnest(v_lanes, v_heads) u(lane_id, head) join lane l on l.id = u.lane_id
      where lane_fits(l, p_worker, p_bucket)
    )
    select array_agg(n.lane_id order by n.place), array_agg(n.head order by n.place) into v_lanes, v_heads from (
      select f.lane_id, f.head, row_number() over (order by aged_priority(f.priority, h.since, p_now) desc,
        case when f.choice then h.since - case when f.resident then interval '1 minute' else interval '0' end end, f.head, f.lane_id) place
      from fitting f left join lateral (
        select x.since from ready x where f.mixed and x.lane_id = f.lane_id and x.seq > f.head order by x.seq limit 1) h on true) n;
  end if;

  for i in 1 .. cardinality(v_lanes) loop
    exit when v_count >= p_max_tasks or v_charge >= p_work;
    select array_agg(n.spot) spots, array_agg(n.job_id) jobs, array_agg(n.task) tasks, array_agg(n.attempt) attempts, array_agg(n.est_seconds) ests,
      max(n.crashes) crashes, max(n.seq) head, sum(n.est_seconds::float8) charge, count(*)::int n
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
    v_taken_lanes := v_taken_lanes || v_lanes[i];
    v_taken_heads := v_taken_heads || v_line.head;
    v_taken_counts := v_taken_counts || v_line.n;
  end loop;
  if jobs is null then
    return;
  end if;

  delete from ready where ctid = any(v_spots);
  update account_state t set version = p_account.version + 1, vtime = p_account.vtime + v_charge / p_account.weight, ready = p_account.ready - v_count,
    used = faded(p_account.used, p_account.used_at, p_now, p_half_life) + v_charge, used_at = p_now,
    period_start = quota_start(p_account.quota_period, p_now),
    period_seconds = period_used(p_account.period_seconds, p_account.period_start, p_account.quota_period, p_now) + v_charge,
    slots = p_account.slots + (not p_held)::int,
    lanes = coalesce(m.lanes, '{}'), heads = coalesce(m.heads, '{}'), counts = coalesce(m.counts, '{}')
  from (
    select array_agg(u.lane_id) lanes, array_agg(coalesce(k.head, u.head)) heads, array_agg(u.n - coalesce(k.n, 0)) counts
    from unnest(p_account.lanes, p_account.heads, p_account.counts) u(lane_id, head, n)
    left join unnest(v_taken_lanes, v_taken_heads, v_taken_counts) k(lane_id, head, n) on k.lane_id = u.lane_id
    where u.n > coalesce(k.n, 0)) m
  where t.ctid = p_spot;
  insert into lease (fence, worker_id, epoch, class_id, claimed_at, jobs, tasks, lanes, charges, attempts, crashes, accounts)
  values (p_fence, p_worker.id, p_worker.epoch, p_worker.class_id, p_now, jobs, tasks, v_row_lanes, ests, attempts,
    array_fill(0::smallint, array[v_count]), array_fill(p_account.account_id, array[v_count]));
  finish := p_account.vtime + v_charge / p_account.weight;
end
$$;

-- What claims have in common: leases the next tasks of the accounts whose turn it is, about p_max_seconds of this device's
-- time, at most p_max_tasks tasks, at least one task if any fits. fence is null: nothing to do, listen and poll.
--
-- Within an account: by priority, which grows while a task waits, then the lane that is furthest behind; of lanes that
-- differ in whether the worker holds their model (p_models), the one it holds, unless the other's head waits for a
-- minute longer. No account gets more or less by it.
--
-- Nothing is claimed above a quota: an account whose next task does not fit is marked, and left out until there is room.
create function take(p_worker_id int, p_epoch int, p_max_seconds float8, p_max_tasks int, p_memory_bucket smallint, p_models text[], p_now timestamptz,
  out fence bigint, out jobs bigint[], out tasks int[], out attempts smallint[], out ests real[])
language plpgsql as $$
#variable_conflict use_column
declare
  v_worker worker;
  v_work float8;
  v_bucket smallint;
  v_clock float8;
  v_half_life float8;
  v_is_held boolean;
  v_turn record;
  v_leases record;
  v_fence bigint;
  v_jobs bigint[];
  v_tasks int[];
  v_attempts smallint[];
  v_ests real[];
  v_finish float8;
  v_low bigint;
  v_high bigint;
  v_started bigint[];  -- these and the three below: jobs of which the first tasks go out
  v_events int[];
  v_teams bigint[];
  v_timeouts real[];
begin
  -- Whoever ends a worker's leases holds its row for update: no lease is made behind their back.
  select * into v_worker from worker w where w.id = p_worker_id for key share;
  if not found or not worker_is_alive(v_worker, p_epoch, p_now) then
    raise exception 'worker % epoch % is not registered or expired', p_worker_id, p_epoch using errcode = 'PLM01';
  end if;
  if v_worker.state = 'draining' then
    return;
  end if;
  v_work := p_max_seconds * v_worker.speed;
  v_bucket := coalesce(p_memory_bucket, v_worker.memory_bucket);
  -- An idle worker that polls does not queue for the lock.
  if not exists (select from account_state s where s.class_id = v_worker.class_id and s.ready > 0 and s.slots < s.cap
      and not s.paused and not s.spent and s.vtime >= (select c.vclock from class_state c where c.class_id = v_worker.class_id order by c.version desc limit 1))
    -- at its cap, but this device is one of its slots
    and not exists (select from (select distinct unnest(l.accounts) id from lease l where l.worker_id = p_worker_id and l.fence >= v_worker.oldest_fence) h
      cross join lateral (select z.* from account_state z where z.account_id = h.id order by z.version desc limit 1) s
      where s.ready > 0 and s.slots >= s.cap and s.slots > 0 and not s.paused and not s.spent) then
    return;
  end if;

  perform lock_class(v_worker.class_id);
  select c.half_life_seconds, (select s.vclock from class_state s where s.class_id = v_worker.class_id order by s.version desc limit 1),
    exists (select from hold) and is_held(v_worker)
  into v_half_life, v_clock, v_is_held from device_class c where c.id = v_worker.class_id;
  if v_is_held then
    return;
  end if;
  select x.spot, x.account, x.quota_seconds, x.accounts into v_turn from (
    select t.spot, t.account, t.quota_seconds, count(*) over () accounts from (
      select s.ctid spot, s account, s.quota_seconds, s.vtime from account_state s
      where s.class_id = v_worker.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.spent and s.vtime >= v_clock
        and exists (select from unnest(s.lanes) u(id) join lane l on l.id = u.id where lane_fits(l, v_worker, v_bucket))
      order by s.vtime limit 2) t) x limit 1;
  select count(*) n, coalesce(bool_or(array_remove(l.accounts, (v_turn.account).account_id) <> '{}'), false) of_others into v_leases
  from lease l where l.worker_id = p_worker_id and l.fence >= v_worker.oldest_fence;
  v_fence := nextval('fence_seq');
  if v_turn.accounts = 1 and v_turn.quota_seconds is null and not v_leases.of_others then
    select * into v_jobs, v_tasks, v_attempts, v_ests, v_finish from take_alone(v_worker, v_bucket, v_work, p_max_tasks, p_models, v_turn.spot, v_turn.account, v_leases.n > 0,
      v_half_life, v_fence, p_now);
  end if;
  if v_jobs is null then
    select * into v_jobs, v_tasks, v_attempts, v_ests, v_finish from take_turns(v_worker, v_bucket, v_work, p_max_tasks, p_models, v_clock, v_half_life, v_fence, p_now);
  end if;
  if v_jobs is null then
    return;
  end if;

  -- The clock follows the account that is furthest behind; when nobody waits, the one served last.
  update class_state c set version = n.version + 1, vclock = n.vclock
  from (select o.ctid spot, o.version, coalesce((select s.vtime from account_state s where s.class_id = v_worker.class_id and s.ready > 0 and s.slots < s.cap
        and not s.paused and not s.spent and s.vtime >= v_clock order by s.vtime limit 1), v_finish) vclock
    from class_state o where o.class_id = v_worker.class_id order by o.version desc limit 1) n
  where c.ctid = n.spot and n.vclock > v_clock;

  select min(id), max(id) into v_low, v_high from unnest(v_jobs) u(id);
  with started as (
    update job j set state = 'running', started_at = p_now, last_event = j.last_event + 1, revision = j.revision + 1
    where j.id = any(v_jobs) and j.id between v_low and v_high and j.state = 'queued'
    returning j.id, j.team_id, j.last_event, j.timeout_seconds
  )
  select array_agg(s.id), array_agg(s.last_event), array_agg(s.team_id), array_agg(s.timeout_seconds)
  into v_started, v_events, v_teams, v_timeouts from started s;
  fence := v_fence;
  jobs := v_jobs;
  tasks := v_tasks;
  attempts := v_attempts;
  ests := v_ests;
  if v_started is null then
    return;
  end if;
  insert into event (job_id, n, team_id, at, type)
  select s.id, s.n, s.team_id, p_now, 'started' from unnest(v_started, v_events, v_teams) s(id, n, team_id);
  if array_remove(v_timeouts, null) <> '{}' then
    insert into overdue (at, job_id) select p_now + make_interval(secs => s.seconds), s.id
    from unnest(v_started, v_timeouts) s(id, seconds) where s.seconds is not null;
  end if;
  perform notify_jobs(v_started);
end
$$;

-- The jobs of tasks that were leased, a row each, with their tasks in order and what these run on. A merge task has no row.
create function leased_jobs(p_jobs bigint[], p_tasks int[], p_attempts smallint[], p_ests real[])
returns table (job_id bigint, is_merge boolean, kind text, kind_version smallint, args json, model text, tasks int[], attempts smallint[], ests real[],
  places int[], first_items bigint[], items int[], inputs bytea[], partials bytea[], summary json)
language plpgsql as $$
#variable_conflict use_column
declare
  v_low bigint;
  v_high bigint;
begin
  if p_jobs is null then
    return;
  end if;
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  return query
  select a.job_id, j.is_merge, j.kind, j.kind_version, j.args, j.model, a.tasks, a.attempts, a.ests, a.places,
    coalesce(d.first_items, t.first_items), coalesce(d.items, t.items), coalesce(d.inputs, t.inputs),
    j.partials, j.summary
  from (
    select u.job_id, array_agg(u.task) tasks, array_agg(u.attempt) attempts, array_agg(u.est) ests, array_agg(u.place) places
    from (select x.* from (
        select unnest(p_jobs) job_id, unnest(p_tasks) task, unnest(p_attempts) attempt, unnest(p_ests) est, generate_series(1, cardinality(p_jobs)) place) x
      order by x.job_id, x.task) u
    group by u.job_id) a
  cross join lateral (
    select x.kind, x.kind_version, x.args, a.tasks[1] = x.tasks_total is_merge,
      a.tasks[cardinality(a.tasks)] - a.tasks[1] = cardinality(a.tasks) - 1 dense,
      case when a.tasks[1] = x.tasks_total then
        array(select r.partial from result r where r.job_id = x.id and r.job_id between v_low and v_high and r.state = 'done' order by r.seq) end partials,
      case when a.tasks[1] = x.tasks_total then json_build_object('items_total', x.items_total, 'items_ok', x.items_ok,
        'items_failed', x.items_failed, 'tasks_total', x.tasks_total, 'tasks_quarantined', x.tasks_quarantined,
        'created_at', x.created_at, 'started_at', x.started_at, 'charged_seconds', x.charged_seconds) end summary,
      case when a.tasks[1] < x.tasks_total then (select l.model from lane l where l.id = x.lane_id) else '' end model
    from job x where x.id = a.job_id and x.id between v_low and v_high offset 0) j
  -- Where the tasks of a job follow one another, which they mostly do, they are read in one go.
  cross join lateral (
    select array_agg(y.first_item) first_items, array_agg(y.items) items, array_agg(y.input) inputs from (
      select x.first_item, x.items, x.input from task x
      where j.dense and x.job_id = a.job_id and x.job_id between v_low and v_high and x.seq between a.tasks[1] and a.tasks[cardinality(a.tasks)]
      order by x.seq offset 0) y) d
  cross join lateral (
    select array_agg(y.first_item) first_items, array_agg(y.items) items, array_agg(y.input) inputs from (
      select x.first_item, x.items, x.input from task x
      where not j.dense and x.job_id = a.job_id and x.job_id between v_low and v_high and x.seq = any(a.tasks) order by x.seq offset 0) y) t;
end
$$;

-- Gives the worker tasks: see take. A row a task; p_models: what the device holds in memory.
create or replace function claim_v2(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25, p_max_tasks int default 64,
  p_memory_bucket smallint default null, p_models text[] default '{}', p_now timestamptz default clock_timestamp())
returns table (fence bigint, job_id bigint, task int, attempt smallint, is_merge boolean, kind text, kind_version smallint,
  args json, first_item bigint, items int, est_seconds real, input bytea, partials bytea[], summary json, model text)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_taken record;
begin
  select * into v_taken from take(p_worker_id, p_epoch, p_max_seconds, p_max_tasks, p_memory_bucket, p_models, p_now);
  return query
  select v_taken.fence, a.job_id, u.task, u.attempt, a.is_merge, a.kind, a.kind_version, a.args, u.first_item, u.items, u.est_seconds, u.input,
    a.partials, a.summary, a.model
  from leased_jobs(v_taken.jobs, v_taken.tasks, v_taken.attempts, v_taken.ests) a
  cross join lateral (
    select unnest(a.tasks) task, unnest(a.attempts) attempt, unnest(a.ests) est_seconds, unnest(a.places) place, unnest(a.first_items) first_item,
      unnest(a.items) items, unnest(a.inputs) input) u
  order by u.place;
end
$$;

-- Gives the worker tasks, as claim_v2 does, with a row a job: tasks and the arrays beside it have an element per task, in the
-- order of the tasks; places says where each stands among all tasks of the claim, from 1.
create function claim_v3(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25, p_max_tasks int default 64,
  p_memory_bucket smallint default null, p_models text[] default '{}', p_now timestamptz default clock_timestamp())
returns table (fence bigint, job_id bigint, is_merge boolean, kind text, kind_version smallint, args json, model text, tasks int[], attempts smallint[],
  est_seconds real[], places int[], items int[], inputs bytea[], partials bytea[], summary json)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_taken record;
begin
  select * into v_taken from take(p_worker_id, p_epoch, p_max_seconds, p_max_tasks, p_memory_bucket, p_models, p_now);
  if v_taken.jobs is null then
    return;
  end if;
  return query
  select v_taken.fence, a.job_id, a.is_merge, a.kind, a.kind_version, a.args, a.model, a.tasks, a.attempts, a.ests, a.places, a.items, a.inputs,
    a.partials, a.summary
  from leased_jobs(v_taken.jobs, v_taken.tasks, v_taken.attempts, v_taken.ests) a;
end
$$;
grant execute on function claim_v3 to plimsoll_worker;
