-- A claim of a few tasks costs fewer statements: what it must know under the class's lock is asked at once, and a single task, which
-- is what an idle worker that is woken gets, is read by itself.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- As lock_class, without waiting: false if somebody else has it.
create function try_lock_class(p_class_id smallint) returns boolean language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'queue functions need transaction isolation read committed' using errcode = 'invalid_transaction_state';
  end if;
  return pg_try_advisory_xact_lock(1347176781, p_class_id);
end
$$;

-- What take_alone and take_turns lease.
create type given as (jobs bigint[], tasks int[], attempts smallint[], ests real[], finish float8);

-- Whether an account has something ready that is at its cap, but has this device as one of its slots.
create function has_slots_to_fill(p_worker worker) returns boolean language plpgsql stable as $$
begin
  return exists (select from (select distinct unnest(l.accounts) id from lease l where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence) h
    cross join lateral (select z.* from account_state z where z.account_id = h.id order by z.version desc limit 1) s
    where s.ready > 0 and s.slots >= s.cap and s.slots > 0 and not s.paused and not s.spent);
end
$$;

-- As before (0039). The case of one account that stands alone, without a quota, beside leases of nobody else: the tasks of its lanes one after
-- the other. v_turn is its row with its place (spot). Answers as take_turns; jobs is null where the general case must decide,
-- and then nothing has been done.
create or replace function take_alone(p_worker worker, p_bucket smallint, p_work float8, p_max_tasks int, p_models text[], p_spot tid, p_account account_state,
  p_held boolean, p_half_life float8, p_fence bigint, p_now timestamptz,
  out jobs bigint[], out tasks int[], out attempts smallint[], out ests real[], out finish float8)
language plpgsql as $$
declare
  v_lanes int[] := p_account.lanes;
  v_heads bigint[] := p_account.heads;
  v_spots tid[];
  v_place int;
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
    -- The account's row, as it will be: a lane that is empty leaves it.
    v_place := array_position(p_account.lanes, v_lanes[i]);
    if p_account.counts[v_place] > v_line.n then
      p_account.heads[v_place] := v_line.head;
      p_account.counts[v_place] := p_account.counts[v_place] - v_line.n;
    else
      p_account.lanes := p_account.lanes[:v_place - 1] || p_account.lanes[v_place + 1:];
      p_account.heads := p_account.heads[:v_place - 1] || p_account.heads[v_place + 1:];
      p_account.counts := p_account.counts[:v_place - 1] || p_account.counts[v_place + 1:];
    end if;
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
    lanes = p_account.lanes, heads = p_account.heads, counts = p_account.counts
  where t.ctid = p_spot;
  insert into lease (fence, worker_id, epoch, class_id, claimed_at, jobs, tasks, lanes, charges, attempts, crashes, accounts)
  values (p_fence, p_worker.id, p_worker.epoch, p_worker.class_id, p_now, jobs, tasks, v_row_lanes, ests, attempts,
    array_fill(0::smallint, array[v_count]), array_fill(p_account.account_id, array[v_count]));
  finish := p_account.vtime + v_charge / p_account.weight;
end
$$;

-- As before (0040). What claims have in common: leases the next tasks of the accounts whose turn it is, about p_max_seconds of this device's
-- time, at most p_max_tasks tasks, at least one task if any fits. fence is null: nothing to do, listen and poll.
--
-- Within an account: by priority, which grows while a task waits, then the lane that is furthest behind; of lanes that
-- differ in whether the worker holds their model (p_models), the one it holds, unless the other's head waits for a
-- minute longer. No account gets more or less by it.
--
-- Nothing is claimed above a quota: an account whose next task does not fit is marked, and left out until there is room.
create or replace function take(p_worker_id int, p_epoch int, p_max_seconds float8, p_max_tasks int, p_memory_bucket smallint, p_models text[], p_now timestamptz,
  out fence bigint, out jobs bigint[], out tasks int[], out attempts smallint[], out ests real[])
