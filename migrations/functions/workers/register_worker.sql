-- Registers a worker. p_device: stable on its node; p_kinds: kind:version; p_memory_bucket: it has 2^n MiB; p_speed:
-- normalised seconds per device-second, usually 1; p_info: shown in /v1/devices; its home distinguishes machines with
-- the same name; p_helps: those of p_kinds whose tasks it also runs for other device classes. The same (node, device)
-- keeps its ID and gets a new epoch; tasks that the old process held run elsewhere immediately. No row: a live worker
-- with another home has this name. Without homes, the newer worker counts as the successor of the older one.
-- p_died_fences, p_died_jobs, p_died_tasks: what the old process, which died, was running then (end_as_died); it had
-- not begun anything else. Null: that is not known, or it is the same process. p_info ->> 'last_exit', how the old
-- process ended, goes into the log of the attempts that it lost.
create or replace function register_worker(p_node text, p_device text, p_device_class text, p_kinds text[],
  p_capabilities text[], p_memory_bucket smallint, p_speed real, p_info json, p_helps text[],
  p_now timestamptz default clock_timestamp(), p_died_fences bigint[] default null, p_died_jobs bigint[] default null,
  p_died_tasks int[] default null)
returns table (worker_id int, epoch int) language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_worker worker;
  v_class smallint;
begin
  select id into v_class from device_class where name = p_device_class;
  if not found then
    raise exception 'unknown device class %', p_device_class using errcode = 'invalid_parameter_value';
  end if;
  select * into v_worker from worker w where w.node = p_node and w.device = p_device for update;
  if found then
    if worker_is_alive(v_worker, v_worker.epoch, p_now) and v_worker.info ->> 'home' <> p_info ->> 'home' then
      return;
    end if;
    if p_died_fences is null then
      perform end_leases(v_worker, '{}', p_now, 'lost', p_now);
    else
      perform end_as_died(v_worker, p_died_fences, p_died_jobs, p_died_tasks, p_now);
      if p_info ->> 'last_exit' <> '' then
        perform log_worker_exit(v_worker, p_info ->> 'last_exit', p_now);
      end if;
    end if;
  end if;
  return query
  insert into worker as w (node, device, epoch, class_id, kinds, capabilities, memory_bucket, speed, info, state,
    registered_at, seen_at, helps)
  values (p_node, p_device, 1, v_class, p_kinds, p_capabilities, p_memory_bucket, p_speed, p_info, 'active', p_now,
    p_now, p_helps)
  on conflict (node, device) do update set epoch = w.epoch + 1, class_id = excluded.class_id, kinds = excluded.kinds,
    capabilities = excluded.capabilities, memory_bucket = excluded.memory_bucket, speed = excluded.speed,
    info = excluded.info, telemetry = null, progress = '{}', state = 'active', registered_at = p_now, seen_at = p_now,
    helps = excluded.helps
  returning w.id, w.epoch;
end
$$;
