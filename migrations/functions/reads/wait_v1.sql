-- Why a job that has not ended is not running just now. reason, the first that holds:
--   running (a worker has tasks of it) · scheduled · retrying (until: when the first task is tried again) · paused ·
--   no_device (none of the class is there) · no_fit (none of them can run it) · draining (those that could take nothing
--   new) · cap (the team holds as many devices as it may) · own_jobs (tasks_ahead: of the team, at most 10,000 counted) ·
--   busy (its turn is near; the devices are at other work).
create or replace function wait_v1(p_team_id bigint, p_job_id bigint, p_now timestamptz default clock_timestamp())
returns table (reason text, until timestamptz, tasks_ahead bigint, device_class text) language plpgsql stable security definer
  set search_path = plimsoll, pg_temp set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_job job;
  v_lane lane;
  v_state account_state;
  v_place bigint;
begin
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
  select min(r.seq) into v_place from ready r where r.lane_id = v_lane.id and r.job_id = p_job_id and r.seq >= v_job.ready_first and r.seq <= v_job.ready_last
    and r.seq > coalesce(v_state.heads[array_position(v_state.lanes, v_lane.id)], 0);
  reason := case
    when fences_of(p_job_id) <> '{}' then 'running'
    when v_job.state = 'scheduled' then 'scheduled'
    when v_place is null and until is not null then 'retrying'
    when v_state.paused then 'paused'
    when not exists (select from worker w where w.class_id = v_state.class_id and w.state in ('active', 'draining') and w.seen_at > p_now - lease_ttl())
      then 'no_device'
    when not exists (select from worker w where w.class_id = v_state.class_id and w.state in ('active', 'draining') and w.seen_at > p_now - lease_ttl()
        and lane_fits(v_lane, w, w.memory_bucket)) then 'no_fit'
    when not exists (select from worker w where w.class_id = v_state.class_id and w.state = 'active' and w.seen_at > p_now - lease_ttl()
        and lane_fits(v_lane, w, w.memory_bucket)) then 'draining'
    when v_state.slots >= v_state.cap then 'cap' end;
  if reason is null then
    select count(*) into tasks_ahead from (
      select from unnest(v_state.lanes, v_state.heads) u(lane_id, head) join lane l on l.id = u.lane_id
      cross join lateral (select r.seq, r.since from ready r where r.lane_id = u.lane_id and r.seq > u.head
          and (u.lane_id <> v_lane.id or r.seq < v_place) order by r.seq limit 10000) r
      where u.lane_id = v_lane.id or l.priority > v_lane.priority or (l.priority = v_lane.priority and r.seq < v_place)
      limit 10000) ahead;
    reason := case when tasks_ahead > 0 then 'own_jobs' else 'busy' end;
  end if;
  if reason not in ('scheduled', 'retrying') then
    until := null;
  end if;
  return next;
end
$$;
