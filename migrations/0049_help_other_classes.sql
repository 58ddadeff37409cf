-- Formerly: f001d3839fa5367e93e1f0321b9d6b9fda1399a177724af835894c1424522d78
-- Workers help: one to which its own class gives nothing takes tasks of another class, of kinds of which every device finds
-- the same. The job keeps its lane and its class, the lease is that class's, and the account pays what was estimated for
-- the class's own devices, whatever the helper takes.
set local role plimsoll_owner;
set local search_path = plimsoll;

-- 'waves:3': what it also runs for other classes. In steps: PostgreSQL 15.20 refuses a column that comes with a default to a table
-- whose row type functions use.
alter table worker add helps text[];
update worker set helps = '{}';
alter table worker alter helps set default '{}', alter helps set not null;

set local role plimsoll_queue;
set local search_path = plimsoll;

-- As register_worker_v1; p_helps: those of p_kinds of which this worker also runs tasks of other classes.
create function register_worker_v2(p_node text, p_device text, p_device_class text, p_kinds text[], p_capabilities text[],
  p_memory_bucket smallint, p_speed real, p_info json, p_helps text[], p_now timestamptz default clock_timestamp())
returns table (worker_id int, epoch int) language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  select r.worker_id, r.epoch into worker_id, epoch
  from register_worker_v1(p_node, p_device, p_device_class, p_kinds, p_capabilities, p_memory_bucket, p_speed, p_info, p_now) r;
  if worker_id is not null then
    update worker w set helps = p_helps where w.id = worker_id;
    return next;
  end if;
end
$$;

-- What the worker takes for a second that was estimated for a task of the kind ('waves:3'), as it last said; null: it has
-- run none of them yet.
create function slowness(p_worker worker, p_kind text) returns float8 language sql stable
return (p_worker.telemetry -> 'slowness' ->> p_kind)::float8;

-- The worker as a guest of another class: as if it were a device of that class, for the kinds that it helps with.
create function as_guest(p_worker worker, p_class_id smallint) returns worker language plpgsql stable as $$
begin
  p_worker.class_id := p_class_id;
  p_worker.kinds := p_worker.helps;
  return p_worker;
end
$$;

-- What a guest may take: the next p_tasks tasks of lane p_lane_id, all of one job of this account. tasks is null: nothing.
-- The first account in turn that has something, and its lanes by age, as in every claim.
--
-- A job must not end later for it. So a guest takes only what it will have done sooner than the devices of the class, by
-- themselves, would come to the end of what they run and of the job's tasks that are ready. All of that is estimated
-- seconds times slowness. A device that has run none of the kind is taken to be like the others of its class, and a guest
-- v_unknown times as slow as a device of the class, or the other way round where only the guest's slowness is known.
--
-- Not touched are: what has just become ready while a device of the class is idle, which is about to claim it; what a worker
-- died on, since whom it is left to is the class's business; and the last slots of an account, one for each device of the
-- class that could use it.
create function help_wanted(p_guest worker, p_bucket smallint, p_seconds float8, p_max_tasks int, p_now timestamptz,
  out spot tid, out account account_state, out lane_id int, out head bigint, out job_id bigint, out tasks int)
language plpgsql as $$
#variable_conflict use_column
declare
  v_unknown constant float8 := 4;
  v_clock constant float8 := class_clock(p_guest.class_id);
  v_most constant int := 16;  -- accounts, and lanes, that are looked at
  v_just constant interval := '1 second';
  v_looked_at constant int := 1000;  -- tasks of a lane: what stands behind would only make the job wait longer
  v_line record;
  v_class record;
  v_own float8;
