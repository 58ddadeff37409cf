-- Maps the tasks of a submit to its p_count jobs; p_jobs, p_items: the job (from 1) and the items of each task. Returns
-- the number of tasks and items per job, the number of tasks before each job's first, and the number of its job's items
-- before each task. sorted: tasks are in the order of their jobs and name no others; if not, sort and call again: the
-- other results are then meaningless. Counts are shorter than p_count if a job has no task.
create or replace function count_tasks(p_count int, p_jobs int[], p_items int[],
  out sorted boolean, out tasks int[], out items bigint[], out first_tasks int[], out first_items bigint[])
language plpgsql immutable as $$
begin
  select bool_and(t.last = t.before), array_agg(t.n order by t.job), array_agg(t.items order by t.job),
    array_agg((t.before - t.n)::int order by t.job)
  into sorted, tasks, items, first_tasks
  from (
    select p_jobs[i] job, count(*)::int n, sum(p_items[i]) items, max(i) last,
      sum(count(*)) over (order by p_jobs[i]) before
    from generate_series(1, cardinality(p_jobs)) i where p_jobs[i] between 1 and p_count group by 1) t;
  if sorted then
    first_items := array(
      select sum(p_items[i]) over (partition by p_jobs[i] order by i rows unbounded preceding) - p_items[i]
      from generate_series(1, cardinality(p_jobs)) i order by i);
  end if;
end
$$;
