-- Leases to a helper the tasks that it may take (cross_class_candidates); the caller holds the class's lock. jobs is
-- null: nothing.
create or replace function claim_cross_class(p_guest worker, p_bucket smallint, p_seconds float8, p_max_tasks int,
  p_now timestamptz, out fence bigint, out jobs bigint[], out tasks int[], out attempts smallint[], out ests real[])
language plpgsql as $$
#variable_conflict use_column
declare
  v_wanted record;
  v_old account_state;
  v_spots tid[];
  v_head bigint;
  v_charge float8;
  v_finish float8;
  v_job job;
begin
  select * into v_wanted from cross_class_candidates(p_guest, p_bucket, p_seconds, p_max_tasks, p_now);
  if v_wanted.tasks is null then
    return;
  end if;
  v_old := v_wanted.account;
  select array_agg(r.spot), array_agg(r.job_id), array_agg(r.task), array_agg(r.attempt), array_agg(r.est_seconds),
    max(r.seq), sum(r.est_seconds::float8)
  into v_spots, jobs, tasks, attempts, ests, v_head, v_charge from (
    select x.ctid spot, x.seq, x.job_id, x.task, x.attempt, x.est_seconds from ready x
    where x.lane_id = v_wanted.lane_id and x.seq > v_wanted.head order by x.seq limit v_wanted.tasks) r;
  fence := next_fence(p_now);
  v_finish := v_old.vtime + v_charge / v_old.weight;

  delete from ready where ctid = any(v_spots);
  update account_state t set version = v_old.version + 1, vtime = v_finish, ready = v_old.ready - v_wanted.tasks,
    slots = v_old.slots + 1, usage = decayed(v_old.usage, v_old.decayed_at, p_now, c.half_life_seconds) + v_charge,
    decayed_at = p_now, period_start = quota_start(v_old.quota_period, p_now),
    period_seconds = period_used(v_old.period_seconds, v_old.period_start, v_old.quota_period, p_now) + v_charge,
    lanes = coalesce(m.lanes, '{}'), heads = coalesce(m.heads, '{}'), counts = coalesce(m.counts, '{}')
  from device_class c cross join (
    select array_agg(k.lane_id) lanes, array_agg(k.head) heads, array_agg(k.n) counts from (
      select u.lane_id, case when u.lane_id = v_wanted.lane_id then v_head else u.head end head,
        u.n - case when u.lane_id = v_wanted.lane_id then v_wanted.tasks else 0 end n
      from unnest(v_old.lanes, v_old.heads, v_old.counts) u(lane_id, head, n)) k where k.n > 0) m
  where t.ctid = v_wanted.spot and c.id = p_guest.class_id;
  insert into lease (fence, worker_id, epoch, class_id, claimed_at, jobs, tasks, lanes, charges, attempts, crashes,
    accounts, holders)
  values (fence, p_guest.id, p_guest.epoch, p_guest.class_id, p_now, jobs, tasks,
    array_fill(v_wanted.lane_id, array[v_wanted.tasks]), ests, attempts,
    array_fill(0::smallint, array[v_wanted.tasks]), array_fill(v_old.account_id, array[v_wanted.tasks]),
    array[v_old.account_id]);

  -- The clock follows the account that is furthest behind or, if none is waiting, the one served last.
  update class_state c set version = n.version + 1, vclock = n.vclock
  from (
    select o.ctid spot, o.version, o.vclock old_clock, coalesce((
      select s.vtime from account_state s
      where s.class_id = p_guest.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.over_quota
        and s.vtime >= o.vclock
      order by s.vtime limit 1), v_finish) vclock
    from class_state o where o.class_id = p_guest.class_id order by o.version desc limit 1) n
  where c.ctid = n.spot and n.vclock > n.old_clock;

  update job j set state = 'running', started_at = p_now, last_event = j.last_event + 1,
    started_event = j.last_event + 1, revision = j.revision + 1
  where j.id = v_wanted.job_id and j.state = 'queued' returning * into v_job;
  if found then
    insert into overdue (at, job_id) select p_now + make_interval(secs => v_job.timeout_seconds), v_job.id
      where v_job.timeout_seconds is not null;
    perform notify_jobs(array[v_job.id]);
  end if;
end
$$;
