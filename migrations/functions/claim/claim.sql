-- Leases to the worker the next tasks of the accounts whose turn it is: about p_max_seconds of its device's time, at
-- most p_max_tasks, at least one if any fits. fence: of the lease. No row: nothing to do; listen and poll.
-- If the worker had no lease and gets a single task with its input in the job's row, as on an idle queue, the other
-- columns are what read_lease would return. Otherwise job_id is null: call read_lease.
--
-- Within an account: by priority, which grows while a task waits, then the lane that is furthest behind. Among lanes
-- that differ in whether the worker holds their model (p_models), the one whose model it holds, unless the head of the
-- other has waited a minute longer. No account gets more or less because of this.
--
-- p_memory_bucket: 2^n MiB are free on the device; null: as registered. p_models: models that the device holds in
-- memory. PLM01: the worker is not registered or has expired.
-- To keep leases short, a worker holds at most two: one running, one fetched ahead. A task that a worker died on is
-- handed out alone and, for a minute, not to the device that it died on while another one could run it.
--
-- Whoever follows a job is notified that it starts, unless it is a single task of less than 50 ms: its end comes at
-- once.
--
-- Nothing is claimed above a quota: an account whose next task does not fit is marked and skipped until there is room.
--
-- A transaction of its own, so that nobody waits for the class while tasks are read and sent, or a disk writes. A crash
-- of the database may forget the claims of its last moments, but no record of an outcome, nor the claim before it:
-- forgotten tasks are ready again, and results of theirs are stale.
--
-- Locks: the worker's row (key share), the class, the jobs that start.
create or replace function claim(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25,
  p_max_tasks int default 64, p_memory_bucket smallint default null, p_models text[] default '{}',
  p_now timestamptz default clock_timestamp())
returns table (fence bigint, job_id bigint, is_merge boolean, is_whole boolean, kind text, kind_version smallint,
  args json, model text, tasks int[], attempts smallint[], est_seconds real[], places int[], items int[],
  inputs bytea[], partials bytea[], priority smallint, trace bytea)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_told_seconds constant float8 := 0.05;
  v_worker worker;
  v_work float8;
  v_bucket smallint;
  v_now record;  -- the class, the account whose turn it is, and how many there are (at most 2), and the worker's leases
  v_fence bigint;
  v_given claimed_tasks;
  v_job bigint;
  v_low bigint;
  v_high bigint;
  v_started bigint[];  -- this and the one below: jobs whose first tasks are leased
  v_timeouts real[];
  v_long boolean;  -- one of the tasks takes longer than a moment
  v_told bigint[];
