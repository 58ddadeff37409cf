-- Claims keep to quotas and holds, remember what was used, and prefer what the worker holds in memory.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- Whether somebody stopped the worker's device, its node or its class.
create function is_held(p_worker worker) returns boolean language plpgsql stable as $$
begin
  return exists (select from hold h where h.scope = 'device_class' and h.subject = (select c.name from device_class c where c.id = p_worker.class_id))
    or exists (select from hold h where h.scope = 'node' and h.subject = p_worker.node)
    or exists (select from hold h where h.scope = 'device' and h.subject = p_worker.id::text);
end
$$;

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
create function claim_v2(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25, p_max_tasks int default 64,
  p_memory_bucket smallint default null, p_models text[] default '{}', p_now timestamptz default clock_timestamp())
returns table (fence bigint, job_id bigint, task int, attempt smallint, is_merge boolean, kind text, kind_version smallint,
  args json, first_item bigint, items int, est_seconds real, input bytea, partials bytea[], summary json, model text)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_accounts_per_claim constant int := 16;
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
          else greatest(p_max_tasks / v_accounts_per_claim, ceil(2.0 * p_max_tasks / count(*) over ()))::int end room
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
        case when f.choice then h.since - case when f.resident then interval '1 minute' else interval '0' end end, f.head)
    ), front as materialized (
      select n.account_id, n.vtime, n.weight, n.quota_left, n.lane_id, n.place line, r.*,
        bool_or(case when r.crashes > 0 then leaves_to_others(v_worker, n.lane_id, r.job_id, r.task, r.since, p_now) else false end)
          over (partition by n.lane_id order by r.seq) left_alone
      from line n cross join lateral (
        select x.ctid spot, x.seq, x.job_id, x.task, x.est_seconds, x.attempt, x.crashes, x.since
        from ready x where x.lane_id = n.lane_id and x.seq > n.head order by x.seq limit n.room) r
      where n.room > 0
    ), next as materialized (
      select f.account_id, f.vtime, f.weight, f.quota_left, f.lane_id, f.spot, f.seq, f.job_id, f.task, f.est_seconds, f.attempt, f.crashes,
        row_number() over in_turn place, sum(f.est_seconds::float8) over in_turn - f.est_seconds before
      from front f where not f.left_alone
      window in_turn as (partition by f.account_id order by f.line, f.seq)
    ), candidate as materialized (
      select * from next n where coalesce(n.before + n.est_seconds <= n.quota_left, true)
    ), horizon as materialized (
      -- Where the first account stands that this claim will leave waiting, and by what others may get ahead of it.
      select least(v_work / v_accounts_per_claim,
          greatest(1, p_max_tasks / v_accounts_per_claim) * (select max(c.est_seconds::float8) from candidate c)) quantum,
        least(
        (select t.vtime from turn t where t.place = v_accounts_per_claim + 1),
        (select min(e.vend) from (
          select c.account_id, max(c.vtime + (c.before + c.est_seconds) / c.weight) vend, count(*) n from candidate c group by 1) e
          join served s on s.account_id = e.account_id where e.n >= s.room and s.ready > e.n)) v
    ), pick as materialized (
      select x.account_id, x.lane_id, x.spot, x.seq, x.job_id, x.task, x.est_seconds, x.attempt, x.crashes, x.n from (
        select c.account_id, c.lane_id, c.spot, c.seq, c.job_id, c.task, c.est_seconds, c.attempt, c.crashes,
          row_number() over in_all n, sum(c.est_seconds::float8) over in_all - c.est_seconds work_before,
          count(*) filter (where c.crashes > 0) over in_all suspects
        from candidate c cross join horizon h
        where h.v is null or c.vtime + c.before / c.weight < h.v
          or (c.place <= greatest(1, p_max_tasks / v_accounts_per_claim) and c.before < v_work / v_accounts_per_claim
            and c.vtime + c.before / c.weight < h.v + h.quantum / c.weight)
        window in_all as (order by c.vtime + c.before / c.weight, c.account_id, c.place)) x
      where x.n <= p_max_tasks and x.work_before < v_work
        -- What a worker died on runs alone: whatever it dies with next time would be given up together.
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
        and exists (select from next n where n.account_id = s.account_id and n.place = 1 and n.est_seconds > n.quota_left)
      returning 1
    ), new_lease as (
      insert into lease (fence, worker_id, epoch, class_id, claimed_at, jobs, tasks, lanes, charges, attempts, crashes, accounts)
      select v_fence, p_worker_id, p_epoch, v_worker.class_id, p_now, array_agg(p.job_id), array_agg(p.task), array_agg(p.lane_id),
        array_agg(p.est_seconds), array_agg(p.attempt), array_agg(p.crashes), array_agg(p.account_id)
      from (select * from pick order by n) p having count(*) > 0
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

  return query
  select v_fence, u.job_id, u.task, u.attempt, u.task = j.tasks_total, j.kind, j.kind_version, j.args,
    t.first_item, t.items, u.est, t.input,
    case when u.task = j.tasks_total then
      array(select r.partial from result r where r.job_id = u.job_id and r.job_id between v_low and v_high and r.state = 'done' order by r.seq) end,
    case when u.task = j.tasks_total then json_build_object('items_total', j.items_total, 'items_ok', j.items_ok,
      'items_failed', j.items_failed, 'tasks_total', j.tasks_total, 'tasks_quarantined', j.tasks_quarantined,
      'created_at', j.created_at, 'started_at', j.started_at, 'charged_seconds', j.charged_seconds) end,
    case when u.task < j.tasks_total then (select l.model from lane l where l.id = j.lane_id) else '' end
  from unnest(v_jobs, v_tasks, v_attempts, v_ests) with ordinality u(job_id, task, attempt, est, ord)
  cross join lateral (select * from job x where x.id = u.job_id and x.id between v_low and v_high offset 0) j
  left join lateral (select * from task x where x.job_id = u.job_id and x.job_id between v_low and v_high and x.seq = u.task offset 0) t on true
  order by u.ord;
end
$$;

-- As claim_v2, for a worker that says nothing of models.
create or replace function claim_v1(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25, p_max_tasks int default 64,
  p_memory_bucket smallint default null, p_now timestamptz default clock_timestamp())
returns table (fence bigint, job_id bigint, task int, attempt smallint, is_merge boolean, kind text, kind_version smallint,
  args json, first_item bigint, items int, est_seconds real, input bytea, partials bytea[], summary json)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  return query select c.fence, c.job_id, c.task, c.attempt, c.is_merge, c.kind, c.kind_version, c.args, c.first_item, c.items, c.est_seconds,
    c.input, c.partials, c.summary from claim_v2(p_worker_id, p_epoch, p_max_seconds, p_max_tasks, p_memory_bucket, '{}', p_now) c;
end
$$;

grant execute on function claim_v2 to plimsoll_worker;