begin
  for v_line in
    select t.spot, t.account, l lane, l.kind || ':' || l.kind_version kind, u.head, h.job_id, h.since, t.quota_left
    from (
      select s.ctid spot, s account, s.vtime, s.account_id, s.lanes, s.heads,
        coalesce(s.quota_seconds - period_used(s.period_seconds, s.period_start, s.quota_period, p_now), 'infinity') quota_left
      from account_state s
      where s.class_id = p_guest.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.spent and s.vtime >= v_clock
        and exists (select from unnest(s.lanes) u(id) join lane l on l.id = u.id where lane_fits(l, p_guest, p_bucket))
      order by s.vtime limit v_most) t
    cross join unnest(t.lanes, t.heads) u(lane_id, head) join lane l on l.id = u.lane_id
    cross join lateral (
      select x.job_id, x.seq, x.since, x.crashes from ready x where x.lane_id = u.lane_id and x.seq > u.head order by x.seq limit 1) h
    where lane_fits(l, p_guest, p_bucket) and h.crashes = 0
    order by t.vtime, t.account_id, aged_priority(l.priority, h.since, p_now) desc, h.seq limit v_most
  loop
    -- rate: estimated seconds that the class gets done in a second; left: estimated seconds of what it runs.
    select count(*) filter (where not d.holds) free, bool_or(d.charges = 0) idle, sum(d.rate) rate, sum(greatest(0, d.charges - d.since * d.rate)) left, avg(d.slowness) slowness
    into v_class from (
      select b.*, b.speed / coalesce(b.slowness, avg(b.slowness) over (), slowness(p_guest, v_line.kind) / v_unknown, 1) rate from (
        select w.speed::float8 speed, slowness(w, v_line.kind) slowness, coalesce(x.charges, 0) charges, coalesce(x.since, 0) since, coalesce(x.holds, false) holds
        from worker w cross join lateral (
          select sum((select sum(c) from unnest(l.charges) c)::float8) charges, extract(epoch from p_now - min(l.claimed_at))::float8 since,
            bool_or((v_line.account).account_id = any(l.accounts)) holds
          from lease l where l.worker_id = w.id and l.fence >= w.oldest_fence) x
        where w.class_id = p_guest.class_id and w.state = 'active' and w.seen_at > p_now - lease_ttl()
          and lane_fits(v_line.lane, w, w.memory_bucket) and not is_held(w)) b) d;
    continue when (v_line.account).slots + v_class.free + 1 > (v_line.account).cap or v_class.idle and v_line.since > p_now - v_just;
    v_own := coalesce(slowness(p_guest, v_line.kind), v_unknown * coalesce(v_class.slowness, 1)) / p_guest.speed;
    select count(*) filter (where r.together and r.place <= p_max_tasks and r.upto <= v_line.quota_left
      and (r.upto - r.est_seconds) * v_own < p_seconds
      and coalesce(r.upto * v_own < (v_class.left + r.job_seconds) / v_class.rate, true))  -- no device of the class is there
    into tasks from (
      select x.est_seconds, row_number() over line place, sum(x.est_seconds::float8) over line upto,
        bool_and(x.job_id = v_line.job_id and x.crashes = 0) over line together,
        sum(x.est_seconds::float8) filter (where x.job_id = v_line.job_id) over () job_seconds
      from (select y.* from ready y where y.lane_id = (v_line.lane).id and y.seq > v_line.head order by y.seq limit v_looked_at) x
      window line as (order by x.seq rows unbounded preceding)) r;
    if tasks > 0 then
      spot := v_line.spot;
      account := v_line.account;
      lane_id := (v_line.lane).id;
      head := v_line.head;
      job_id := v_line.job_id;
      return;
    end if;
  end loop;
  tasks := null;
end
$$;

-- Leases to a guest what it may take (help_wanted); the caller holds the class's lock. jobs is null: nothing.
create function take_as_guest(p_guest worker, p_bucket smallint, p_seconds float8, p_max_tasks int, p_now timestamptz,
  out fence bigint, out jobs bigint[], out tasks int[], out attempts smallint[], out ests real[])
language plpgsql as $$
#variable_conflict use_column
declare
  v_wanted record;
  v_old account_state;
  v_spots tid[];
  v_head bigint;
  v_charge float8;
  v_finish float8;
  v_job job;
