-- Ends the leases of a worker, whose row the caller has locked, except those in p_but, if claimed by p_until; returns
-- the number of their tasks. All lease rows are locked before the first class lock is taken.
create or replace function end_leases(p_worker worker, p_but bigint[], p_until timestamptz, p_outcome text,
  p_now timestamptz)
returns int language plpgsql as $$
declare
  v_fences bigint[];
  v_fence bigint;
  v_count int;
  v_tasks int := 0;
begin
  v_fences := array(select l.fence from lease l where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence
    and l.claimed_at <= p_until and l.fence <> all(p_but) order by l.fence for update);
  foreach v_fence in array v_fences loop
    select cardinality(jobs) into strict v_count from lease where fence = v_fence;
    perform settle_unheard(v_fence, array(select generate_series(1, v_count)), p_outcome,
      case p_outcome when 'lost' then 'The worker that held the task was not heard of for 15 seconds.' end, p_now);
    v_tasks := v_tasks + v_count;
  end loop;
  return v_tasks;
end
$$;
