-- What the queue's functions share. Callable by nobody but them.
--
-- Lock order, everywhere: worker row → lease rows (by fence) → class lock (host last) → job rows → the rest.
-- Everything in ready, account_state, class_state and lane is read and written under its class lock.
--
-- Plans must not depend on statistics: a plan made while a partition was empty would read all of it an hour
-- later. So the functions on the hot path allow index look-ups in nested loops only (their SET clauses, which
-- hold for what they call). In return arrays are zipped or subscripted, never joined with each other: the
-- planner takes an array for ten rows and would loop. Beside the ids of jobs, the lowest and the highest are given
-- (between v_low and v_high), so that the other days' partitions are not even prepared. But the planner thinks that such
-- a range is short, would read it whole and join: thousands of jobs of other teams lie between those of a claim. So a
-- read looks up id by id (cross join lateral (… offset 0), which stays as it is written), and an update names the ids
-- too (= any(ids)). No SQL-language function that cannot be inlined: those are planned anew at every call.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- A lease is valid while its worker was seen within this time, by the database's clock.
create function lease_ttl() returns interval language sql immutable return interval '15 seconds';

create function lock_class(p_class_id smallint) returns void language plpgsql as $$
begin
  -- The next statement must see what the previous holder of the lock committed.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'queue functions need transaction isolation read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(1347176781, p_class_id);
end
$$;

create function class_clock(p_class_id smallint) returns float8 language plpgsql stable as $$
begin
  return (select vclock from class_state where class_id = p_class_id order by version desc limit 1);
end
$$;

-- The leases that hold tasks of the job. Worker by worker, because each knows its oldest lease that lives, and offset 0
-- so that the planner keeps to that: all of lease would be read with its dead rows.
create function fences_of(p_job_id bigint) returns bigint[] language plpgsql as $$
begin
  return array(select l.fence from worker w cross join lateral (
      select x.fence, x.jobs from lease x where x.worker_id = w.id and x.fence >= w.oldest_fence offset 0) l
    where p_job_id = any(l.jobs) order by l.fence);
end
$$;

-- One NOTIFY for many jobs: ids separated by commas, 350 at most (a payload has under 8,000 bytes).
create function notify_jobs(p_jobs bigint[]) returns void language plpgsql as $$
begin
  for i in 0 .. (coalesce(cardinality(p_jobs), 0) - 1) / 350 loop
    perform pg_notify('plimsoll_job', array_to_string(p_jobs[i * 350 + 1 : (i + 1) * 350], ','));
  end loop;
end
$$;

-- Lane ids for the given keys, in their order; missing accounts and lanes are made.
create function lanes_of(p_teams bigint[], p_classes smallint[], p_kinds text[], p_kind_versions smallint[],
  p_capabilities text[], p_memory_buckets smallint[], p_models text[], p_priorities smallint[])
returns int[] language plpgsql as $$
declare
  v_lanes int[];
  v_missing boolean;
begin
  for i in 1 .. 2 loop
    select array_agg(l.id order by k.ord), bool_or(l.id is null) into v_lanes, v_missing
    from unnest(p_teams, p_classes, p_kinds, p_kind_versions, p_capabilities, p_memory_buckets, p_models, p_priorities)
      with ordinality k(team_id, class_id, kind, kind_version, capability, memory_bucket, model, priority, ord)
    left join account a on a.team_id = k.team_id and a.class_id = k.class_id
    left join lane l on l.account_id = a.id and l.kind = k.kind and l.kind_version = k.kind_version
      and l.capability = k.capability and l.memory_bucket = k.memory_bucket and l.model = k.model and l.priority = k.priority;
    exit when not v_missing;
    with made as (
      insert into account (team_id, class_id) select distinct t, c from unnest(p_teams, p_classes) k(t, c)
      on conflict do nothing returning id, class_id)
    insert into account_state (account_id, class_id) select id, class_id from made;
    insert into lane (account_id, kind, kind_version, capability, memory_bucket, model, priority)
    select distinct a.id, k.kind, k.kind_version, k.capability, k.memory_bucket, k.model, k.priority
    from unnest(p_teams, p_classes, p_kinds, p_kind_versions, p_capabilities, p_memory_buckets, p_models, p_priorities)
      k(team_id, class_id, kind, kind_version, capability, memory_bucket, model, priority)
    join account a on a.team_id = k.team_id and a.class_id = k.class_id
    on conflict do nothing;
  end loop;
  return v_lanes;
