-- What happens to workers and jobs from outside: registration, death, cancel, start times, deletion.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- A worker announces itself. The same (node, device) keeps its id and gets a new epoch; what the old
-- process still held runs elsewhere at once.
create function register_worker_v1(p_node text, p_device text, p_device_class text, p_kinds text[], p_capabilities text[],
  p_memory_bucket smallint, p_speed real, p_info json, p_now timestamptz default clock_timestamp())
returns table (worker_id int, epoch int) language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_worker worker;
  v_class smallint;
begin
  select id into v_class from device_class where name = p_device_class;
  if not found then
    raise exception 'unknown device class %', p_device_class using errcode = 'invalid_parameter_value';
  end if;
  select * into v_worker from worker w where w.node = p_node and w.device = p_device for update;
  if found then
    perform end_leases(v_worker, '{}', p_now, 'lost', p_now);
  end if;
  return query
  insert into worker as w (node, device, epoch, class_id, kinds, capabilities, memory_bucket, speed, info, state, registered_at, seen_at)
  values (p_node, p_device, 1, v_class, p_kinds, p_capabilities, p_memory_bucket, p_speed, p_info, 'active', p_now, p_now)
  on conflict (node, device) do update set epoch = w.epoch + 1, class_id = excluded.class_id, kinds = excluded.kinds,
    capabilities = excluded.capabilities, memory_bucket = excluded.memory_bucket, speed = excluded.speed, info = excluded.info,
    telemetry = null, progress = '{}', state = 'active', registered_at = p_now, seen_at = p_now
  returning w.id, w.epoch;
end
$$;

-- A worker leaves in order; what it still holds goes back without an attempt spent.
create function retire_worker_v1(p_worker_id int, p_epoch int, p_now timestamptz default clock_timestamp())
returns boolean language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_worker worker;
begin
  select * into v_worker from worker w where w.id = p_worker_id for update;
  if not found or not worker_is_alive(v_worker, p_epoch, p_now) then
    return false;
  end if;
  update worker set state = 'retired', progress = '{}' where id = p_worker_id;
  perform end_leases(v_worker, '{}', p_now, 'released', p_now);
  return true;
end
$$;

-- No new claims for this worker (or again); it hears of it in the heartbeat's answer.
create function drain_worker_v1(p_worker_id int, p_drain boolean) returns boolean
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  update worker set state = case when p_drain then 'draining' else 'active' end
  where id = p_worker_id and state in ('active', 'draining');
  perform pg_notify('plimsoll_worker', p_worker_id::text) where found;
  return found;
end
$$;

-- Ends the leases of workers that fell silent. One worker a call (class locks are taken in order): call
-- again while it answers a row.
create function expire_leases_v1(p_now timestamptz default clock_timestamp())
returns table (worker_id int, tasks int) language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_worker worker;
begin
  select * into v_worker from worker w where w.state in ('active', 'draining') and w.seen_at <= p_now - lease_ttl()
  order by w.id limit 1 for update skip locked;
  if found then
    update worker set state = 'lost', progress = '{}' where id = v_worker.id;
    return query select v_worker.id, end_leases(v_worker, '{}', p_now, 'lost', p_now);
  end if;
end
$$;

-- Cancels: cancelled (nothing ran), cancelling (workers are told), finished (too late), not_found.
create function cancel_v1(p_team_id bigint, p_job_id bigint, p_now timestamptz default clock_timestamp())
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
  from lost join lane l on l.id = lost.lane_id cross join lateral (select * from account_state z where z.account_id = l.account_id order by z.version desc limit 1) s
  cross join lateral (
    select array_agg(u.lane_id) lanes, array_agg(u.head) heads, array_agg(u.n - case when u.lane_id = l.id then lost.n else 0 end) counts
    from unnest(s.lanes, s.heads, s.counts) u(lane_id, head, n)
    where u.n > case when u.lane_id = l.id then lost.n else 0 end) m
  where t.account_id = s.account_id and t.version = s.version;

  v_workers := array(select distinct l.worker_id from unnest(fences_of(p_job_id)) f join lease l on l.fence = f);
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