begin
  -- A worker that cannot get anything locks nothing: it waits for nobody, and its transaction leaves nothing to flush.
  -- Whatever ends a worker's leases locks its row for update, so no lease is created concurrently.
  select * into v_worker from worker w
  where w.id = p_worker_id and worker_is_alive(w, p_epoch, p_now) and case when exists (
      select from account_state s
      where s.class_id = w.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.over_quota
        and s.vtime >= (
          select c.vclock from class_state c where c.class_id = w.class_id order by c.version desc limit 1))
    then true else has_slots_to_fill(w) end
  for key share;
  if not found then
    perform from worker w where w.id = p_worker_id and worker_is_alive(w, p_epoch, p_now);
    if found then
      return;
    end if;
    raise exception 'worker % epoch % is not registered or has expired', p_worker_id, p_epoch using errcode = 'PLM01';
  end if;
  v_work := p_max_seconds * v_worker.speed;
  v_bucket := coalesce(p_memory_bucket, v_worker.memory_bucket);
  perform lock_class(v_worker.class_id);
  select c.half_life_seconds half_life, n.spot clock_spot, n.version, n.vclock clock,
    exists (select from hold) and is_held(v_worker) is_held, t.spot, t.account, t.quota_seconds, t.accounts, l.n leases,
    l.of_others
  into v_now from device_class c
  cross join lateral (
    select s.ctid spot, s.version, s.vclock from class_state s
    where s.class_id = c.id order by s.version desc limit 1) n
  left join lateral (
    select x.spot, x.account, x.quota_seconds, count(*) over () accounts from (
      select s.ctid spot, s account, s.quota_seconds, s.vtime from account_state s
      where s.class_id = c.id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.over_quota
        and s.vtime >= n.vclock
        and exists (select from unnest(s.lanes) u(id) join lane l on l.id = u.id where lane_fits(l, v_worker, v_bucket))
      order by s.vtime limit 2) x limit 1) t on true
  cross join lateral (
    select count(*) n, coalesce(bool_or(l.holders <> array[(t.account).account_id]), false) of_others
    from lease l where l.worker_id = v_worker.id and l.fence >= v_worker.oldest_fence) l
  where c.id = v_worker.class_id;
  if v_now.is_held or v_now.accounts is null and (v_now.leases = 0 or not has_slots_to_fill(v_worker)) then
    return;
  end if;
  v_fence := next_fence(p_now);
  if v_now.accounts = 1 and v_now.quota_seconds is null and not v_now.of_others then
    v_given := claim_single_account(v_worker, v_bucket, v_work, p_max_tasks, p_models, v_now.spot, v_now.account,
      v_now.leases > 0, v_now.half_life, v_fence, p_now);
  end if;
  if v_given.jobs is null then
    v_given := claim_fair(v_worker, v_bucket, v_work, p_max_tasks, p_models, v_now.clock, v_now.half_life, v_fence,
      p_now);
  end if;
  if v_given.jobs is null then
    return;
  end if;
  perform set_config('synchronous_commit', 'off', true);

  -- The clock follows the account that is furthest behind or, if none is waiting, the one served last.
  update class_state c set version = v_now.version + 1, vclock = n.vclock
  from (
    select coalesce((
      select s.vtime from account_state s
      where s.class_id = v_worker.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.over_quota
        and s.vtime >= v_now.clock
      order by s.vtime limit 1), v_given.finish) vclock) n
  where c.ctid = v_now.clock_spot and n.vclock > v_now.clock;

  v_long := v_told_seconds * v_worker.speed < any (v_given.ests);
  if v_now.leases = 0 and v_given.tasks = '{0}' then
    v_job := v_given.jobs[1];
    return query
    update job j set state = 'running', started_at = p_now, last_event = j.last_event + 1,
      started_event = j.last_event + 1, revision = j.revision + 1
    where j.id = v_job and j.state = 'queued' and j.est_seconds is not null and j.timeout_seconds is null
    returning v_fence, j.id, false, not j.merge, j.kind, j.kind_version, j.args,
      (select l.model from lane l where l.id = j.lane_id), v_given.tasks, v_given.attempts, v_given.ests, '{1}'::int[],
      array[j.items_total::int], array[j.input], null::bytea[], j.priority, j.trace;
    if found then
      if v_long then
        perform notify_jobs(v_given.jobs);
      end if;
      return;
    end if;
  end if;
  select min(id), max(id) into v_low, v_high from unnest(v_given.jobs) u(id);
  with started as (
    update job j set state = 'running', started_at = p_now, last_event = j.last_event + 1,
      started_event = j.last_event + 1, revision = j.revision + 1
    where j.id = any(v_given.jobs) and j.id between v_low and v_high and j.state = 'queued'
    returning j.id, j.timeout_seconds, j.tasks_total > 1 or v_long is_long
  )
  select array_agg(s.id), array_agg(s.timeout_seconds), array_agg(s.id) filter (where s.is_long)
  into v_started, v_timeouts, v_told from started s;
  if array_remove(v_timeouts, null) <> '{}' then
    insert into overdue (at, job_id) select p_now + make_interval(secs => s.seconds), s.id
    from unnest(v_started, v_timeouts) s(id, seconds) where s.seconds is not null;
  end if;
  if v_told is not null then
    perform notify_jobs(v_told);
  end if;
  fence := v_fence;
  return next;
end
$$;
