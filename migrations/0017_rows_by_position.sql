-- Rows that were just read are updated where they stand. After an analyze a planner knows that account_state and
-- class_state have few living rows, but not that an old snapshot keeps thousands of dead ones: it then joins such a
-- table by walking a whole index. A position leaves it no choice. Each function is otherwise as it was.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- Tells the accounts that their lanes (distinct) got tasks, the first at seq p_firsts. An account that had
-- none starts at the class's virtual clock: nobody saves up credit while idle.
create or replace function account_add_ready(p_class_id smallint, p_lanes int[], p_firsts bigint[], p_counts int[])
returns void language plpgsql as $$
begin
  with added as materialized (
    select l.account_id, u.lane_id, u.first, u.n
    from unnest(p_lanes, p_firsts, p_counts) u(lane_id, first, n) join lane l on l.id = u.lane_id
  ), old as materialized (
    select s.*, a.n from (select account_id, sum(n)::int n from added group by 1) a
    cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = a.account_id order by z.version desc limit 1) s
  ), merged as (
    select o.account_id, array_agg(x.lane_id) lanes, array_agg(x.head) heads, array_agg(x.n) counts
    from old o cross join lateral (
      select coalesce(c.lane_id, a.lane_id) lane_id, coalesce(c.head, a.first - 1) head, coalesce(c.n, 0) + coalesce(a.n, 0) n
      from unnest(o.lanes, o.heads, o.counts) c(lane_id, head, n)
      full join (select * from added where added.account_id = o.account_id) a on a.lane_id = c.lane_id) x
    group by o.account_id
  )
  update account_state t set version = o.version + 1, ready = o.ready + o.n,
    lanes = m.lanes, heads = m.heads, counts = m.counts,
    vtime = case when o.ready > 0 then o.vtime else greatest(o.vtime, class_clock(p_class_id)) end
  from old o join merged m using (account_id)
  where t.ctid = o.spot;
end
$$;

-- Charges become what was measured, and a slot is given back with the last lease of an account on its worker.
-- The caller holds the class lock and has updated the lease.
create or replace function account_settle(p_class_id smallint, p_worker worker, p_lease_accounts int[], p_accounts int[], p_corrections float8[])
returns void language plpgsql as $$
declare
  v_clock constant float8 := class_clock(p_class_id);
  v_lowest float8;
begin
  with correction as materialized (
    select account_id, sum(seconds) seconds from unnest(p_accounts, p_corrections) c(account_id, seconds) group by 1
  ), held as materialized (
    select distinct u.account_id from lease l cross join unnest(l.accounts) u(account_id)
    where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence
  ), old as materialized (
    select s.*, s.vtime + coalesce(c.seconds, 0) / s.weight corrected, (h.account_id is null)::int gone,
      s.ready > 0 and s.slots >= s.cap and s.slots - (h.account_id is null)::int < s.cap opens
    from (select distinct unnest(p_lease_accounts) account_id) a
    left join correction c on c.account_id = a.account_id left join held h on h.account_id = a.account_id
    cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = a.account_id order by z.version desc limit 1) s
  ), changed as (
    update account_state t set version = o.version + 1, slots = o.slots - o.gone,
      vtime = case when o.opens then greatest(o.corrected, v_clock) else o.corrected end
    from old o where t.ctid = o.spot
    returning t.vtime, t.ready > 0 and t.slots < t.cap and not t.paused is_open
  )
  select min(vtime) filter (where is_open) into v_lowest from changed;
  if v_lowest < v_clock then
    update class_state c set version = n.version + 1, vclock = v_lowest
    from (select o.ctid spot, o.version from class_state o where o.class_id = p_class_id order by o.version desc limit 1) n
    where c.ctid = n.spot;
  end if;
end
$$;

