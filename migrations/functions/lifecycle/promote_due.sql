-- Duty, every second: moves due scheduled jobs and retries into their lanes, one class per call, at most p_limit rows.
-- Returns the number; call again while it is p_limit.
create or replace function promote_due(p_limit int default 1000, p_now timestamptz default clock_timestamp())
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
      select ctid from scheduled where class_id = v_class and run_at <= p_now order by run_at limit p_limit))
    returning scheduled
  )
  select array_agg(scheduled) into v_due from due;
  with promoted as (
    update job j set state = 'queued', last_event = j.last_event + 1, revision = j.revision + 1
    from unnest(v_due) d where j.id = d.job_id and d.task is null and j.state = 'scheduled'
    returning j.id, j.team_id, j.last_event
  ), told as (
    insert into event (job_id, n, team_id, at, type) select id, last_event, team_id, p_now, 'queued' from promoted
  )
  select array_agg(id) into v_jobs from promoted;
  perform push_ready(v_class, array_agg(r.lane_id order by r.run_at, r.job_id, r.seq),
    array_agg(r.job_id order by r.run_at, r.job_id, r.seq), array_agg(r.seq order by r.run_at, r.job_id, r.seq),
    array_agg(r.est order by r.run_at, r.job_id, r.seq), array_agg(r.attempt order by r.run_at, r.job_id, r.seq),
    array_agg(r.crashes order by r.run_at, r.job_id, r.seq), p_now)
  from (
    select d.run_at, d.job_id, d.attempt, d.crashes, d.lane_id, t.seq, t.est_seconds est
    from unnest(v_due) d
    cross join lateral (select x.seq, x.est_seconds from job_task x where x.job_id = d.job_id offset 0) t
    where d.task is null
    union all
    select d.run_at, d.job_id, d.attempt, d.crashes, d.lane_id, d.task, d.est_seconds from unnest(v_due) d
      where d.task is not null) r;
  perform notify_jobs(v_jobs);
  return coalesce(cardinality(v_due), 0);
end
$$;
