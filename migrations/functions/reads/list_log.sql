-- The log of a job's attempts, by task, attempt and number. what: started (number 0), said (by its worker, text), ended
-- (1000), process_ended (1001, text: how the worker's process did). outcome, node to items_failed, and text where it
-- ended (its error): as in list_attempts. level: 1 info, 2 warning, 3 error. at: of a start that was not recorded, the
-- end minus the measured time; a start whose time is unknown is left out. Null conditions let everything pass; p_level
-- is the least, p_from is included, and p_to is not. Indexes result_<day>_pkey, attempt_<day>_pkey,
-- task_log_<day>_pkey, and leases by leases_of_job.
create or replace function list_log(p_team_id bigint, p_job_id bigint, p_task int, p_attempt int, p_level smallint,
  p_from timestamptz, p_to timestamptz, p_after_task int, p_after_fence bigint, p_after_n int, p_limit int)
returns table (task int, fence bigint, n int, merge boolean, attempt smallint, at timestamptz, level smallint,
  what text, text text, outcome text, node text, device text, device_class text, seconds float8, items_ok int,
  items_failed int)
language plpgsql stable security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_tasks int;
  v_first constant int := greatest(coalesce(p_task, 0), p_after_task);
  v_last constant int := coalesce(p_task, 2147483647);
begin
  perform assert_team(p_team_id);
  select j.tasks_total into v_tasks from job j where j.id = p_job_id and j.team_id = p_team_id;
  if not found then
    return;
  end if;
  return query
  select l.task, l.fence, l.n, l.task = v_tasks, l.attempt, l.at, l.level::smallint, l.what, l.text, l.outcome, w.node,
    w.device, c.name, l.seconds / w.speed::float8, l.items_ok, l.items_failed
  from (
    (select r.seq task, r.fence, v.n, r.attempt, v.at, v.level, v.what, r.error as text, r.state outcome, r.worker_id,
      r.seconds, r.items_ok, r.items_failed
    from result r
      cross join lateral (select case when r.state = 'done' then r.finished_at - make_interval(secs =>
          r.seconds / (select x.speed from worker x where x.id = r.worker_id))
        else (select t.claimed_at from attempt t where t.job_id = p_job_id and t.seq = r.seq and t.fence = r.fence)
        end claimed_at offset 0) b
      cross join lateral (values (0, b.claimed_at, 1, 'started'), (1000, r.finished_at,
        case when r.state <> 'done' then 3 when r.items_failed > 0 then 2 else 1 end, 'ended')) v(n, at, level, what)
    where r.job_id = p_job_id and r.seq between v_first and v_last
      -- Most tasks have nothing above info: they are passed over before their lines are made.
      and (coalesce(p_level, 1) <= 1 or r.state <> 'done' or r.items_failed > 0)
      and (r.seq, r.fence, v.n) > (p_after_task, p_after_fence, p_after_n)
      and (p_attempt is null or r.attempt = p_attempt) and (p_level is null or v.level >= p_level)
      and (p_from is null or v.at >= p_from) and (p_to is null or v.at < p_to) and v.at is not null
    order by r.seq, r.fence, v.n limit p_limit)
    union all
    (select t.seq, t.fence, v.n, t.attempt, v.at, v.level, v.what, t.error, t.outcome, t.worker_id, null, null, null
    from attempt t
      cross join lateral (values (0, t.claimed_at, 1, 'started'),
        (1000, t.at, case t.outcome when 'retry' then 2 else 3 end, 'ended')) v(n, at, level, what)
    where t.job_id = p_job_id and t.seq between v_first and v_last
      and (t.seq, t.fence, v.n) > (p_after_task, p_after_fence, p_after_n)
      and (p_attempt is null or t.attempt = p_attempt) and (p_level is null or v.level >= p_level)
      and (p_from is null or v.at >= p_from) and (p_to is null or v.at < p_to)
      -- A last attempt that failed permanently is in its result.
      and not exists (select from result r where r.job_id = t.job_id and r.seq = t.seq and r.fence = t.fence)
    order by t.seq, t.fence, v.n limit p_limit)
    union all
    (select u.task, l.fence, 0, u.attempt, l.claimed_at, 1, 'started', null, 'running', l.worker_id, null, null, null
    from unnest(leases_of_job(p_job_id)) f(fence) join lease l on l.fence = f.fence
      cross join unnest(l.jobs, l.tasks, l.attempts) u(job_id, task, attempt)
    where u.job_id = p_job_id and u.task between v_first and v_last
      and (u.task, l.fence, 0) > (p_after_task, p_after_fence, p_after_n)
      and (p_attempt is null or u.attempt = p_attempt) and coalesce(p_level, 1) <= 1
      and (p_from is null or l.claimed_at >= p_from) and (p_to is null or l.claimed_at < p_to)
    order by u.task, l.fence limit p_limit)
    union all
    (select t.seq, t.fence, t.n, t.attempt, t.at, t.level, case when t.n > 1000 then 'process_ended' else 'said' end,
      t.text, null, null, null, null, null
    from task_log t
    where t.job_id = p_job_id and t.seq between v_first and v_last
      and (t.seq, t.fence, t.n) > (p_after_task, p_after_fence, p_after_n)
      and (p_attempt is null or t.attempt = p_attempt) and (p_level is null or t.level >= p_level)
      and (p_from is null or t.at >= p_from) and (p_to is null or t.at < p_to)
    order by t.seq, t.fence, t.n limit p_limit)
  ) l left join worker w on w.id = l.worker_id left join device_class c on c.id = w.class_id
  order by l.task, l.fence, l.n limit p_limit;
end
$$;
