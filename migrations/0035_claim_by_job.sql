-- A claim costs less per task: rows are passed on fewer times, and what concerns a job is looked up once a job instead of
-- once a task. What is claimed stays as it was, but for ties: lanes with equal heads go in the order of their ids.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- Stable, as what it consists of: otherwise the planner may not inline it and plans it anew at every call.
create or replace function lane_fits(p_lane lane, p_worker worker, p_bucket smallint) returns boolean language sql stable
return p_lane.memory_bucket <= p_bucket and (p_lane.kind || ':' || p_lane.kind_version) = any(p_worker.kinds)
  and (p_lane.capability = '' or p_lane.capability = any(p_worker.capabilities));

-- Gives the worker the next tasks of the accounts whose turn it is: about p_max_seconds of this device's
-- time, at most p_max_tasks tasks, at least one task if any fits. No row: nothing to do, listen and poll.
--
-- Within an account: by priority, which grows while a task waits, then the lane that is furthest behind; of lanes that
-- differ in whether the worker holds their model (p_models), the one it holds, unless the other's head waits for a
-- minute longer. No account gets more or less by it.
--
-- Nothing is claimed above a quota: an account whose next task does not fit is marked, and left out until there is room.
--
-- Exact stride scheduling within a quantum: tasks go out in order of virtual start (account's virtual time +
-- charge before it / weight). At most 16 accounts share a claim, and none gets ahead of a waiting one by
-- more than the quantum, 1/16 of the claim, from wherever it stood before: leads do not add up.
create or replace function claim_v2(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25, p_max_tasks int default 64,
  p_memory_bucket smallint default null, p_models text[] default '{}', p_now timestamptz default clock_timestamp())
