-- The attempts of a job, by task and then in order: those that ended their task (result), those that did not (attempt)
-- and running ones (lease). merge: the attempt belongs to the task that makes the report. outcome: done, quarantined,
-- retry, final, worker_died, worker_lost, running. started_at: for successful attempts, the end minus the measured
-- time; for others, the time of the claim. seconds: device time, not normalised. Indexes result_<day>_pkey,
-- attempt_<day>_pkey, and leases by leases_of_job.
create or replace function list_attempts(p_team_id bigint, p_job_id bigint, p_after_task int, p_after_fence bigint,
  p_limit int)
returns table (task int, fence bigint, merge boolean, attempt smallint, outcome text, node text, device text,
  device_class text, started_at timestamptz, ended_at timestamptz, seconds float8, items_ok int, items_failed int,
  error text)
language plpgsql stable security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_tasks int;
begin
  perform assert_team(p_team_id);
  select j.tasks_total into v_tasks from job j where j.id = p_job_id and j.team_id = p_team_id;
  if not found then
    return;
  end if;
  return query
  select a.task, a.fence, a.task = v_tasks, a.attempt, a.outcome, w.node, w.device, c.name, a.started_at, a.ended_at,
    a.seconds, a.items_ok, a.items_failed, a.error
  from (
    (select r.seq as task, r.fence, r.attempt, r.state as outcome, r.worker_id,
      case when r.state = 'done' then r.finished_at - make_interval(secs => r.seconds / x.speed)
        else (select t.claimed_at from attempt t where t.job_id = p_job_id and t.seq = r.seq and t.fence = r.fence)
      end as started_at,
      r.finished_at as ended_at,
      case when r.state = 'done' then r.seconds / x.speed::float8 end as seconds, r.items_ok, r.items_failed, r.error
    from result r left join worker x on x.id = r.worker_id
    where r.job_id = p_job_id and (r.seq, r.fence) > (p_after_task, p_after_fence)
    order by r.seq, r.fence limit p_limit)
    union all
    (select t.seq, t.fence, t.attempt, t.outcome, t.worker_id, t.claimed_at, t.at, null, null, null, t.error
    from attempt t
    -- A last attempt that failed permanently is in its result.
    where t.job_id = p_job_id and (t.seq, t.fence) > (p_after_task, p_after_fence)
      and not exists (select from result r where r.job_id = t.job_id and r.seq = t.seq and r.fence = t.fence)
    order by t.seq, t.fence limit p_limit)
    union all
    (select u.task, l.fence, u.attempt, 'running', l.worker_id, l.claimed_at, null, null, null, null, null
    from unnest(leases_of_job(p_job_id)) f(fence) join lease l on l.fence = f.fence
      cross join unnest(l.jobs, l.tasks, l.attempts) u(job_id, task, attempt)
    where u.job_id = p_job_id and (u.task, l.fence) > (p_after_task, p_after_fence)
    order by u.task, l.fence limit p_limit)
  ) a left join worker w on w.id = a.worker_id left join device_class c on c.id = w.class_id
  order by a.task, a.fence limit p_limit;
end
$$;
