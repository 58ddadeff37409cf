-- Claims take the short way where they can, and answer a row a job.
set local role plimsoll_queue;
set local search_path = plimsoll;

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
