-- The outcomes of a lease's tasks, one element per task, with their jobs' teams; merges: whether it is the merge task.
-- Joins an array with the rows of its jobs, each read once.
create or replace function task_outcomes(p_speed real, p_jobs bigint[], p_tasks int[], p_charges real[],
  p_attempts smallint[], p_crashes smallint[], p_outcomes text[], p_oks int[], p_faileds int[], p_seconds real[],
  p_delays real[], out teams bigint[], out merges boolean[], out next_states text[], out costs float8[], out oks int[],
  out faileds int[])
language plpgsql set enable_nestloop = off set enable_hashjoin = on as $$
declare
  v_low bigint;
  v_high bigint;
begin
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  if 'done' = all(p_outcomes) then
    with job_row as materialized (
      select j.id, j.team_id, j.tasks_total from job j where j.id = any(p_jobs) and j.id between v_low and v_high
    )
    select array_agg(x.team_id), array_agg(x.is_merge), array_agg(x.cost) into teams, merges, costs
    from (select j.team_id, g.task = j.tasks_total is_merge, coalesce(g.seconds, 0) * p_speed cost
      from unnest(p_jobs, p_tasks, p_seconds) with ordinality g(job_id, task, seconds, ord)
      join job_row j on j.id = g.job_id order by g.ord) x;
    next_states := p_outcomes;
    oks := p_oks;
    faileds := p_faileds;
    return;
  end if;
  with job_row as materialized (
    select j.id, j.team_id, j.tasks_total, j.max_attempts
    from job j where j.id = any(p_jobs) and j.id between v_low and v_high
  )
  select array_agg(x.team_id), array_agg(x.is_merge), array_agg(x.next_state), array_agg(x.cost),
    array_agg(case x.next_state when 'done' then x.ok else 0 end),
    array_agg(case x.next_state when 'done' then x.failed else x.items end)
  into teams, merges, next_states, costs, oks, faileds
  from (
    select j.team_id, g.task = j.tasks_total is_merge, g.ok, g.failed,
      case g.outcome
        when 'done' then 'done'
        when 'released' then 'ready'
        when 'lost' then case when g.crashes >= 2 then 'quarantined' else 'ready' end
        when 'retry' then case when g.attempt >= j.max_attempts then 'quarantined'
          when g.delay > 0 then 'scheduled' else 'ready' end
        else 'quarantined' end next_state,
      case g.outcome when 'released' then 0 when 'lost' then g.charge else coalesce(g.seconds, 0) * p_speed end cost,
      case when g.outcome <> 'done' then coalesce((select t.items from job_task t where t.job_id = g.job_id
        and t.job_id between v_low and v_high and t.seq = g.task), 0) end items
    from unnest(p_jobs, p_tasks, p_charges, p_attempts, p_crashes, p_outcomes, p_oks, p_faileds, p_seconds, p_delays)
      with ordinality g(job_id, task, charge, attempt, crashes, outcome, ok, failed, seconds, delay, ord)
    join job_row j on j.id = g.job_id order by g.ord) x;
end
$$;