begin
  select * into v_wanted from help_wanted(p_guest, p_bucket, p_seconds, p_max_tasks, p_now);
  if v_wanted.tasks is null then
    return;
  end if;
  v_old := v_wanted.account;
  select array_agg(r.spot), array_agg(r.job_id), array_agg(r.task), array_agg(r.attempt), array_agg(r.est_seconds), max(r.seq), sum(r.est_seconds::float8)
  into v_spots, jobs, tasks, attempts, ests, v_head, v_charge from (
    select x.ctid spot, x.seq, x.job_id, x.task, x.attempt, x.est_seconds from ready x
    where x.lane_id = v_wanted.lane_id and x.seq > v_wanted.head order by x.seq limit v_wanted.tasks) r;
  fence := nextval('fence_seq');
  v_finish := v_old.vtime + v_charge / v_old.weight;

  delete from ready where ctid = any(v_spots);
  update account_state t set version = v_old.version + 1, vtime = v_finish, ready = v_old.ready - v_wanted.tasks, slots = v_old.slots + 1,
    used = faded(v_old.used, v_old.used_at, p_now, c.half_life_seconds) + v_charge, used_at = p_now,
    period_start = quota_start(v_old.quota_period, p_now),
    period_seconds = period_used(v_old.period_seconds, v_old.period_start, v_old.quota_period, p_now) + v_charge,
    lanes = coalesce(m.lanes, '{}'), heads = coalesce(m.heads, '{}'), counts = coalesce(m.counts, '{}')
  from device_class c cross join (
    select array_agg(k.lane_id) lanes, array_agg(k.head) heads, array_agg(k.n) counts from (
      select u.lane_id, case when u.lane_id = v_wanted.lane_id then v_head else u.head end head,
        u.n - case when u.lane_id = v_wanted.lane_id then v_wanted.tasks else 0 end n
      from unnest(v_old.lanes, v_old.heads, v_old.counts) u(lane_id, head, n)) k where k.n > 0) m
  where t.ctid = v_wanted.spot and c.id = p_guest.class_id;
  insert into lease (fence, worker_id, epoch, class_id, claimed_at, jobs, tasks, lanes, charges, attempts, crashes, accounts)
  values (fence, p_guest.id, p_guest.epoch, p_guest.class_id, p_now, jobs, tasks, array_fill(v_wanted.lane_id, array[v_wanted.tasks]), ests, attempts,
    array_fill(0::smallint, array[v_wanted.tasks]), array_fill(v_old.account_id, array[v_wanted.tasks]));

  -- The clock follows the account that is furthest behind; when nobody waits, the one served last.
  update class_state c set version = n.version + 1, vclock = n.vclock
  from (select o.ctid spot, o.version, o.vclock old_clock, coalesce((select s.vtime from account_state s where s.class_id = p_guest.class_id and s.ready > 0
        and s.slots < s.cap and not s.paused and not s.spent and s.vtime >= o.vclock order by s.vtime limit 1), v_finish) vclock
    from class_state o where o.class_id = p_guest.class_id order by o.version desc limit 1) n
  where c.ctid = n.spot and n.vclock > n.old_clock;

  update job j set state = 'running', started_at = p_now, last_event = j.last_event + 1, revision = j.revision + 1
  where j.id = v_wanted.job_id and j.state = 'queued' returning * into v_job;
  if found then
    insert into event (job_id, n, team_id, at, type) values (v_job.id, v_job.last_event, v_job.team_id, p_now, 'started');
    insert into overdue (at, job_id) select p_now + make_interval(secs => v_job.timeout_seconds), v_job.id where v_job.timeout_seconds is not null;
    perform notify_jobs(array[v_job.id]);
  end if;
end
$$;

-- Gives a worker tasks of another class than its own, as claim_v3 does of its own: of one job, of a kind that it helps
-- with, about p_max_seconds of its own time. Merges, and what else stands in the host's lanes, are not for guests. A worker
-- asks when its own class gave it nothing, and claims nothing else while it holds such a lease: an answer that got lost
-- must be followed by retire_worker_v1 and a new epoch. Nothing is given to a worker that holds anything.
create function claim_elsewhere_v1(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25, p_max_tasks int default 64,
  p_memory_bucket smallint default null, p_now timestamptz default clock_timestamp())
returns table (fence bigint, job_id bigint, is_merge boolean, kind text, kind_version smallint, args json, model text, tasks int[], attempts smallint[],
  est_seconds real[], places int[], items int[], inputs bytea[], partials bytea[], summary json)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_worker worker;
  v_guest worker;
  v_class smallint;
  v_bucket smallint;
  v_taken record;
