-- Queries of the monitoring, at most every few seconds.

-- name: statistics.queue_depth
select device_class, state, tasks from plimsoll.queue_depth();
