-- Stopping what is past its time, and another go at what failed.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- Ends a job before its time: at once when nothing runs, else through its workers, which are told (cancelling).
-- p_error null: somebody asked for it, and it ends cancelled; otherwise it fails with that. Answers the job's state,
-- finished (too late), or not_found.
create function stop_job(p_team_id bigint, p_job_id bigint, p_error text, p_now timestamptz)
returns text language plpgsql as $$
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
  update job set state = case when v_workers <> '{}' then 'cancelling' when p_error is null then 'cancelled' else 'failed' end,
    error = case when v_workers = '{}' then p_error end, stop_error = p_error, cancel_requested_at = p_now, finished_at = case when v_workers = '{}' then p_now end,
    last_event = last_event + 1, revision = revision + 1
  where id = p_job_id returning * into v_job;
  insert into event (job_id, n, team_id, at, type, data) values (p_job_id, v_job.last_event, v_job.team_id, p_now,
    case v_job.state when 'cancelling' then 'cancelling' else 'finished' end,
    json_strip_nulls(json_build_object('state', nullif(v_job.state, 'cancelling'), 'error', p_error)));
  perform pg_notify('plimsoll_worker', w::text) from unnest(v_workers) w;
  perform notify_jobs(array[p_job_id]);
  return v_job.state;
end
$$;

-- Cancels: cancelled (nothing ran), cancelling (workers are told), finished (too late), not_found.
create or replace function cancel_v1(p_team_id bigint, p_job_id bigint, p_now timestamptz default clock_timestamp())
returns text language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return stop_job(p_team_id, p_job_id, null, p_now);
end
$$;

-- Stops a job whose deadline or timeout has passed, one a call (class locks are taken in order): call again while it
-- answers a row. outcome: failed, cancelling (its workers are told), or passed: it had ended, or has more time now.
create function end_overdue_v1(p_now timestamptz default clock_timestamp())
returns table (job_id bigint, outcome text) language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_job job;
  v_error text;
begin
  delete from overdue where ctid = (select o.ctid from overdue o where o.at <= p_now order by o.at limit 1 for update skip locked)
  returning overdue.job_id into job_id;
  if not found then
    return;
  end if;
  select * into v_job from job j where j.id = job_id;
  v_error := case
    when v_job.deadline <= p_now then format('The job was not done by its deadline, %s UTC.', to_char(v_job.deadline at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'))
    when v_job.started_at + make_interval(secs => v_job.timeout_seconds) <= p_now then
      format('The job was stopped: it had run for %s s, its timeout.', v_job.timeout_seconds) end;
  outcome := 'passed';
  if v_error is not null and v_job.state <> 'cancelling' and v_job.finished_at is null then
    outcome := stop_job(v_job.team_id, job_id, v_error, p_now);
  end if;
  return next;
end
$$;

-- Runs again what jobs that have ended did not get done; what they did is kept. outcome: redriven; unfinished;
-- complete (nothing failed: all its tasks are done); no_dataset (it has been deleted); not_unique (another job has its
-- unique key); not_found. At most about 100 jobs a
-- call: the locks of their device classes are held. A deadline that has passed holds no longer.
create function redrive_v1(p_team_id bigint, p_jobs bigint[], p_now timestamptz default clock_timestamp())
returns table (job_id bigint, outcome text) language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_job job;
  v_class smallint;
  v_tasks int[];
  v_ests real[];
  v_failed bigint;
begin
  -- A deletion of a dataset waits for this, and then sees the job.
  perform from dataset d where d.id in (select j.dataset_id from job j where j.id = any(p_jobs) and j.team_id = p_team_id)
    order by d.id for key share;
  -- Before the classes' locks, as a submit does.
  perform from unique_key k where k.team_id = p_team_id
      and k.key in (select j.unique_key from job j where j.id = any(p_jobs) and j.team_id = p_team_id)
    order by k.team_id, k.key for update;
  for v_class in select c.id from device_class c
    where c.name = 'host' or c.name in (select j.device_class from job j where j.id = any(p_jobs) and j.team_id = p_team_id) order by c.id loop
    perform lock_class(v_class);
  end loop;
  for job_id in select distinct u.id from unnest(p_jobs) u(id) order by u.id loop
    select * into v_job from job j where j.id = job_id and j.team_id = p_team_id for update;
    outcome := case
      when v_job.id is null then 'not_found'
      when v_job.finished_at is null then 'unfinished'
      when v_job.dataset_id is not null and not exists (select from dataset d where d.id = v_job.dataset_id) then 'no_dataset'
      when v_job.state = 'succeeded' and v_job.tasks_quarantined = 0 then 'complete'
      when exists (select from unique_key k join job j on j.id = k.job_id
        where k.team_id = p_team_id and k.key = v_job.unique_key and j.id <> v_job.id and j.finished_at is null) then 'not_unique'
      else 'redriven' end;
    if outcome = 'redriven' then
      insert into unique_key (team_id, key, job_id, taken_at) select p_team_id, v_job.unique_key, v_job.id, p_now where v_job.unique_key is not null
      on conflict (team_id, key) do update set job_id = excluded.job_id, taken_at = excluded.taken_at;
      with gone as (
        delete from result r where r.job_id = v_job.id and r.state = 'quarantined' returning r.items_failed
      )
      select coalesce(sum(g.items_failed), 0) into v_failed from gone g;
      select coalesce(array_agg(t.seq order by t.seq), '{}'), array_agg(t.est_seconds order by t.seq) into v_tasks, v_ests
      from task t where t.job_id = v_job.id and not exists (select from result r where r.job_id = v_job.id and r.seq = t.seq);
      delete from report r where r.job_id = v_job.id;
      update job j set state = 'queued', finished_at = null, started_at = null, error = null, stop_error = null, cancel_requested_at = null,
        tasks_left = cardinality(v_tasks), tasks_quarantined = 0, items_failed = j.items_failed - v_failed,
        deadline = case when j.deadline > p_now then j.deadline end, ready_first = null, ready_last = null,
        last_event = j.last_event + 1, revision = j.revision + 1
      where j.id = v_job.id returning * into v_job;
      insert into event (job_id, n, team_id, at, type, data)
      values (v_job.id, v_job.last_event, v_job.team_id, p_now, 'redriven', json_build_object('tasks', cardinality(v_tasks)));
      if v_tasks = '{}' then
        perform push_merges(array[v_job.id], p_now);
      else
        select c.id into strict v_class from device_class c where c.name = v_job.device_class;
        perform push(v_class, array_fill(v_job.lane_id, array[cardinality(v_tasks)]), array_fill(v_job.id, array[cardinality(v_tasks)]), v_tasks, v_ests,
          array_fill(1::smallint, array[cardinality(v_tasks)]), array_fill(0::smallint, array[cardinality(v_tasks)]), p_now);
      end if;
      perform notify_jobs(array[v_job.id]);
    end if;
    return next;
  end loop;
end
$$;

grant execute on function end_overdue_v1, redrive_v1 to plimsoll_app;
