-- Why an unfinished job is not running now. reason, the first that applies:
--   running      a worker has tasks of it
--   scheduled    until: its start time
--   retrying     until: when the first task is retried
--   paused       the team or the class is on hold
--   quota        the team's device-seconds are used up; until: when the quota renews
--   no_device    no device of the class is connected, nor one of another class that helps
--   no_fit       none of these devices can run it
--   draining     those that can run it accept no new tasks
--   cap          the team holds as many devices as it may
--   memory       all devices that can run it are idle and offer too little memory, as last reported: other programs
--                hold it
--   own_jobs     tasks_ahead: the team's own, at most 10,000 counted
--   busy         it is next in line; the devices are busy
-- share: what the team used and is due in the class. hold: the first hold that applies. starts_from, starts_by: when it
-- will probably start, if only its turn is outstanding. From: no other team gets a device, devices of other classes
-- help, and the first device is free at the estimated end of its current lease. By: every waiting team gets its share,
-- nobody helps, the team's lead is worked off first, and the last device is free. Both rely on the kinds' estimates and
-- ignore jobs submitted later: they are predictions, not promises.
create or replace function explain_wait(p_team_id bigint, p_job_id bigint, p_now timestamptz default clock_timestamp())
returns table (reason text, until timestamptz, tasks_ahead bigint, device_class text, share jsonb, hold jsonb,
  starts_from timestamptz, starts_by timestamptz) language plpgsql stable security definer
  set search_path = plimsoll, pg_temp set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_job job;
  v_lane lane;
  v_state account_state;
  v_place bigint;
  v_seconds_ahead float8;
  v_devices int;
  v_helpers int;  -- of other classes
  v_short int;  -- of these, idle devices that do not offer enough memory
  v_speed float8;
  v_max_speed float8;  -- with them
  v_first_free float8;
  v_last_free float8;
  v_weights float8;
