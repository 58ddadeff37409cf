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

-- name: duties.unnamed_objects
-- $1 names.
select name from plimsoll.unnamed_objects($1::text[]);

-- name: duties.schema_version
-- And the number of its functions' set. Index schema_migration_pkey backwards.
select coalesce(max(version), 0)::int as done, coalesce((select version from plimsoll.schema_set), 0)::int as function_set
from plimsoll.schema_migration;

-- name: duties.unsuitable
-- What of the settings does not suit Plimsoll, as the connected role has them; fatal: it cannot work so.
select fatal, what from (values
  (true, pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean,
    'The database is read-only, such as a standby: connect to the primary, for example with target_session_attrs=read-write.'),
  (true, current_setting('default_transaction_isolation') <> 'read committed',
    'default_transaction_isolation is ' || current_setting('default_transaction_isolation') || ', and the queue needs read committed.'),
  (true, getdatabaseencoding() <> 'UTF8', 'The encoding is ' || getdatabaseencoding() || ', and names need UTF8.'),
  (false, current_setting('jit')::boolean, 'jit is on: compiling short queries takes far longer than running them.'),
  (false, current_setting('statement_timeout') in ('0', '0ms'),
    'statement_timeout is 0: statements that a server gave up on run on.'),
  (false, extract(epoch from current_setting('statement_timeout')::interval) between 0.001 and 9.999,
    'statement_timeout is ' || current_setting('statement_timeout') || ': some calls take 10 s.'),
  (false, extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval) not between 1 and 60,
    'idle_in_transaction_session_timeout is ' || current_setting('idle_in_transaction_session_timeout')
    || ': a server that freezes would block all others; 10s suits.'),
  (false, current_setting('idle_session_timeout') not in ('0', '0ms'),
    'idle_session_timeout is ' || current_setting('idle_session_timeout') || ': it closes connections that wait for work.'),
  (false, not current_setting('fsync')::boolean, 'fsync is off: a crash of the machine can destroy the database.'),
  (false, not current_setting('full_page_writes')::boolean,
    'full_page_writes is off: a crash of the machine can destroy the database.'),
  (false, current_setting('synchronous_commit') = 'off', 'synchronous_commit is off: a crash loses jobs that were accepted.'),
  (false, pg_size_bytes(current_setting('max_wal_size')) < 512 * 1024 * 1024,
    'max_wal_size is ' || current_setting('max_wal_size') || ': checkpoints come often; 1GB suits.'),
  (false, not current_setting('autovacuum')::boolean, 'autovacuum is off: queries of the queue become slower and slower.'),
  (false, (select d.datcollversion <> pg_database_collation_actual_version(d.oid) from pg_database d
      where d.datname = current_database()),
    'The collation has another version than when the database was made: rebuild its indexes, then run '
    || 'alter database … refresh collation version.')
) s(fatal, is_so, what) where is_so;