returns table (fence bigint, job_id bigint, task int, attempt smallint, is_merge boolean, kind text, kind_version smallint,
  args json, first_item bigint, items int, est_seconds real, input bytea, partials bytea[], summary json, model text)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_accounts_per_claim constant int := 16;
  v_tasks_per_account constant int := greatest(1, p_max_tasks / 16);
  v_worker worker;
  v_work float8;
  v_bucket smallint;
  v_clock float8;
  v_fence bigint;
  v_jobs bigint[];
  v_low bigint;
  v_high bigint;
  v_tasks int[];
  v_attempts smallint[];
  v_ests real[];
  v_started bigint[];
  v_finish float8;
  v_half_life float8;
  v_spent int;
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
      and not s.paused and not s.spent and s.vtime >= class_clock(v_worker.class_id))
    and not exists (select from lease l where l.worker_id = p_worker_id and l.fence >= v_worker.oldest_fence) then
    return;
  end if;

  perform lock_class(v_worker.class_id);
  if is_held(v_worker) then
    return;
  end if;
  select half_life_seconds into v_half_life from device_class where id = v_worker.class_id;
  v_clock := class_clock(v_worker.class_id);
  v_fence := nextval('fence_seq');

  loop
    with held as materialized (
      select distinct unnest(l.accounts) account_id from lease l
      where l.worker_id = p_worker_id and l.fence >= v_worker.oldest_fence
    ), turn as materialized (
      select row_number() over (order by x.vtime, x.account_id) place, x.* from (
        (select s.ctid spot, s.* from account_state s
          where s.class_id = v_worker.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.spent and s.vtime >= v_clock
            and exists (select from unnest(s.lanes) u(id) join lane l on l.id = u.id where lane_fits(l, v_worker, v_bucket))
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
      where lane_fits(l, v_worker, v_bucket)
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
      where f.crashes > 0 and leaves_to_others(v_worker, f.lane_id, f.job_id, f.task, f.since, p_now) group by 1
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
      select least(v_work / v_accounts_per_claim, v_tasks_per_account * (select max(c.longest) from candidates c)) quantum,
        least((select t.vtime from turn t where t.place = v_accounts_per_claim + 1),
          (select min(s.vtime + c.work / s.weight) from candidates c join served s on s.account_id = c.account_id
            where c.n >= s.room and s.ready > c.n)) v
    ), pick as materialized (
      -- A single account goes in the order of its own tasks; what was weighed above is not even looked at.
      select c.account_id, c.lane_id, c.spot, c.seq, c.job_id, c.task, c.est_seconds, c.attempt, c.crashes, c.place n from next c
      where (select count(*) = 1 from served) and c.allowed and c.place <= p_max_tasks and c.before < v_work
        -- What a worker died on runs alone: whatever it dies with next time would be given up together.
        and (c.suspects = 0 or (c.place = 1 and not exists (select from held)))
      union all
      select x.account_id, x.lane_id, x.spot, x.seq, x.job_id, x.task, x.est_seconds, x.attempt, x.crashes, x.n from (
        select c.account_id, c.lane_id, c.spot, c.seq, c.job_id, c.task, c.est_seconds, c.attempt, c.crashes,
          row_number() over in_all n, sum(c.est_seconds::float8) over in_all - c.est_seconds work_before,
          count(*) filter (where c.crashes > 0) over in_all suspects
        from next c
        where c.allowed and ((select h.v is null from horizon h) or c.vstart < (select h.v from horizon h)
          or (c.place <= v_tasks_per_account and c.before < v_work / v_accounts_per_claim
            and c.vstart < (select h.v from horizon h) + (select h.quantum from horizon h) / c.weight))
        window in_all as (order by c.vstart, c.account_id, c.place rows unbounded preceding)) x
      where (select count(*) > 1 from served) and x.n <= p_max_tasks and x.work_before < v_work
        and (x.suspects = 0 or (x.n = 1 and not exists (select from held)))
    ), taken as (
      delete from ready where ctid = any(array(select p.spot from pick p))
    ), lane_taken as (
      select p.account_id, p.lane_id, max(p.seq) head, count(*)::int n from pick p group by 1, 2
    ), account_taken as (
      select p.account_id, count(*)::int n, sum(p.est_seconds::float8) charge from pick p group by 1
    ), charged as (
      update account_state t set version = s.version + 1, vtime = s.vtime + a.charge / s.weight, ready = s.ready - a.n,
        used = faded(s.used, s.used_at, p_now, v_half_life) + a.charge, used_at = p_now,
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
      select v_fence, p_worker_id, p_epoch, v_worker.class_id, p_now, array_agg(p.job_id), array_agg(p.task), array_agg(p.lane_id),
        array_agg(p.est_seconds), array_agg(p.attempt), array_agg(p.crashes), array_agg(p.account_id)
      from (select q.job_id, q.task, q.lane_id, q.est_seconds, q.attempt, q.crashes, q.account_id from pick q order by q.n) p having count(*) > 0
      returning jobs, tasks, attempts, charges
    )
    select n.jobs, n.tasks, n.attempts, n.charges, (select max(s.vtime + a.charge / s.weight) from account_taken a join served s using (account_id)), x.spent
    into v_jobs, v_tasks, v_attempts, v_ests, v_finish, v_spent from (select count(*)::int spent from stopped) x left join new_lease n on true;
    exit when v_jobs is not null or v_spent = 0;  -- otherwise those who may not go on stood in the way of others
  end loop;
  if v_jobs is null then
    return;
  end if;
  select min(id), max(id) into v_low, v_high from unnest(v_jobs) u(id);

  -- The clock follows the account that is furthest behind; when nobody waits, the one served last.
  update class_state c set version = n.version + 1, vclock = n.vclock
  from (select o.ctid spot, o.version, coalesce((select s.vtime from account_state s where s.class_id = v_worker.class_id and s.ready > 0 and s.slots < s.cap
        and not s.paused and not s.spent and s.vtime >= v_clock order by s.vtime limit 1), v_finish) vclock
    from class_state o where o.class_id = v_worker.class_id order by o.version desc limit 1) n
  where c.ctid = n.spot and n.vclock > v_clock;

  with started as (
    update job j set state = 'running', started_at = p_now, last_event = j.last_event + 1, revision = j.revision + 1
    where j.id = any(v_jobs) and j.id between v_low and v_high and j.state = 'queued'
    returning j.id, j.team_id, j.last_event, j.timeout_seconds
  ), told as (
    insert into event (job_id, n, team_id, at, type) select id, last_event, team_id, p_now, 'started' from started
  ), timed as (
    insert into overdue (at, job_id) select p_now + make_interval(secs => timeout_seconds), id from started where timeout_seconds is not null
  )
  select array_agg(id) into v_started from started;
  perform notify_jobs(v_started);

  -- Job by job: the tasks of one that go out together mostly lie side by side. The n-th of them in order is the n-th
  -- of the arrays; a merge task has no row.
  return query
  select v_fence, a.job_id, a.tasks[n.place], a.attempts[n.place], j.is_merge, j.kind, j.kind_version, j.args,
    t.first_item, t.items, a.ests[n.place], t.input, j.partials, j.summary, j.model
  from (
    select u.job_id, array_agg(u.task) tasks, array_agg(u.attempt) attempts, array_agg(u.est) ests, array_agg(u.ord) ords
    from (select * from unnest(v_jobs, v_tasks, v_attempts, v_ests) with ordinality x(job_id, task, attempt, est, ord) order by x.job_id, x.task) u
    group by u.job_id) a
  cross join lateral (
    select x.kind, x.kind_version, x.args, a.tasks[1] = x.tasks_total is_merge,
      case when a.tasks[1] = x.tasks_total then
        array(select r.partial from result r where r.job_id = x.id and r.job_id between v_low and v_high and r.state = 'done' order by r.seq) end partials,
      case when a.tasks[1] = x.tasks_total then json_build_object('items_total', x.items_total, 'items_ok', x.items_ok,
        'items_failed', x.items_failed, 'tasks_total', x.tasks_total, 'tasks_quarantined', x.tasks_quarantined,
        'created_at', x.created_at, 'started_at', x.started_at, 'charged_seconds', x.charged_seconds) end summary,
      case when a.tasks[1] < x.tasks_total then (select l.model from lane l where l.id = x.lane_id) else '' end model
    from job x where x.id = a.job_id and x.id between v_low and v_high offset 0) j
  left join lateral (
    select x.first_item, x.items, x.input, row_number() over (order by x.seq) place
    from task x where x.job_id = a.job_id and x.job_id between v_low and v_high and x.seq = any(a.tasks) offset 0) t on true
  cross join lateral (select coalesce(t.place, 1) place) n
  order by a.ords[n.place];
end
$$;
