-- What the connected devices of a job's class lack for its tasks, where explain_wait answers no_fit:
--   missing      capabilities that none has
--   instead      those that they have of the same sort and name: other files of a model, or other forms
--   nodes        that may come back (worker_absence) with one of the missing
--   memory_mib   what is needed, if none has that much memory
-- No row: the team has no such job, or it has ended.
-- needs: assert_team, lease_ttl, worker_absence
create or replace function explain_missing(p_team_id bigint, p_job_id bigint, p_now timestamptz
  default clock_timestamp()) returns table (missing text[], instead text[], nodes text[], memory_mib bigint)
  language plpgsql stable security definer set search_path = plimsoll, pg_temp set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_lane lane;
  v_class smallint;
  v_max smallint;
begin
  perform assert_team(p_team_id);
  select l.* into v_lane from job j join lane l on l.id = j.lane_id
  where j.id = p_job_id and j.team_id = p_team_id and j.finished_at is null;
  if not found then
    return;
  end if;
  select a.class_id into v_class from account a where a.id = v_lane.account_id;
  missing := array(
    select u.need from unnest(string_to_array(nullif(v_lane.capability, ''), ',')) with ordinality u(need, place)
    where not exists (select from worker w where w.class_id = v_class and w.state = 'active'
      and w.seen_at > p_now - lease_ttl() and u.need = any(w.capabilities))
    order by u.place);
  instead := array(
    select distinct h.has from worker w cross join unnest(w.capabilities) h(has) cross join unnest(missing) m(need)
    where w.class_id = v_class and w.state = 'active' and w.seen_at > p_now - lease_ttl()
      and split_part(h.has, ' ', 1) = split_part(m.need, ' ', 1)
      and split_part(h.has, ' ', 2) = split_part(m.need, ' ', 2)
    order by h.has);
  nodes := array(
    select distinct w.node from worker w
    where w.class_id = v_class and w.seen_at > p_now - worker_absence() and w.capabilities && missing order by w.node);
  select max(w.memory_bucket) into v_max from worker w
  where w.class_id = v_class and w.state = 'active' and w.seen_at > p_now - lease_ttl();
  if v_lane.memory_bucket > v_max then
    memory_mib := 1::bigint << v_lane.memory_bucket;
  end if;
  return next;
end
$$;
