-- As leased_jobs, for claims of small jobs: the first task of each job is leased. Jobs are read by one index scan, and
-- one by one tasks that have rows of their own.
create or replace function leased_first_tasks(p_jobs bigint[], p_attempts smallint[], p_ests real[])
returns table (job_id bigint, is_merge boolean, is_whole boolean, kind text, kind_version smallint,
  args json, model text, tasks int[], attempts smallint[], est_seconds real[], places int[], items int[],
  inputs bytea[], partials bytea[], priority smallint, trace bytea)
language plpgsql set enable_nestloop = off set enable_hashjoin = on as $$
#variable_conflict use_column
declare
  v_low bigint;
  v_high bigint;
begin
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  return query
  with of_job as materialized (
    select j.id, j.merge, j.kind, j.kind_version, j.args, j.lane_id, j.priority, j.trace, j.items_total, j.est_seconds,
      j.input
    from job j where j.id = any(p_jobs) and j.id between v_low and v_high
  )
  select j.id, false, not j.merge, j.kind, j.kind_version, j.args,
    (select l.model from lane l where l.id = j.lane_id), '{0}'::int[], array[u.attempt], array[u.est],
    array[u.place::int], array[coalesce(t.items, j.items_total::int)], array[coalesce(t.input, j.input)], null::bytea[],
    j.priority, j.trace
  from unnest(p_jobs, p_attempts, p_ests) with ordinality u(job_id, attempt, est, place)
  join of_job j on j.id = u.job_id
  left join lateral (
    select x.items, x.input from task x
    where j.est_seconds is null and x.job_id = j.id and x.job_id between v_low and v_high and x.seq = 0 offset 0) t
    on true;
end
$$;