-- Gives the worker the next tasks of the accounts whose turn it is: about p_max_seconds of this device's
-- time, at most p_max_tasks tasks, at least one task if any fits. No row: nothing to do, listen and poll.
--
-- Exact stride scheduling within a quantum: tasks go out in order of virtual start (account's virtual time +
-- charge before it / weight). At most 16 accounts share a claim, and none gets ahead of a waiting one by
-- more than the quantum, 1/16 of the claim.
create or replace function claim_v1(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25, p_max_tasks int default 64,
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
      (select s.ctid spot, s.* from account_state s
        where s.class_id = v_worker.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and s.vtime >= v_clock
          and exists (select from unnest(s.lanes) u(id) join lane l on l.id = u.id where lane_fits(l, v_worker, v_bucket))
        order by s.vtime limit v_accounts_per_claim + 1)
      union all  -- at its cap, but this device is one of its slots
      (select s.* from held h cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = h.account_id order by z.version desc limit 1) s
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
    where t.ctid = s.spot
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
  from (select o.ctid spot, o.version, coalesce((select s.vtime from account_state s where s.class_id = v_worker.class_id and s.ready > 0 and s.slots < s.cap
        and not s.paused and s.vtime >= v_clock order by s.vtime limit 1), v_finish) vclock
    from class_state o where o.class_id = v_worker.class_id order by o.version desc limit 1) n
  where c.ctid = n.spot and n.vclock > v_clock;

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

-- Cancels: cancelled (nothing ran), cancelling (workers are told), finished (too late), not_found.
create or replace function cancel_v1(p_team_id bigint, p_job_id bigint, p_now timestamptz default clock_timestamp())
returns text language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_job job;
  v_class smallint;
  v_workers int[];
  v_merging boolean;
begin
  perform from unnest(fences_of(p_job_id)) f join lease l on l.fence = f order by l.fence for update of l;
  select * into v_job from job where id = p_job_id and team_id = p_team_id;
  if not found then
    return 'not_found';
  end if;
  for v_class in select id from device_class where name in (v_job.device_class, 'host') order by id loop
    perform lock_class(v_class);
  end loop;
  select * into strict v_job from job where id = p_job_id for update;
  if v_job.finished_at is not null then
    return 'finished';
  elsif v_job.state = 'cancelling' then
    return 'cancelling';
  end if;
  v_merging := v_job.tasks_left = 0;

  delete from scheduled where job_id = p_job_id;
  with line as (
    -- A merge task stands in a lane of its own, which has few tasks.
    select l.id, s.heads[array_position(s.lanes, l.id)] head from lane l join account a on a.id = l.account_id
    cross join lateral (select * from account_state z where z.account_id = a.id order by z.version desc limit 1) s
    where case when v_merging then a.team_id = v_job.team_id and a.class_id = (select id from device_class where name = 'host') and l.kind = v_job.kind
      else l.id = v_job.lane_id end
  ), gone as (
    delete from ready r using line
    where r.lane_id = line.id and r.job_id = p_job_id
      and r.seq >= v_job.ready_first and r.seq <= v_job.ready_last
      and r.seq > line.head
    returning r.lane_id
  ), lost as (
    select lane_id, count(*)::int n from gone group by 1
  )
  update account_state t set version = s.version + 1, ready = s.ready - lost.n, lanes = coalesce(m.lanes, '{}'),
    heads = coalesce(m.heads, '{}'), counts = coalesce(m.counts, '{}')
  from lost join lane l on l.id = lost.lane_id cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = l.account_id order by z.version desc limit 1) s
  cross join lateral (
    select array_agg(u.lane_id) lanes, array_agg(u.head) heads, array_agg(u.n - case when u.lane_id = l.id then lost.n else 0 end) counts
    from unnest(s.lanes, s.heads, s.counts) u(lane_id, head, n)
    where u.n > case when u.lane_id = l.id then lost.n else 0 end) m
  where t.ctid = s.spot;

  v_workers := array(select distinct l.worker_id from unnest(fences_of(p_job_id)) f cross join lateral (select * from lease x where x.fence = f offset 0) l);
  update job set state = case when v_workers = '{}' then 'cancelled' else 'cancelling' end,
    cancel_requested_at = p_now, finished_at = case when v_workers = '{}' then p_now end,
    last_event = last_event + 1, revision = revision + 1
  where id = p_job_id returning * into v_job;
  insert into event (job_id, n, team_id, at, type, data) values (p_job_id, v_job.last_event, v_job.team_id, p_now,
    case v_job.state when 'cancelled' then 'finished' else v_job.state end,
    case v_job.state when 'cancelled' then '{"state": "cancelled"}' else '{}' end::json);
  perform pg_notify('plimsoll_worker', w::text) from unnest(v_workers) w;
  perform notify_jobs(array[p_job_id]);
  return v_job.state;
end
$$;
