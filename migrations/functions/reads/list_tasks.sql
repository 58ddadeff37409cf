-- The tasks of a job after p_after, by number; the merge task is not among them. state: done; failed (it was
-- quarantined); running; waiting (also for its next attempt); cancelled (the job ended before). attempt: number of the
-- latest attempt, 0 without one; node to items_failed are that attempt's, as in list_attempts, error is the latest.
-- Null conditions let everything pass; p_error is part of an error, ignoring case, escaped as within a JSON string.
-- At most p_examined tasks are read; examined_to is the last of them if there may be more. One row without a task: none
-- was found. Indexes task_<day>_pkey, result_<day>_pkey, attempt_<day>_pkey, and leases by leases_of_job.
create or replace function list_tasks(p_team_id bigint, p_job_id bigint, p_after int, p_state text, p_node text,
  p_device text, p_attempt int, p_error text, p_examined int, p_limit int)
returns table (examined_to int, task int, first_item bigint, items int, state text, attempt smallint, node text,
  device text, device_class text, started_at timestamptz, ended_at timestamptz, seconds float8, items_ok int,
  items_failed int, error text)
language plpgsql stable security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_job job;
begin
  perform assert_team(p_team_id);
  select * into v_job from job j where j.id = p_job_id and j.team_id = p_team_id;
  if not found then
    return;
  end if;
  return query
  with running as materialized (
    select u.task, u.attempt, l.worker_id, l.claimed_at
    from unnest(leases_of_job(p_job_id)) f(fence) join lease l on l.fence = f.fence
      cross join unnest(l.jobs, l.tasks, l.attempts) u(job_id, task, attempt)
    where u.job_id = p_job_id
  ), examined as materialized (
    (select t.seq, t.first_item, t.items from task t where t.job_id = p_job_id and t.seq > p_after
    order by t.seq limit p_examined)
    union all
    select 0, 0, v_job.items_total::int where v_job.est_seconds is not null and p_after < 0
  ), told as (
    select e.seq, e.first_item, e.items,
      case when r.state = 'done' then 'done' when r.state is not null then 'failed'
        when u.task is not null then 'running' when v_job.finished_at is not null then 'cancelled'
        else 'waiting' end as state,
      coalesce(r.attempt, u.attempt, a.attempt, 0::smallint) as attempt, w.node, w.device, c.name as device_class,
      case when r.state = 'done' then r.finished_at - make_interval(secs => r.seconds / w.speed)
        when u.task is not null then u.claimed_at else a.claimed_at end as started_at,
      case when r.state is not null then r.finished_at when u.task is null then a.at end as ended_at,
      case when r.state = 'done' then r.seconds / w.speed::float8 end as seconds,
      r.items_ok, r.items_failed, case when r.state is distinct from 'done' then coalesce(r.error, a.error) end as error
    from examined e
    left join running u on u.task = e.seq
    left join lateral (
      select x.state, x.attempt, x.worker_id, x.finished_at, x.seconds, x.items_ok, x.items_failed, x.error
      from result x where x.job_id = p_job_id and x.seq = e.seq offset 0) r on true
    left join lateral (
      select x.attempt, x.worker_id, x.claimed_at, x.at, x.error from attempt x
      where x.job_id = p_job_id and x.seq = e.seq order by x.fence desc limit 1) a on true
    left join lateral (
      select x.node, x.device, x.class_id, x.speed from worker x
      where x.id = coalesce(r.worker_id, u.worker_id, a.worker_id) offset 0) w on true
    left join device_class c on c.id = w.class_id
  )
  select s.examined_to, f.*
  from (select case when count(*) = p_examined then max(e.seq) end as examined_to from examined e) s
    left join lateral (
      select t.* from told t
      where (p_state is null or t.state = p_state) and (p_node is null or t.node = p_node)
        and (p_device is null or t.device = p_device) and (p_attempt is null or t.attempt >= p_attempt)
        and (p_error is null or strpos(lower(case when left(t.error, 12) = '{"message":"'
          then substr(t.error, 13, length(t.error) - 14) else t.error end), lower(p_error)) > 0)
      order by t.seq limit p_limit) f on true
  order by f.seq;
end
$$;