begin
  -- Whoever ends a worker's leases holds its row for update: no lease is made behind their back.
  select * into v_worker from worker w where w.id = p_worker_id for key share;
  if not found or not worker_is_alive(v_worker, p_epoch, p_now) then
    raise exception 'worker % epoch % is not registered or expired', p_worker_id, p_epoch using errcode = 'PLM01';
  end if;
  if v_worker.state = 'draining' or v_worker.helps = '{}'
    or exists (select from lease l where l.worker_id = p_worker_id and l.fence >= v_worker.oldest_fence) then
    return;
  end if;
  v_bucket := coalesce(p_memory_bucket, v_worker.memory_bucket);
  for v_class in select c.id from device_class c where c.id <> v_worker.class_id and c.name <> 'host' order by c.id loop
    v_guest := as_guest(v_worker, v_class);
    -- An idle worker that looks around does not queue for the locks of other classes.
    continue when (select h.tasks from help_wanted(v_guest, v_bucket, p_max_seconds, p_max_tasks, p_now) h) is null;
    perform lock_class(v_class);
    -- Under the lock, under which holds are made and lifted.
    continue when is_held(v_worker) or is_held(v_guest);
    select * into v_taken from take_as_guest(v_guest, v_bucket, p_max_seconds, p_max_tasks, p_now);
    continue when v_taken.jobs is null;
    return query
    select v_taken.fence, a.job_id, a.is_merge, a.kind, a.kind_version, a.args, a.model, a.tasks, a.attempts, a.ests, a.places, a.items, a.inputs,
      a.partials, a.summary
    from leased_jobs(v_taken.jobs, v_taken.tasks, v_taken.attempts, v_taken.ests) a;
    return;
  end loop;
end
$$;

-- Holds begin and end under the locks of all classes: a worker of any may claim in another.
create or replace function lock_held_classes(p_scope text, p_subject text) returns void language plpgsql as $$
declare
  v_class smallint;
begin
  for v_class in select c.id from device_class c order by c.id loop
    perform lock_class(v_class);
  end loop;
end
$$;

-- What the accounts of a helper's lease pay for its tasks, in its seconds: what was charged. How long a device of another
-- class took says nothing of what the class's own would have.
create function charged_seconds(p_lease lease, p_speed real, p_jobs bigint[], p_tasks int[]) returns real[] language plpgsql as $$
begin
  return array(select (p_lease.charges[p.pos] / p_speed)::real from unnest(positions(p_jobs, p_tasks, p_lease.jobs, p_lease.tasks)) with ordinality p(pos, ord)
    order by p.ord);
end
$$;

-- Records what came of tasks. verdict per task: accepted; cancelled (not recorded: the job is being
-- cancelled); replayed (this fence recorded it before: the answer was lost, all is well); stale (another
-- run owns the task now: forget it).
create or replace function complete_v1(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[], p_outcomes text[],
  p_contents bytea[], p_partials bytea[], p_items_ok int[], p_items_failed int[], p_seconds real[], p_errors text[], p_delays real[],
  p_now timestamptz default clock_timestamp())
returns table (job_id bigint, task int, verdict text)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_lease lease;
  v_worker worker;
  v_positions int[];
  v_fates text[];
