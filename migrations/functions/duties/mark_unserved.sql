-- Duty, every two seconds: marks lanes with waiting tasks as unserved if no worker of their class has their model, or
-- the memory for it, any more. Any worker of the class may then run their tasks; each task uses another model or fails
-- with the reason. Workers that may come back (worker_absence) still count. A lane is served again as
-- soon as a worker has what it needs. Returns the number of lanes that changed.
--
-- Locks: the classes in which lanes change, in order.
create or replace function mark_unserved(p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_class smallint;
  v_lanes int[];
  v_changed int := 0;
begin
  for v_class in select c.id from device_class c order by c.id loop
    for looking in 1 .. 2 loop
      v_lanes := array(
        select l.id from (
          select u.id from account_state s cross join unnest(s.lanes) u(id) where s.class_id = v_class and s.ready > 0
          union
          select o.id from lane o join account a on a.id = o.account_id where o.unserved and a.class_id = v_class) x
        join lane l on l.id = x.id
        where l.capability like 'model %' and l.unserved <> (
          exists (select from worker w where w.class_id = v_class and w.state = 'active'
            and w.seen_at > p_now - lease_ttl() and (l.kind || ':' || l.kind_version) = any(w.kinds))
          and not exists (select from worker w where w.class_id = v_class and w.seen_at > p_now - worker_absence()
            and has_needs_of_lane(l, w, w.memory_bucket))));
      exit when v_lanes = '{}' or looking = 2;
      perform lock_class(v_class);
    end loop;
    update lane set unserved = not unserved where id = any(v_lanes);
    v_changed := v_changed + cardinality(v_lanes);
  end loop;
  return v_changed;
end
$$;
