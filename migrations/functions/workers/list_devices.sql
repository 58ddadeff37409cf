-- All devices and the leases they hold. state: active, retired, lost, failed (its probe failed, info says
-- why). seen: within the lease time.
-- needs: lease_ttl
create or replace function list_devices(p_now timestamptz default clock_timestamp())
returns table (worker_id int, node text, device text, device_class text, state text, seen boolean,
  memory_bucket smallint, kinds text[], capabilities text[], speed real, info json, telemetry json,
  tasks_running bigint, registered_at timestamptz, seen_at timestamptz)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select w.id, w.node, w.device, c.name, w.state, w.seen_at > p_now - lease_ttl(), w.memory_bucket, w.kinds,
    w.capabilities, w.speed, w.info, w.telemetry,
    coalesce((
      select sum(cardinality(l.jobs)) from lease l where l.worker_id = w.id and l.fence >= w.oldest_fence), 0),
    w.registered_at, w.seen_at
  from worker w join device_class c on c.id = w.class_id order by w.node, w.device;
end;