begin
  if not coalesce(cardinality(p_jobs) = all (array[cardinality(p_tasks), cardinality(p_outcomes), cardinality(p_contents), cardinality(p_partials),
      cardinality(p_items_ok), cardinality(p_items_failed), cardinality(p_seconds), cardinality(p_errors), cardinality(p_delays)]), false)
    or exists (select from unnest(p_outcomes) o where o is null or o not in ('done', 'retry', 'final')) then
    raise exception 'arrays differ in length or an outcome is unknown' using errcode = 'invalid_parameter_value';
  end if;
  select * into v_lease from lease where fence = p_fence for update;
  -- A lease names no task twice: whoever completes the whole of it cannot either.
  if (p_jobs = v_lease.jobs and p_tasks = v_lease.tasks) is not true
    and (select count(*) <> count(distinct (j, t)) from unnest(p_jobs, p_tasks) u(j, t)) then
    raise exception 'a task is named twice' using errcode = 'invalid_parameter_value';
  end if;
  select * into v_worker from worker where id = p_worker_id;
  if v_lease.class_id <> v_worker.class_id then
    p_seconds := charged_seconds(v_lease, v_worker.speed, p_jobs, p_tasks);
  end if;
  if v_lease.worker_id = p_worker_id and v_lease.epoch = p_epoch and worker_is_alive(v_worker, p_epoch, p_now) then
    if p_jobs = v_lease.jobs and p_tasks = v_lease.tasks and 'done' = all(p_outcomes)
        and settle_done(v_lease, v_worker, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_now) then
      return query select u.job_id, u.task, 'accepted' from unnest(p_jobs, p_tasks) u(job_id, task);
      return;
    end if;
    v_positions := positions(p_jobs, p_tasks, v_lease.jobs, v_lease.tasks);
  end if;
  if array_position(v_positions, null) is null and v_positions <> '{}' then
    return query select u.job_id, u.task, case u.fate when 'dropped' then 'cancelled' else 'accepted' end
    from unnest(p_jobs, p_tasks, settle(p_fence, v_positions, p_outcomes, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_errors,
      p_delays, p_now)) u(job_id, task, fate);
    return;
  elsif array_remove(v_positions, null) <> '{}' then
    v_fates := settle(p_fence, array_agg(u.pos order by u.ord), array_agg(u.outcome order by u.ord),
        array_agg(u.content order by u.ord), array_agg(u.partial order by u.ord), array_agg(u.ok order by u.ord), array_agg(u.failed order by u.ord),
        array_agg(u.seconds order by u.ord), array_agg(u.error order by u.ord), array_agg(u.delay order by u.ord), p_now)
      from unnest(v_positions, p_outcomes, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_errors, p_delays)
        with ordinality u(pos, outcome, content, partial, ok, failed, seconds, error, delay, ord)
      where u.pos is not null;
  end if;
  -- Some were not in the lease: recorded by it before, or not its own.
  return query
  select u.job_id, u.task, case
      when u.pos is not null then case v_fates[count(u.pos) over (order by u.ord)] when 'dropped' then 'cancelled' else 'accepted' end
      when exists (select from result r where r.job_id = u.job_id and r.seq = u.task and r.fence = p_fence)
        or exists (select from attempt a where a.job_id = u.job_id and a.seq = u.task and a.fence = p_fence and a.outcome <> 'worker_lost')
        or exists (select from report r join job j on j.id = r.job_id where r.job_id = u.job_id and u.task = j.tasks_total and r.fence = p_fence)
        then 'replayed'
      else 'stale' end
  from unnest(p_jobs, p_tasks, v_positions) with ordinality u(job_id, task, pos, ord) order by u.ord;
end
$$;

-- As complete_v1, for what a worker does: one verdict for the whole call, which is stale only if every task is, and accepted if
-- any was. p_outcomes, p_errors and p_delays are null where all tasks are done.
create or replace function complete_v2(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[], p_contents bytea[], p_partials bytea[],
  p_items_ok int[], p_items_failed int[], p_seconds real[], p_outcomes text[] default null, p_errors text[] default null, p_delays real[] default null,
  p_now timestamptz default clock_timestamp())
returns text language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_lease lease;
  v_worker worker;
  v_count constant int := cardinality(p_jobs);
begin
  if p_outcomes is null and v_count = all (array[cardinality(p_tasks), cardinality(p_contents), cardinality(p_partials), cardinality(p_items_ok),
      cardinality(p_items_failed), cardinality(p_seconds)]) then
    select * into v_lease from lease where fence = p_fence for update;
    if p_jobs = v_lease.jobs and p_tasks = v_lease.tasks and v_lease.worker_id = p_worker_id and v_lease.epoch = p_epoch then
      select * into v_worker from worker where id = p_worker_id;
      if v_lease.class_id = v_worker.class_id and worker_is_alive(v_worker, p_epoch, p_now) and settle_done(v_lease, v_worker, p_contents, p_partials, p_items_ok, p_items_failed, p_seconds, p_now) then
        return 'accepted';
      end if;
    end if;
  end if;
  return (select case when bool_or(c.verdict in ('accepted', 'cancelled')) then 'accepted' when bool_or(c.verdict = 'replayed') then 'replayed' else 'stale' end
    from complete_v1(p_worker_id, p_epoch, p_fence, p_jobs, p_tasks, coalesce(p_outcomes, array_fill('done'::text, array[v_count])), p_contents, p_partials,
      p_items_ok, p_items_failed, p_seconds, coalesce(p_errors, array_fill(null::text, array[v_count])),
      coalesce(p_delays, array_fill(null::real, array[v_count])), p_now) c);
end
$$;

grant execute on function register_worker_v2, claim_elsewhere_v1 to plimsoll_worker;
