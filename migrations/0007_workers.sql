-- A worker's life: it registers, beats, claims, and leaves.
set local role plimsoll_queue;
set local search_path = plimsoll;

create function worker_is_alive(p_worker worker, p_epoch int, p_now timestamptz) returns boolean language sql immutable
return p_worker.epoch = p_epoch and p_worker.state in ('active', 'draining') and p_worker.seen_at > p_now - lease_ttl();

create function lane_fits(p_lane lane, p_worker worker, p_bucket smallint) returns boolean language sql immutable
return p_lane.memory_bucket <= p_bucket and (p_lane.kind || ':' || p_lane.kind_version) = any(p_worker.kinds)
  and (p_lane.capability = '' or p_lane.capability = any(p_worker.capabilities));

-- Beat at most 5 s apart, and only while the device thread makes progress. alive = false: the leases are
-- gone or about to go; drop all work and register again.
create function heartbeat_v1(p_worker_id int, p_epoch int, p_fences bigint[], p_progress_jobs bigint[], p_progress_items int[],
  p_telemetry json default null, p_now timestamptz default clock_timestamp())
returns table (alive boolean, draining boolean, stale_fences bigint[], cancelled_jobs bigint[])
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_worker worker;
  v_progress jsonb;
  v_jobs bigint[];
  v_low bigint;
  v_high bigint;
begin
  select coalesce(jsonb_object_agg(u.job::text, u.items), '{}') into v_progress
  from (select job, sum(items) items from unnest(p_progress_jobs, p_progress_items) x(job, items) group by 1) u;
  -- For update, so that no claim of this worker is under way: its lease would be missing below.
  select * into v_worker from worker w where w.id = p_worker_id for update;
  if not found or not worker_is_alive(v_worker, p_epoch, p_now) then
    return query select false, false, p_fences, '{}'::bigint[];
    return;
  end if;
  update worker w set seen_at = greatest(w.seen_at, p_now), telemetry = coalesce(p_telemetry, w.telemetry), progress = v_progress,
    oldest_fence = coalesce((select min(l.fence) from lease l where l.worker_id = w.id and l.fence >= w.oldest_fence), (select last_value from fence_seq))
  where w.id = p_worker_id returning * into v_worker;
  -- A claim whose answer was lost: the worker lives, but knows nothing of the lease. No answer is on its way
  -- for as long as a lease lasts.
  perform end_leases(v_worker, p_fences, p_now - lease_ttl(), 'released', p_now);
  perform notify_jobs(array(select distinct j from unnest(p_progress_jobs) j));
  v_jobs := array(select distinct x.id from lease l cross join unnest(l.jobs) x(id) where l.fence = any(p_fences) and l.worker_id = p_worker_id and l.fence >= v_worker.oldest_fence);
  select min(id), max(id) into v_low, v_high from unnest(v_jobs) u(id);
  return query select true, v_worker.state = 'draining',
    array(select f from unnest(p_fences) f where not exists (
      select from lease l where l.fence = f and l.epoch = p_epoch and l.worker_id = p_worker_id and l.fence >= v_worker.oldest_fence)),
    array(select j.id from job j where j.id = any(v_jobs) and j.id between v_low and v_high and j.state = 'cancelling');
end
$$;

-- Gives the worker the next tasks of the accounts whose turn it is: about p_max_seconds of this device's
-- time, at most p_max_tasks tasks, at least one task if any fits. No row: nothing to do, listen and poll.
--
-- Exact stride scheduling within a quantum: tasks go out in order of virtual start (account's virtual time +
-- charge before it / weight). At most 16 accounts share a claim, and none gets ahead of a waiting one by
-- more than the quantum, 1/16 of the claim.
create function claim_v1(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25, p_max_tasks int default 64,
  p_memory_bucket smallint default null, p_now timestamptz default clock_timestamp())
