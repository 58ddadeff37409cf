-- name: devices.list
select d.worker_id, d.node, d.device, d.device_class, d.state, d.seen, d.memory_bucket, d.kinds, d.capabilities, d.speed, d.info, d.telemetry,
  d.tasks_running, d.registered_at, d.seen_at, c.asked_at as cleanup_asked_at, c.asked_by as cleanup_asked_by, c.ended_at as cleanup_ended_at,
  c.result as cleanup_result
from plimsoll.list_devices() d left join plimsoll.list_cleanups() c on c.worker_id = d.worker_id;

-- name: devices.ask_cleanup
-- $1 node, $2 device, $3 user, $4 request id. No row: the device does not exist.
with done as materialized (
  select outcome from plimsoll.request_cleanup($1::text, $2::text, $3::bigint)
), told as (
  insert into plimsoll.audit_event (user_id, action, target, request_id)
  select $3::bigint, 'device.cleanup', $1::text || ' ' || $2::text, $4::text from done where outcome <> 'gone'
)
select outcome from done;