begin
  perform assert_team(p_team_id);
  select * into v_job from job j where j.id = p_job_id and j.team_id = p_team_id and j.finished_at is null;
  if not found then
    return;
  end if;
  if v_job.tasks_left = 0 then  -- its merge task waits
    select l.* into v_lane from lane l join account a on a.id = l.account_id join device_class c on c.id = a.class_id
    where a.team_id = v_job.team_id and c.name = 'host' and l.kind = v_job.kind and l.kind_version = v_job.kind_version
      and l.capability = '' and l.memory_bucket = 0 and l.model = '' and l.priority = v_job.priority;
  else
    select l.* into v_lane from lane l where l.id = v_job.lane_id;
  end if;
  select s.* into v_state from account_state s where s.account_id = v_lane.account_id order by s.version desc limit 1;
  select c.name into device_class from device_class c where c.id = v_state.class_id;
  tasks_ahead := 0;
  select min(s.run_at) into until from scheduled s where s.job_id = p_job_id;
  select min(r.seq) into v_place from ready r where r.lane_id = v_lane.id and r.job_id = p_job_id
    and r.seq >= v_job.ready_first and r.seq <= v_job.ready_last
    and r.seq > coalesce(v_state.heads[array_position(v_state.lanes, v_lane.id)], 0);
  select to_jsonb(s) into share from list_shares(p_team_id, p_now) s where s.device_class = explain_wait.device_class;
  select jsonb_build_object('scope', h.scope, 'mode', h.mode, 'reason', h.reason, 'by', u.name, 'at', h.at) into hold
  from hold h left join app_user u on u.id = h.user_id
  where (h.scope = 'team' and h.subject = p_team_id::text) or (h.scope = 'device_class' and h.subject = device_class)
    or (h.scope in ('node', 'device') and exists (select from worker w where w.class_id = v_state.class_id
      and h.subject = case h.scope when 'node' then w.node else w.id::text end
      and lane_fits(v_lane, w, w.memory_bucket)))
  order by array_position(array['team', 'device_class', 'node', 'device'], h.scope), h.id limit 1;

  -- If the class has no device, devices of other classes that help count instead.
  select count(*) filter (where not d.helps)::int, count(*) filter (where d.helps)::int,
    count(*) filter (where d.is_short)::int,
    coalesce(sum(d.speed) filter (where not d.helps), sum(d.speed)), sum(d.speed), min(d.busy),
    coalesce(max(d.busy) filter (where not d.helps), max(d.busy))
  into v_devices, v_helpers, v_short, v_speed, v_max_speed, v_first_free, v_last_free
  from (select w.speed, w.class_id <> v_state.class_id helps,
    v_lane.memory_bucket > 0 and (w.telemetry ->> 'offered_memory')::float8 < 1048576.0 * 2 ^ v_lane.memory_bucket
      and not exists (select from lease l where l.worker_id = w.id and l.fence >= w.oldest_fence) is_short,
    coalesce((select sum((select sum(x) from unnest(l.charges) x) / w.speed - extract(epoch from p_now - l.claimed_at))
      from lease l where l.worker_id = w.id and l.fence >= w.oldest_fence), 0) busy
    from worker w where w.state = 'active' and w.seen_at > p_now - lease_ttl() and not is_held(w)
      and (w.class_id = v_state.class_id and lane_fits(v_lane, w, w.memory_bucket)
        or w.class_id <> v_state.class_id and device_class <> 'host' and w.helps <> '{}'
        and lane_fits(v_lane, as_worker_of_class(w, v_state.class_id), w.memory_bucket))) d;
  reason := case
    when leases_of_job(p_job_id) <> '{}' then 'running'
    when v_job.state = 'scheduled' then 'scheduled'
    when v_place is null and until is not null then 'retrying'
    when v_state.paused or hold ->> 'scope' in ('team', 'device_class') then 'paused'
    when v_state.over_quota then 'quota'
    when v_devices + v_helpers > 0 then case when v_state.slots >= v_state.cap then 'cap'
      when v_short = v_devices + v_helpers then 'memory' end
    when not exists (select from worker w
      where w.class_id = v_state.class_id and w.state = 'active' and w.seen_at > p_now - lease_ttl())
      then 'no_device'
    when not exists (select from worker w
      where w.class_id = v_state.class_id and w.state = 'active' and w.seen_at > p_now - lease_ttl()
        and lane_fits(v_lane, w, w.memory_bucket))
      then 'no_fit'
    else 'draining' end;
  if reason is null or (reason = 'cap' and v_state.cap > 0) then
    select count(*), coalesce(sum(ahead.est_seconds), 0) into tasks_ahead, v_seconds_ahead from (
      select r.est_seconds from unnest(v_state.lanes, v_state.heads) u(lane_id, head) join lane l on l.id = u.lane_id
      cross join lateral (
        select r.seq, r.since, r.est_seconds from ready r
        where r.lane_id = u.lane_id and r.seq > u.head and (u.lane_id <> v_lane.id or r.seq < v_place)
        order by r.seq limit 10000) r
      where u.lane_id = v_lane.id or l.priority > v_lane.priority or (l.priority = v_lane.priority and r.seq < v_place)
      limit 10000) ahead;
    reason := coalesce(reason, case when tasks_ahead > 0 then 'own_jobs' else 'busy' end);
    if tasks_ahead < 10000 then
      select sum(s.weight) into v_weights from account_state s
      where s.class_id = v_state.class_id and s.ready > 0 and not s.paused and not s.over_quota and s.cap > 0;
      -- No team runs on more devices than its cap.
      v_speed := v_speed * least(1, v_state.cap::float8 / coalesce(nullif(v_devices, 0), v_helpers));
      v_max_speed := v_max_speed * least(1, v_state.cap::float8 / (v_devices + v_helpers));
      starts_from := p_now + make_interval(secs => greatest(0, v_first_free) + v_seconds_ahead / v_max_speed);
      starts_by := p_now + make_interval(secs => greatest(0, v_last_free)
        + (v_seconds_ahead * v_weights / v_state.weight
          + greatest(0, v_state.vtime - class_clock(v_state.class_id)) * (v_weights - v_state.weight)) / v_speed);
    end if;
    if reason = 'cap' then
      tasks_ahead := 0;
    end if;
  end if;
  until := case when reason in ('scheduled', 'retrying') then until
    when reason = 'quota' then quota_start(v_state.quota_period, p_now) + ('1 ' || v_state.quota_period)::interval end;
  if reason not in ('paused', 'draining') then
    hold := null;
  end if;
  return next;
end
$$;
