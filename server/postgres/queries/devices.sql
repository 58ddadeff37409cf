-- name: devices.list
select worker_id, node, device, device_class, state, seen, memory_bucket, kinds, capabilities, speed, info, telemetry, tasks_running, registered_at, seen_at
from plimsoll.devices_v1();

-- name: devices.drain
-- $1 worker, $2 true: claim nothing more.
select plimsoll.drain_worker_v1($1::int, $2::boolean);
