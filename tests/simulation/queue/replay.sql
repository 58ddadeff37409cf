-- What replay.py asks for after every call. Created in a database of its own for the test.
-- The rules are those of a limit of 0: what was used does not count.
update plimsoll.device_class set entry_limit_seconds = 0;
create schema replay;
set search_path = replay, plimsoll;

-- A claim; a worker that is not registered gets one row without a fence, instead of an error.
create function replay.claim(p_worker int, p_epoch int, p_seconds float8, p_tasks int, p_now timestamptz)
returns table (fence bigint, job_id bigint, task int, attempt smallint, items int, input bytea, partials bytea[]) language plpgsql as $$
begin
  return query select c.fence, c.job_id, u.task, u.attempt, u.items, u.input, c.partials
  from claim(p_worker, p_epoch, p_seconds, p_tasks, null, '{}', p_now) n
  cross join lateral (
    select n.* where n.job_id is not null
    union all select r.* from read_lease(p_worker, p_epoch, array[-n.fence]) r where n.job_id is null) c
  cross join unnest(c.tasks, c.attempts, c.places, c.items, c.inputs) u(task, attempt, place, items, input) order by u.place;
exception when sqlstate 'PLM01' then
  return query select null::bigint, null::bigint, null::int, null::smallint, null::int, null::bytea, null::bytea[];
end
$$;

create function replay.ms(p_at timestamptz) returns bigint language sql immutable return round(extract(epoch from p_at) * 1000)::bigint;

-- The state as the simulation writes it, with the database's own ids.
create function replay.state() returns json language plpgsql as $$
begin
  return json_build_object(
    'clocks', (select json_agg(c.vclock order by c.class_id) from class_state c where c.class_id in (1, 100)),
    'accounts', (select json_agg(json_build_array(s.vtime, s.slots, s.ready) order by s.account_id) from account_state s),
    'heads', (select json_agg(json_build_array(u.lane, u.head, u.n)) from account_state s cross join unnest(s.lanes, s.heads, s.counts) u(lane, head, n)),
    'ready', (select json_agg(json_build_array(r.lane_id, r.seq, r.job_id, r.task, r.est_seconds::float8, r.attempt, r.crashes, replay.ms(r.since)) order by r.seq) from ready r),
    'leases', (select json_agg(json_build_array(l.fence, l.worker_id, l.epoch, (
        select json_agg(json_build_array(u.job, u.task, u.lane, u.charge::float8, u.attempt, u.crashes) order by u.ord)
        from unnest(l.jobs, l.tasks, l.lanes, l.charges, l.attempts, l.crashes) with ordinality u(job, task, lane, charge, attempt, crashes, ord)))
      order by l.fence) from lease l),
    'scheduled', (select json_agg(json_build_array(replay.ms(s.run_at), s.job_id, coalesce(s.task, -1), s.attempt, s.crashes)) from scheduled s),
    'workers', (select json_agg(json_build_array(w.epoch, w.state, replay.ms(w.seen_at)) order by w.id) from worker w),
    'jobs', (select json_agg(json_build_array(j.id, j.state, j.tasks_left, j.tasks_quarantined, j.items_ok, j.items_failed, j.retries, j.last_event,
        j.charged_seconds, (select r.fence from report r where r.job_id = j.id), (
          select json_agg(json_build_array(case r.state when 'done' then 1 when 'quarantined' then 2 else 0 end, r.fence) order by t.seq)
          from job_task t left join result r on r.job_id = t.job_id and r.seq = t.seq where t.job_id = j.id))) from job j));
end
$$;
