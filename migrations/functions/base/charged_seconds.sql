-- What the accounts of a helper's lease pay for its tasks, in its seconds: what was charged. How long a device of
-- another class took says nothing of what the class's own would have.
create or replace function charged_seconds(p_lease lease, p_speed real, p_jobs bigint[], p_tasks int[])
returns real[] language plpgsql as $$
begin
  return array(select (p_lease.charges[p.pos] / p_speed)::real
    from unnest(lease_positions(p_jobs, p_tasks, p_lease.jobs, p_lease.tasks)) with ordinality p(pos, ord)
    order by p.ord);
end
$$;
