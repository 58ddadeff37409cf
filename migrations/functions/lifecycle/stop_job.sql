-- Ends a job early: immediately if nothing is running, else through its workers, which are notified (cancelling).
-- p_error null: the job was cancelled by request; otherwise it fails with this error. Returns the job's state, finished
-- (too late) or not_found.
create or replace function stop_job(p_team_id bigint, p_job_id bigint, p_error text, p_now timestamptz)
returns text language plpgsql as $$
declare
  v_job job;
  v_class smallint;
  v_workers int[];
  v_merging boolean;
begin
  perform from unnest(leases_of_job(p_job_id)) f join lease l on l.fence = f order by l.fence for update of l;
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
    -- A merge task has a separate lane with few tasks.
    select l.id, s.heads[array_position(s.lanes, l.id)] head from lane l join account a on a.id = l.account_id
    cross join lateral (select * from account_state z where z.account_id = a.id order by z.version desc limit 1) s
    where case when v_merging then a.team_id = v_job.team_id
      and a.class_id = (select id from device_class where name = 'host') and l.kind = v_job.kind
      else l.id = v_job.lane_id end
  ), gone as (
    delete from ready r using line where r.lane_id = line.id and r.job_id = p_job_id
      and r.seq >= v_job.ready_first and r.seq <= v_job.ready_last
      and r.seq > line.head
    returning r.lane_id
  ), lost as (
    select lane_id, count(*)::int n from gone group by 1
  )
  update account_state t set version = s.version + 1, ready = s.ready - lost.n, lanes = coalesce(m.lanes, '{}'),
    heads = coalesce(m.heads, '{}'), counts = coalesce(m.counts, '{}')
  from lost join lane l on l.id = lost.lane_id
  cross join lateral (
    select z.ctid spot, z.* from account_state z where z.account_id = l.account_id order by z.version desc limit 1) s
  cross join lateral (
    select array_agg(u.lane_id) lanes, array_agg(u.head) heads,
      array_agg(u.n - case when u.lane_id = l.id then lost.n else 0 end) counts
    from unnest(s.lanes, s.heads, s.counts) u(lane_id, head, n)
    where u.n > case when u.lane_id = l.id then lost.n else 0 end) m
  where t.ctid = s.spot;

  v_workers := array(select distinct l.worker_id from unnest(leases_of_job(p_job_id)) f
    cross join lateral (select * from lease x where x.fence = f offset 0) l);
  update job set
    state = case when v_workers <> '{}' then 'cancelling' when p_error is null then 'cancelled' else 'failed' end,
    error = case when v_workers = '{}' then p_error end, stop_error = p_error, cancel_requested_at = p_now,
    finished_at = case when v_workers = '{}' then p_now end, last_event = last_event + 1, revision = revision + 1
  where id = p_job_id returning * into v_job;
  insert into event (job_id, n, team_id, at, type, data)
  select p_job_id, v_job.last_event, v_job.team_id, p_now, 'cancelling',
    json_strip_nulls(json_build_object('error', p_error)) where v_job.finished_at is null;
  perform note_standing(array[p_job_id]);
  perform announce_job_ends(array[p_job_id]);
  perform pg_notify('plimsoll_worker', w::text) from unnest(v_workers) w;
  perform notify_jobs(array[p_job_id]);
  return v_job.state;
end
$$;
