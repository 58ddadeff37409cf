-- The device-seconds charged for the tasks of a helper's lease: the estimates, because the time on a device of another
-- class says nothing about the class's own devices.
create or replace function charged_seconds(p_lease lease, p_speed real, p_jobs bigint[], p_tasks int[])
returns real[] language plpgsql as $$
begin
  return array(select (p_lease.charges[p.pos] / p_speed)::real
    from unnest(lease_positions(p_jobs, p_tasks, p_lease.jobs, p_lease.tasks)) with ordinality p(pos, ord)
    order by p.ord);
end
$$;
