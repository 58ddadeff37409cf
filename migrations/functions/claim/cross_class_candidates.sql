-- What a helper may take: the next p_tasks tasks of lane p_lane_id, all of one job of this account. tasks is null:
-- nothing. The first account in turn that has something, and its lanes by age, as in every claim.
--
-- Help must not make a job end later. So a helper takes only what it will finish before the devices of the class, by
-- themselves, would finish what they run and the job's ready tasks. All times are estimated seconds times slowness. A
-- device that has not run the kind is assumed to be like the others of its class, and a helper v_unknown times as slow
-- as a device of the class, or the other way round if only the helper's slowness is known.
--
-- A helper does not take: tasks that became ready a moment ago while a device of the class is idle and about to claim
-- them; tasks that a worker died on, which the class assigns; and the last slots of an account, one for each device of
-- the class that could use it.
create or replace function cross_class_candidates(p_guest worker, p_bucket smallint, p_seconds float8, p_max_tasks int,
  p_now timestamptz, out spot tid, out account account_state, out lane_id int, out head bigint, out job_id bigint,
  out tasks int)
language plpgsql as $$
#variable_conflict use_column
declare
  v_unknown constant float8 := 4;
  v_clock constant float8 := class_clock(p_guest.class_id);
  v_max constant int := 16;  -- examined accounts and lanes
  v_just constant interval := '1 second';
  v_looked_at constant int := 1000;  -- tasks of a lane; those after them would only make the job wait longer
  v_line record;
  v_class record;
  v_own float8;
begin
  for v_line in
    select t.spot, t.account, l lane, l.kind || ':' || l.kind_version kind, u.head, h.job_id, h.since, t.quota_left
    from (
      select s.ctid spot, s account, s.vtime, s.account_id, s.lanes, s.heads,
        coalesce(s.quota_seconds - period_used(s.period_seconds, s.period_start, s.quota_period, p_now), 'infinity')
          quota_left
      from account_state s
      where s.class_id = p_guest.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.over_quota
        and s.vtime >= v_clock
        and exists (select from unnest(s.lanes) u(id) join lane l on l.id = u.id where lane_fits(l, p_guest, p_bucket))
      order by s.vtime limit v_max) t
    cross join unnest(t.lanes, t.heads) u(lane_id, head) join lane l on l.id = u.lane_id
    cross join lateral (
      select x.job_id, x.seq, x.since, x.crashes from ready x where x.lane_id = u.lane_id and x.seq > u.head
        order by x.seq limit 1) h
    where lane_fits(l, p_guest, p_bucket) and h.crashes = 0
    order by t.vtime, t.account_id, aged_priority(l.priority, h.since, p_now) desc, h.seq limit v_max
  loop
    -- rate: estimated seconds that the class completes per second; left: estimated seconds of what it runs.
    select count(*) filter (where not d.holds) free, bool_or(d.charges = 0) idle, sum(d.rate) rate,
      sum(greatest(0, d.charges - d.since * d.rate)) left, avg(d.slowness) slowness
    into v_class from (
      select b.*,
        b.speed / coalesce(b.slowness, avg(b.slowness) over (), slowness(p_guest, v_line.kind) / v_unknown, 1) rate
      from (
        select w.speed::float8 speed, slowness(w, v_line.kind) slowness, coalesce(x.charges, 0) charges,
          coalesce(x.since, 0) since, coalesce(x.holds, false) holds
        from worker w cross join lateral (
          select sum((select sum(c) from unnest(l.charges) c)::float8) charges,
            extract(epoch from p_now - min(l.claimed_at))::float8 since,
            bool_or((v_line.account).account_id = any(l.holders)) holds
          from lease l where l.worker_id = w.id and l.fence >= w.oldest_fence) x
        where w.class_id = p_guest.class_id and w.state = 'active' and w.seen_at > p_now - lease_ttl()
          and lane_fits(v_line.lane, w, w.memory_bucket) and not is_held(w)) b) d;
    continue when (v_line.account).slots + v_class.free + 1 > (v_line.account).cap
      or v_class.idle and v_line.since > p_now - v_just;
    v_own := coalesce(slowness(p_guest, v_line.kind), v_unknown * coalesce(v_class.slowness, 1)) / p_guest.speed;
    select count(*) filter (where r.together and r.place <= p_max_tasks and r.upto <= v_line.quota_left
      and (r.upto - r.est_seconds) * v_own < p_seconds
      -- no device of the class is connected
      and coalesce(r.upto * v_own < (v_class.left + r.job_seconds) / v_class.rate, true))
    into tasks from (
      select x.est_seconds, row_number() over line place, sum(x.est_seconds::float8) over line upto,
        bool_and(x.job_id = v_line.job_id and x.crashes = 0) over line together,
        sum(x.est_seconds::float8) filter (where x.job_id = v_line.job_id) over () job_seconds
      from (select y.* from ready y where y.lane_id = (v_line.lane).id and y.seq > v_line.head order by y.seq
        limit v_looked_at) x
      window line as (order by x.seq rows unbounded preceding)) r;
    if tasks > 0 then
      spot := v_line.spot;
      account := v_line.account;
      lane_id := (v_line.lane).id;
      head := v_line.head;
      job_id := v_line.job_id;
      return;
    end if;
  end loop;
  tasks := null;
end
$$;
