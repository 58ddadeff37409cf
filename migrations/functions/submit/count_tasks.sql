-- Maps the tasks of a submit to its p_count jobs; p_jobs, p_items: the job (from 1) and the items of each task. Returns
-- the number of tasks and items per job, the number of tasks before each job's first, and a running sum of the items
-- before each task, of which the difference to the sum at its job's first counts. sorted: tasks are in the order of
-- their jobs, name no others, and each job has one; if not, the others are null: sort and call again.
create or replace function count_tasks(p_count int, p_jobs int[], p_items int[],
  out sorted boolean, out tasks int[], out items bigint[], out first_tasks int[], out items_before bigint[])
language plpgsql immutable as $$
declare
  v_tasks constant int := cardinality(p_jobs);
begin
  first_tasks := array(
    select i - 1 from generate_series(1, v_tasks) i where p_jobs[i] is distinct from p_jobs[i - 1] order by i);
  sorted := array(select p_jobs[n + 1] from unnest(first_tasks) n) = array(select generate_series(1, p_count));
  if sorted then
    items_before := array(select sum(n) over (rows unbounded preceding) - n from unnest(p_items) n);
    first_tasks[p_count + 1] := v_tasks;
    items_before[v_tasks + 1] := items_before[v_tasks] + p_items[v_tasks];
    tasks := array(select first_tasks[j + 1] - first_tasks[j] from generate_series(1, p_count) j);
    items := array(select items_before[first_tasks[j + 1] + 1] - items_before[first_tasks[j] + 1]
      from generate_series(1, p_count) j);
  end if;
end
$$;
