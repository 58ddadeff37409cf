-- Lists an unusable device as failed, with its probe's result (p_info; capability.reason says why). False: a worker
-- runs on it.
create or replace function report_device(p_node text, p_device text, p_device_class text, p_info json,
  p_now timestamptz default clock_timestamp())
returns boolean language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
    if worker_is_alive(v_worker, v_worker.epoch, p_now) then
      return false;
    end if;
    perform end_leases(v_worker, '{}', p_now, 'lost', p_now);
  end if;
  insert into worker as w (node, device, epoch, class_id, kinds, capabilities, memory_bucket, speed, info, state,
    registered_at, seen_at)
  values (p_node, p_device, 1, v_class, '{}', '{}', 0, 1, p_info, 'failed', p_now, p_now)
  on conflict (node, device) do update set epoch = w.epoch + 1, class_id = excluded.class_id, kinds = '{}',
    capabilities = '{}', info = excluded.info, telemetry = null, progress = '{}', state = 'failed', seen_at = p_now;
  return true;
end
$$;
