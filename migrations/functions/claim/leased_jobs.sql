-- The jobs of leased tasks, one row each, with their tasks in order and the tasks' inputs. A merge task has no row. A
-- small job whose tasks are all here, in a row, is whole.
create or replace function leased_jobs(p_jobs bigint[], p_tasks int[], p_attempts smallint[], p_ests real[])
returns table (job_id bigint, is_merge boolean, is_whole boolean, kind text, kind_version smallint,
  args json, model text, tasks int[], attempts smallint[], est_seconds real[], places int[], items int[],
  inputs bytea[], partials bytea[], priority smallint, trace bytea)
language plpgsql as $$
#variable_conflict use_column
declare
  v_low bigint;
  v_high bigint;
begin
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  return query
  select a.job_id, j.is_merge,
    not j.merge or a.in_a_row and cardinality(a.tasks) between 2 and 64 and cardinality(a.tasks) = j.tasks_total,
    j.kind, j.kind_version, j.args, j.model, a.tasks, a.attempts, a.ests,
    a.places, coalesce(j.items, d.items, t.items), coalesce(j.inputs, d.inputs, t.inputs), j.partials, j.priority,
    j.trace
  from (
    select u.job_id, array_agg(u.task) tasks, array_agg(u.attempt) attempts, array_agg(u.est) ests,
      array_agg(u.place) places, max(u.place - u.task) = min(u.place - u.task) in_a_row
    from (select x.* from (
        select unnest(p_jobs) job_id, unnest(p_tasks) task, unnest(p_attempts) attempt, unnest(p_ests) est,
          generate_series(1, cardinality(p_jobs)) place) x
      order by x.job_id, x.task) u
    group by u.job_id) a
  cross join lateral (
    select x.kind, x.kind_version, x.priority, x.args, x.merge, x.tasks_total, x.trace,
      a.tasks[1] = x.tasks_total is_merge,
      a.tasks[cardinality(a.tasks)] - a.tasks[1] = cardinality(a.tasks) - 1 dense, x.est_seconds is null has_rows,
      case when x.est_seconds is not null and a.tasks[1] = 0 then array[x.items_total::int] end items,
      case when x.est_seconds is not null and a.tasks[1] = 0 then array[x.input] end inputs,
      case when a.tasks[1] = x.tasks_total then
        array(select r.partial from result r where r.job_id = x.id and r.job_id between v_low and v_high
          and r.state = 'done' order by r.seq) end partials,
      case when a.tasks[1] < x.tasks_total then (select l.model from lane l where l.id = x.lane_id) else '' end model
    from job x where x.id = a.job_id and x.id between v_low and v_high offset 0) j
  -- Consecutive tasks of a job, the usual case, are read at once.
  cross join lateral (
    select array_agg(y.items) items, array_agg(y.input) inputs from (
      select x.items, x.input from task x
      where j.has_rows and j.dense and x.job_id = a.job_id and x.job_id between v_low and v_high
        and x.seq between a.tasks[1] and a.tasks[cardinality(a.tasks)]
      order by x.seq offset 0) y) d
  cross join lateral (
    select array_agg(y.items) items, array_agg(y.input) inputs from (
      select x.items, x.input from task x
      where j.has_rows and not j.dense and x.job_id = a.job_id and x.job_id between v_low and v_high
        and x.seq = any(a.tasks)
      order by x.seq offset 0) y) t;
end
$$;