language plpgsql as $$
#variable_conflict use_column
declare
  v_worker worker;
  v_work float8;
  v_bucket smallint;
  v_now record;  -- the class, the account whose turn it is, and how many there are (at most 2), and the worker's leases
  v_fence bigint;
  v_given given;
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
  -- A worker that has nothing to expect does not queue for the lock.
  if not try_lock_class(v_worker.class_id) then
    if not exists (select from account_state s where s.class_id = v_worker.class_id and s.ready > 0 and s.slots < s.cap
        and not s.paused and not s.spent and s.vtime >= (select c.vclock from class_state c where c.class_id = v_worker.class_id order by c.version desc limit 1))
      and not has_slots_to_fill(v_worker) then
      return;
    end if;
    perform lock_class(v_worker.class_id);
  end if;
  select c.half_life_seconds half_life, n.vclock clock, exists (select from hold) and is_held(v_worker) is_held, t.spot, t.account, t.quota_seconds,
    t.accounts, l.n leases, l.of_others
  into v_now from device_class c
  cross join lateral (select s.vclock from class_state s where s.class_id = c.id order by s.version desc limit 1) n
  left join lateral (
    select x.spot, x.account, x.quota_seconds, count(*) over () accounts from (
      select s.ctid spot, s account, s.quota_seconds, s.vtime from account_state s
      where s.class_id = c.id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.spent and s.vtime >= n.vclock
        and exists (select from unnest(s.lanes) u(id) join lane l on l.id = u.id where lane_fits(l, v_worker, v_bucket))
      order by s.vtime limit 2) x limit 1) t on true
  cross join lateral (
    select count(*) n, coalesce(bool_or(array_remove(l.accounts, (t.account).account_id) <> '{}'), false) of_others
    from lease l where l.worker_id = v_worker.id and l.fence >= v_worker.oldest_fence) l
  where c.id = v_worker.class_id;
  if v_now.is_held or v_now.accounts is null and (v_now.leases = 0 or not has_slots_to_fill(v_worker)) then
    return;
  end if;
  v_fence := nextval('fence_seq');
  if v_now.accounts = 1 and v_now.quota_seconds is null and not v_now.of_others then
    v_given := take_alone(v_worker, v_bucket, v_work, p_max_tasks, p_models, v_now.spot, v_now.account, v_now.leases > 0, v_now.half_life, v_fence, p_now);
  end if;
  if v_given.jobs is null then
    v_given := take_turns(v_worker, v_bucket, v_work, p_max_tasks, p_models, v_now.clock, v_now.half_life, v_fence, p_now);
  end if;
  if v_given.jobs is null then
    return;
  end if;

  -- The clock follows the account that is furthest behind; when nobody waits, the one served last.
  update class_state c set version = n.version + 1, vclock = n.vclock
  from (select o.ctid spot, o.version, coalesce((select s.vtime from account_state s where s.class_id = v_worker.class_id and s.ready > 0 and s.slots < s.cap
        and not s.paused and not s.spent and s.vtime >= v_now.clock order by s.vtime limit 1), v_given.finish) vclock
    from class_state o where o.class_id = v_worker.class_id order by o.version desc limit 1) n
  where c.ctid = n.spot and n.vclock > v_now.clock;

  select min(id), max(id) into v_low, v_high from unnest(v_given.jobs) u(id);
  with started as (
    update job j set state = 'running', started_at = p_now, last_event = j.last_event + 1, revision = j.revision + 1
    where j.id = any(v_given.jobs) and j.id between v_low and v_high and j.state = 'queued'
    returning j.id, j.team_id, j.last_event, j.timeout_seconds
  )
  select array_agg(s.id), array_agg(s.last_event), array_agg(s.team_id), array_agg(s.timeout_seconds)
  into v_started, v_events, v_teams, v_timeouts from started s;
  fence := v_fence;
  jobs := v_given.jobs;
  tasks := v_given.tasks;
  attempts := v_given.attempts;
  ests := v_given.ests;
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

-- As before (0040); a single task that is no merge is read by itself. Gives the worker tasks, as claim_v2 does, with a row a job: tasks and the arrays beside it have an element per task, in the
-- order of the tasks; places says where each stands among all tasks of the claim, from 1.
create or replace function claim_v3(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25, p_max_tasks int default 64,
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
  v_taken := take(p_worker_id, p_epoch, p_max_seconds, p_max_tasks, p_memory_bucket, p_models, p_now);
  if cardinality(v_taken.jobs) = 1 then
    return query
    select v_taken.fence, j.id, false, j.kind, j.kind_version, j.args, l.model, v_taken.tasks, v_taken.attempts, v_taken.ests, array[1], array[t.items],
      array[t.input], null::bytea[], null::json
    from job j join lane l on l.id = j.lane_id join task t on t.job_id = j.id and t.seq = v_taken.tasks[1]
    where j.id = v_taken.jobs[1] and v_taken.tasks[1] < j.tasks_total;
  end if;
  if v_taken.jobs is null or found then
    return;
  end if;
  return query
  select v_taken.fence, a.job_id, a.is_merge, a.kind, a.kind_version, a.args, a.model, a.tasks, a.attempts, a.ests, a.places, a.items, a.inputs,
    a.partials, a.summary
  from leased_jobs(v_taken.jobs, v_taken.tasks, v_taken.attempts, v_taken.ests) a;
end
$$;