end
$$;

-- Tells the accounts that their lanes (distinct) got tasks, the first at seq p_firsts. An account that had
-- none starts at the class's virtual clock: nobody saves up credit while idle.
create function account_add_ready(p_class_id smallint, p_lanes int[], p_firsts bigint[], p_counts int[])
returns void language plpgsql as $$
begin
  with added as materialized (
    select l.account_id, u.lane_id, u.first, u.n
    from unnest(p_lanes, p_firsts, p_counts) u(lane_id, first, n) join lane l on l.id = u.lane_id
  ), old as materialized (
    select s.*, a.n from (select account_id, sum(n)::int n from added group by 1) a
    cross join lateral (select * from account_state z where z.account_id = a.account_id order by z.version desc limit 1) s
  ), merged as (
    select o.account_id, array_agg(x.lane_id) lanes, array_agg(x.head) heads, array_agg(x.n) counts
    from old o cross join lateral (
      select coalesce(c.lane_id, a.lane_id) lane_id, coalesce(c.head, a.first - 1) head, coalesce(c.n, 0) + coalesce(a.n, 0) n
      from unnest(o.lanes, o.heads, o.counts) c(lane_id, head, n)
      full join (select * from added where added.account_id = o.account_id) a on a.lane_id = c.lane_id) x
    group by o.account_id
  )
  update account_state t set version = o.version + 1, ready = o.ready + o.n,
    lanes = m.lanes, heads = m.heads, counts = m.counts,
    vtime = case when o.ready > 0 then o.vtime else greatest(o.vtime, class_clock(p_class_id)) end
  from old o join merged m using (account_id)
  where t.account_id = o.account_id and t.version = o.version;
end
$$;

-- Puts tasks at the end of their lanes. The caller holds the class lock.
create function push(p_class_id smallint, p_lanes int[], p_jobs bigint[], p_tasks int[], p_ests real[],
  p_attempts smallint[], p_crashes smallint[], p_now timestamptz) returns void language plpgsql as $$
declare
  v_lanes int[];
  v_firsts bigint[];
  v_counts int[];
  v_low bigint;
  v_high bigint;
begin
  if coalesce(cardinality(p_lanes), 0) = 0 then
    return;
  end if;
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  with added as (
    insert into ready (lane_id, seq, job_id, task, est_seconds, attempt, crashes, since)
    select u.lane_id, nextval('ready_seq'), u.job_id, u.task, u.est, u.attempt, u.crashes, p_now
    from unnest(p_lanes, p_jobs, p_tasks, p_ests, p_attempts, p_crashes) u(lane_id, job_id, task, est, attempt, crashes)
    returning lane_id, seq, job_id
  ), jobs as (
    update job j set ready_first = coalesce(j.ready_first, r.first), ready_last = r.last
    from (select job_id, min(seq) first, max(seq) last from added group by 1) r
    where j.id = r.job_id and j.id = any(p_jobs) and j.id between v_low and v_high
  )
  select array_agg(lane_id), array_agg(first), array_agg(n) into v_lanes, v_firsts, v_counts
  from (select lane_id, min(seq) first, count(*)::int n from added group by 1) x;
  perform account_add_ready(p_class_id, v_lanes, v_firsts, v_counts);
  perform pg_notify('plimsoll_ready', name) from device_class where id = p_class_id;
end
$$;