-- Moves what is due into the lanes, one class a call, at most p_limit rows. Call again while it answers p_limit.
create function promote_due_v1(p_limit int default 1000, p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_class smallint;
  v_rows int;
  v_due scheduled[];
  v_jobs bigint[];
begin
  select c.id into v_class from device_class c
  where exists (select from scheduled s where s.class_id = c.id and s.run_at <= p_now) order by c.id limit 1;
  if not found then
    return 0;
  end if;
  perform lock_class(v_class);
  with due as (
    delete from scheduled where ctid = any(array(
      select ctid from scheduled where class_id = v_class and run_at <= p_now order by run_at limit p_limit)) returning scheduled
  )
  select array_agg(scheduled) into v_due from due;
  with promoted as (
    update job j set state = 'queued', last_event = j.last_event + 1, revision = j.revision + 1
    from unnest(v_due) d where j.id = d.job_id and d.task is null and j.state = 'scheduled' returning j.id, j.team_id, j.last_event
  ), told as (
    insert into event (job_id, n, team_id, at, type) select id, last_event, team_id, p_now, 'queued' from promoted
  )
  select array_agg(id) into v_jobs from promoted;
  perform push(v_class, array_agg(r.lane_id order by r.run_at, r.job_id, r.seq), array_agg(r.job_id order by r.run_at, r.job_id, r.seq),
    array_agg(r.seq order by r.run_at, r.job_id, r.seq), array_agg(r.est order by r.run_at, r.job_id, r.seq),
    array_agg(r.attempt order by r.run_at, r.job_id, r.seq), array_agg(r.crashes order by r.run_at, r.job_id, r.seq), p_now)
  from (
    select d.run_at, d.job_id, d.attempt, d.crashes, d.lane_id, t.seq, t.est_seconds est
    from unnest(v_due) d join task t on t.job_id = d.job_id where d.task is null
    union all
    select d.run_at, d.job_id, d.attempt, d.crashes, d.lane_id, d.task, d.est_seconds from unnest(v_due) d where d.task is not null) r;
  perform notify_jobs(v_jobs);
  return coalesce(cardinality(v_due), 0);
end
$$;

-- Removes a finished job with its texts and results at once: deleted, unfinished, not_found.
-- Its idempotency key stays, so that a late repeat of the submit does not run it again.
create function delete_job_v1(p_team_id bigint, p_job_id bigint) returns text
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_job job;
begin
  select * into v_job from job where id = p_job_id and team_id = p_team_id for update;
  if not found then
    return 'not_found';
  elsif v_job.finished_at is null then
    return 'unfinished';
  end if;
  delete from result where job_id = p_job_id;
  delete from report where job_id = p_job_id;
  delete from attempt where job_id = p_job_id;
  delete from event where job_id = p_job_id;
  delete from task where job_id = p_job_id;
  delete from job where id = p_job_id;
  perform notify_jobs(array[p_job_id]);
  return 'deleted';
end
$$;

-- Sets a team's share of a device class; null keeps the old value.
create function set_account_v1(p_team_id bigint, p_device_class text, p_weight float8, p_cap int, p_paused boolean)
returns void language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_class smallint;
  v_account int;
begin
  select id into v_class from device_class where name = p_device_class;
  if not found then
    raise exception 'unknown device class %', p_device_class using errcode = 'invalid_parameter_value';
  end if;
  perform lock_class(v_class);
  insert into account (team_id, class_id) values (p_team_id, v_class) on conflict do nothing returning id into v_account;
  if v_account is not null then
    insert into account_state (account_id, class_id) values (v_account, v_class);
  else
    select id into strict v_account from account where team_id = p_team_id and class_id = v_class;
  end if;
  update account_state t set version = o.version + 1, weight = coalesce(p_weight, o.weight), cap = coalesce(p_cap, o.cap),
    paused = coalesce(p_paused, o.paused), vtime = greatest(o.vtime, class_clock(v_class))
  from (select * from account_state z where z.account_id = v_account order by z.version desc limit 1) o where t.account_id = o.account_id and t.version = o.version;
  perform pg_notify('plimsoll_ready', p_device_class);
end
$$;

-- Forgets idempotency keys past their time.
create function expire_keys_v1(p_limit int default 10000, p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_count int;
begin
  delete from idempotency_key where (team_id, key) in (
    select k.team_id, k.key from idempotency_key k where k.expires_at <= p_now order by k.expires_at limit p_limit);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

-- All devices, with what they hold. seen: was heard of within the lease time.
create function devices_v1(p_now timestamptz default clock_timestamp())
returns table (worker_id int, node text, device text, device_class text, state text, seen boolean, memory_bucket smallint, kinds text[],
  capabilities text[], speed real, info json, telemetry json, tasks_running bigint, registered_at timestamptz, seen_at timestamptz)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select w.id, w.node, w.device, c.name, w.state, w.seen_at > p_now - lease_ttl(), w.memory_bucket, w.kinds, w.capabilities, w.speed, w.info,
    w.telemetry, coalesce((select sum(cardinality(l.jobs)) from lease l where l.worker_id = w.id and l.fence >= w.oldest_fence), 0),
    w.registered_at, w.seen_at
  from worker w join device_class c on c.id = w.class_id order by w.node, w.device;
end;

-- Items done by running tasks, over and above the job's own counters: a snapshot, not history.
create function job_progress_v1(p_job_id bigint) returns bigint
language plpgsql stable security definer set search_path = plimsoll, pg_temp as $$
begin
  return (select coalesce(sum((progress ->> p_job_id::text)::bigint), 0) from worker where progress ? p_job_id::text);
end
$$;
