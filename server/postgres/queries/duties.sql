-- What serve does in the background, and what it asks before it says it is ready.

-- name: duties.ensure_partitions
select plimsoll.ensure_partitions_v1();

-- name: duties.expire_leases
select worker_id, tasks from plimsoll.expire_leases_v1();

-- name: duties.promote_due
select plimsoll.promote_due_v1();

-- name: duties.retention
-- $1 days to keep.
select day, outcome from plimsoll.retention_v1($1::int);

-- name: duties.expire_keys
select plimsoll.expire_keys_v1();

-- name: duties.schema_version
-- Index schema_migration_pkey backwards.
select max(version) from plimsoll.schema_migration;

-- name: duties.oldest_snapshot
-- Seconds since the oldest open snapshot or transaction id began: above 60 it holds back vacuum.
select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 from pg_stat_activity
where backend_xmin is not null and pid <> pg_backend_pid();