returns table (fence bigint, job_id bigint, task int, attempt smallint, is_merge boolean, kind text, kind_version smallint,
  args json, first_item bigint, items int, est_seconds real, input bytea, partials bytea[], summary json)
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
      and not s.paused and s.vtime >= class_clock(v_worker.class_id))
    and not exists (select from lease l where l.worker_id = p_worker_id and l.fence >= v_worker.oldest_fence) then
    return;
  end if;

  perform lock_class(v_worker.class_id);
  v_clock := class_clock(v_worker.class_id);
  v_fence := nextval('fence_seq');

  with held as materialized (
    select distinct unnest(l.accounts) account_id from lease l
    where l.worker_id = p_worker_id and l.fence >= v_worker.oldest_fence
  ), turn as materialized (
    select row_number() over (order by x.vtime, x.account_id) place, x.* from (
      (select s.* from account_state s
        where s.class_id = v_worker.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and s.vtime >= v_clock
          and exists (select from unnest(s.lanes) u(id) join lane l on l.id = u.id where lane_fits(l, v_worker, v_bucket))
        order by s.vtime limit v_accounts_per_claim + 1)
      union all  -- at its cap, but this device is one of its slots
      (select s.* from held h cross join lateral (select * from account_state z where z.account_id = h.account_id order by z.version desc limit 1) s
        where s.ready > 0 and s.slots >= s.cap and s.slots > 0 and not s.paused)
    ) x
  ), served as materialized (
    select t.*, exists (select from held h where h.account_id = t.account_id) is_held,
      case when count(*) over () = 1 then p_max_tasks
        else greatest(p_max_tasks / v_accounts_per_claim, ceil(2.0 * p_max_tasks / count(*) over ()))::int end room
    from turn t where t.place <= v_accounts_per_claim
  ), line as materialized (
    select t.account_id, t.vtime, t.weight, u.lane_id, u.head, l.priority,
      row_number() over by_age place, t.room - coalesce(sum(u.n) over (by_age rows between unbounded preceding and 1 preceding), 0) room
    from served t cross join unnest(t.lanes, t.heads, t.counts) u(lane_id, head, n) join lane l on l.id = u.lane_id
    where lane_fits(l, v_worker, v_bucket)
    window by_age as (partition by t.account_id order by l.priority desc, u.head)
  ), candidate as materialized (
    select n.account_id, n.vtime, n.weight, n.lane_id, r.spot, r.seq, r.job_id, r.task, r.est_seconds, r.attempt, r.crashes,
      row_number() over in_turn place, sum(r.est_seconds::float8) over in_turn - r.est_seconds before
    from line n cross join lateral (
      select x.ctid spot, x.seq, x.job_id, x.task, x.est_seconds, x.attempt, x.crashes from ready x where x.lane_id = n.lane_id and x.seq > n.head order by x.seq limit n.room) r
    where n.room > 0
    window in_turn as (partition by n.account_id order by n.place, r.seq)
  ), horizon as materialized (
    -- Where the first account stands that this claim will leave waiting.
    select least(
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
      where (c.place <= greatest(1, p_max_tasks / v_accounts_per_claim) and c.before < v_work / v_accounts_per_claim)
        or h.v is null or c.vtime + c.before / c.weight < h.v
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
      slots = s.slots + (not s.is_held)::int,
      lanes = coalesce(m.lanes, '{}'), heads = coalesce(m.heads, '{}'), counts = coalesce(m.counts, '{}')
    from account_taken a join served s on s.account_id = a.account_id
    cross join lateral (
      select array_agg(u.lane_id) lanes, array_agg(coalesce(k.head, u.head)) heads, array_agg(u.n - coalesce(k.n, 0)) counts
      from unnest(s.lanes, s.heads, s.counts) u(lane_id, head, n) left join lane_taken k on k.lane_id = u.lane_id
      where u.n > coalesce(k.n, 0)) m
    where t.account_id = s.account_id and t.version = s.version
  ), new_lease as (
    insert into lease (fence, worker_id, epoch, class_id, claimed_at, jobs, tasks, lanes, charges, attempts, crashes, accounts)
    select v_fence, p_worker_id, p_epoch, v_worker.class_id, p_now, array_agg(p.job_id), array_agg(p.task), array_agg(p.lane_id),
      array_agg(p.est_seconds), array_agg(p.attempt), array_agg(p.crashes), array_agg(p.account_id)
    from (select * from pick order by n) p having count(*) > 0
    returning jobs, tasks, attempts, charges
  )
  select n.jobs, n.tasks, n.attempts, n.charges, (select max(s.vtime + a.charge / s.weight) from account_taken a join served s using (account_id))
  into v_jobs, v_tasks, v_attempts, v_ests, v_finish from new_lease n;
  if v_jobs is null then
    return;
  end if;
  select min(id), max(id) into v_low, v_high from unnest(v_jobs) u(id);

  -- The clock follows the account that is furthest behind; when nobody waits, the one served last.
  update class_state c set version = n.version + 1, vclock = n.vclock
  from (select o.version, coalesce((select s.vtime from account_state s where s.class_id = v_worker.class_id and s.ready > 0 and s.slots < s.cap
        and not s.paused and s.vtime >= v_clock order by s.vtime limit 1), v_finish) vclock
    from class_state o where o.class_id = v_worker.class_id order by o.version desc limit 1) n
  where c.class_id = v_worker.class_id and c.version = n.version and n.vclock > v_clock;

  with started as (
    update job j set state = 'running', started_at = p_now, last_event = j.last_event + 1, revision = j.revision + 1
    where j.id = any(v_jobs) and j.id between v_low and v_high and j.state = 'queued'
    returning j.id, j.team_id, j.last_event
  ), told as (
    insert into event (job_id, n, team_id, at, type) select id, last_event, team_id, p_now, 'started' from started
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
      'created_at', j.created_at, 'started_at', j.started_at, 'charged_seconds', j.charged_seconds) end
  from unnest(v_jobs, v_tasks, v_attempts, v_ests) with ordinality u(job_id, task, attempt, est, ord)
  cross join lateral (select * from job x where x.id = u.job_id and x.id between v_low and v_high offset 0) j
  left join lateral (select * from task x where x.job_id = u.job_id and x.job_id between v_low and v_high and x.seq = u.task offset 0) t on true
  order by u.ord;
end
$$;
