-- Adds the jobs' usage since they were last counted to the hourly rows (distinct jobs; deleted ones are skipped). The
-- caller holds the lock.
create or replace function count_usage(p_jobs bigint[], p_ats timestamptz[]) returns void language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_low bigint;
  v_high bigint;
begin
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  with gain as materialized (
    select j.id, j.team_id, j.user_id, j.kind, coalesce(l.model, '') model,
      date_trunc('hour', u.at, 'UTC') as hour, j.charged_seconds seconds,
      j.tasks_total - j.tasks_left - j.tasks_quarantined tasks, j.items_ok items, (o.job_id is null)::int first,
      j.charged_seconds - coalesce(o.seconds, 0) more_seconds,
      j.tasks_total - j.tasks_left - j.tasks_quarantined - coalesce(o.tasks, 0) more_tasks,
      j.items_ok - coalesce(o.items, 0) more_items
    from unnest(p_jobs, p_ats) u(id, at)
    cross join lateral (select * from job x where x.id = u.id and x.id between v_low and v_high offset 0) j
    left join lane l on l.id = j.lane_id
    left join lateral (select * from usage_job x where x.job_id = u.id
      and x.job_id between v_low and v_high offset 0) o on true
  ), counted as (
    insert into usage_job as o (job_id, seconds, tasks, items)
    select id, seconds, tasks, items from gain where more_seconds <> 0 or more_tasks <> 0 or more_items <> 0
    on conflict (job_id) do update set seconds = excluded.seconds, tasks = excluded.tasks, items = excluded.items
  )
  insert into usage_hour as h (team_id, hour, user_id, kind, model, seconds, tasks, items, jobs)
  select g.team_id, g.hour, g.user_id, g.kind, g.model, sum(more_seconds), sum(more_tasks), sum(more_items), sum(first)
  from gain g where more_seconds <> 0 or more_tasks <> 0 or more_items <> 0 group by 1, 2, 3, 4, 5
  on conflict (team_id, hour, user_id, kind, model) do update set seconds = h.seconds + excluded.seconds,
    tasks = h.tasks + excluded.tasks, items = h.items + excluded.items, jobs = h.jobs + excluded.jobs;
end
$$;
