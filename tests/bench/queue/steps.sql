-- The benchmark's steps: each is one call of the product's functions, with its arguments made on the server so
-- that the client's language is not what is measured. Inputs are read and summed; results are kept.
create schema bench;
set search_path = plimsoll;

create table bench.worker (n int primary key, worker_id int, epoch int);

-- p_jobs jobs of p_tasks tasks, spread over p_accounts teams and p_lanes lanes of each.
create function bench.enqueue(p_jobs int, p_tasks int, p_accounts int, p_lanes int, p_from int default 0) returns bigint language sql as $$
  select count(*) from (
    select array_agg(1 + i % p_accounts)::bigint[] team, array_fill(1::bigint, array[p_jobs]) usr, array_fill('bench'::text, array[p_jobs]) kind,
      array_fill(1::smallint, array[p_jobs]) version, array_fill('{"model": "none"}'::json, array[p_jobs]) args,
      array_fill(null::text, array[p_jobs]) none, array_fill('{}'::jsonb, array[p_jobs]) labels,
      array_fill(0::smallint, array[p_jobs]) zero, array_fill('cpu'::text, array[p_jobs]) class, array_fill(''::text, array[p_jobs]) empty,
      array_agg('model ' || (i / p_accounts) % p_lanes) model, array_fill(p_tasks > 1, array[p_jobs]) merge,
      array_fill(null::timestamptz, array[p_jobs]) run_at, array_fill(null::bytea, array[p_jobs]) mark
    from generate_series(p_from, p_from + p_jobs - 1) i) j,
  (select array_agg(1 + t / p_tasks) job, array_agg(1) items, array_agg(0.001::real) seconds, array_agg('\x1f8b0800000000000003'::bytea) input
    from generate_series(0, p_jobs * p_tasks - 1) t) t,
  enqueue(j.team, j.usr, j.kind, j.version, j.args, j.none, j.labels, j.zero, j.class, j.empty, j.zero, j.model, j.merge, j.run_at, j.none, j.mark,
    j.run_at, array_fill(null::real, array[p_jobs]), j.none, false,
    t.job, t.items, t.seconds, t.input)
$$;

create function bench.claim(p_n int, p_tasks int) returns table (fence bigint, tasks bigint) language plpgsql as $$
declare
  w bench.worker;
begin
  select * into w from bench.worker where n = p_n;
  return query select coalesce(max(c.fence), 0), count(length(u.input))
  from claim(w.worker_id, w.epoch, 1e9, p_tasks) n cross join lateral read_lease(w.worker_id, w.epoch, array[-n.fence]) c
  left join unnest(c.inputs) u(input) on true;
end
$$;

create function bench.complete(p_n int, p_fence bigint) returns bigint language plpgsql as $$
declare
  w bench.worker;
  l plimsoll.lease;
  k int;
begin
  select * into l from plimsoll.lease where fence = p_fence;
  if not found then
    return 0;
  end if;
  select * into w from bench.worker where n = p_n;
  k := cardinality(l.jobs);
  return (select count(*) from complete_each(w.worker_id, w.epoch, p_fence, l.jobs, l.tasks, array_fill('done'::text, array[k]),
    array_fill('\x1f8b0800000000000003'::bytea, array[k]), array_fill('{}'::bytea, array[k]), array_fill(1, array[k]), array_fill(0, array[k]),
    array_fill(0.001::real, array[k]), array_fill(null::text, array[k]), array_fill(null::real, array[k])) where verdict = 'accepted');
end
$$;

create function bench.beat(p_n int) returns void language sql as $$
  select from bench.worker w, heartbeat(w.worker_id, w.epoch, '{}', '{}', '{}') where w.n = p_n
$$;
