-- The positions of the given tasks in a lease; null: the lease does not hold the task. The only function that joins two
-- arrays.
create or replace function lease_positions(p_jobs bigint[], p_tasks int[], p_lease_jobs bigint[], p_lease_tasks int[])
returns int[] language plpgsql immutable set enable_nestloop = off set enable_hashjoin = on as $$
begin
  if p_jobs = p_lease_jobs and p_tasks = p_lease_tasks then
    return array(select generate_series(1, cardinality(p_jobs)));
  end if;
  return array(select l.ord::int from unnest(p_jobs, p_tasks) with ordinality g(job_id, task, ord)
    left join unnest(p_lease_jobs, p_lease_tasks) with ordinality l(job_id, task, ord) on l.job_id = g.job_id
      and l.task = g.task
    order by g.ord);
end
$$;
