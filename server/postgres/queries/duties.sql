-- What `plimsoll serve` does in the background, and what it checks before it is ready.

-- A duty returns how much it did, and does nothing while another server runs it.

-- name: duties.ensure_partitions
select plimsoll.ensure_partitions() as done;

-- name: duties.read_clock
select clock_timestamp() as now;

-- name: duties.expire_leases
select case when pg_try_advisory_xact_lock(1347176781, 100001)
  then (select count(*)::int from plimsoll.expire_leases()) else 0 end as done;

-- name: duties.promote_due
select case when pg_try_advisory_xact_lock(1347176781, 100002) then plimsoll.promote_due() else 0 end as done;

-- name: duties.renew_quotas
select case when pg_try_advisory_xact_lock(1347176781, 100007) then plimsoll.renew_quotas() else 0 end as done;

-- name: duties.mark_unserved
select case when pg_try_advisory_xact_lock(1347176781, 100012) then plimsoll.mark_unserved() else 0 end as done;

-- name: duties.end_overdue
select case when pg_try_advisory_xact_lock(1347176781, 100006)
  then (select count(*)::int from plimsoll.end_overdue()) else 0 end as done;

-- name: duties.retention
-- $1 days to keep.
select case when pg_try_advisory_xact_lock(1347176781, 100003)
  then (select count(*)::int from plimsoll.apply_retention($1::int) where outcome = 'dropped') else 0 end as done;

-- name: duties.expire_keys
select case when pg_try_advisory_xact_lock(1347176781, 100004) then plimsoll.expire_keys() else 0 end as done;

-- name: duties.fold_usage
-- 1 while there may be more to count.
select case when pg_try_advisory_xact_lock(1347176781, 100008) then plimsoll.fold_usage(1000) / 1000 else 0 end as done;

-- name: duties.forget_usage
-- $1 days to keep.
select case when pg_try_advisory_xact_lock(1347176781, 100009) then plimsoll.forget_usage($1::int) else 0 end as done;

-- name: duties.forget_audit
-- $1 days to keep.
select case when pg_try_advisory_xact_lock(1347176781, 100011) then plimsoll.forget_audit($1::int) else 0 end as done;

-- name: duties.watch_vacuum
select case when pg_try_advisory_xact_lock(1347176781, 100010) then plimsoll.watch_vacuum() else 0 end as done;

-- name: duties.expire_uploads
-- $1 hours without activity.
select case when pg_try_advisory_xact_lock(1347176781, 100005) then plimsoll.expire_uploads($1::int) else 0 end as done;

-- name: duties.schema_version
-- Index schema_migration_pkey backwards.
select max(version) from plimsoll.schema_migration;
