-- Duty, every 10 s: records what blocks vacuum, for list_vacuum_holders: the oldest snapshot, slot and prepared
-- transaction, and a slot that is 64 MB of log behind (four files of the default size) and does not advance. Returns
-- for how many seconds the oldest has been blocking, rounded down.
create or replace function watch_vacuum(p_now timestamptz default clock_timestamp()) returns int
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_next constant bigint := pg_current_xact_id()::text::bigint;
  v_behind constant bigint := 64 * 1024 * 1024;
begin
  with held as (
    -- Snapshots of other databases block nothing here; those of a vacuum block nothing anywhere.
    select 'session' holder, v_next - age(a.backend_xmin) as position, 'process ' || a.pid detail
      from pg_stat_activity a
    where a.backend_xmin is not null and a.pid <> pg_backend_pid()
      and coalesce(nullif(a.datid, 0) = (select d.oid from pg_database d where d.datname = current_database()), true)
      and a.pid not in (select v.pid from pg_stat_progress_vacuum v)
    union all
    select 'replication_slot', v_next - greatest(age(s.xmin), age(s.catalog_xmin)), s.slot_name
      from pg_replication_slots s
    where coalesce(s.xmin, s.catalog_xmin) is not null
    union all
    select 'prepared_transaction', v_next - age(p.transaction), p.gid from pg_prepared_xacts p
      where p.database = current_database()
  ), oldest as materialized (
    select distinct on (holder) holder, position, detail from (
      -- A snapshot that began with the latest transaction blocks nothing.
      select * from held where position < v_next
      union all
      select 'replication_log', pg_wal_lsn_diff(s.restart_lsn, '0/0')::bigint, s.slot_name from pg_replication_slots s
      where pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn) > v_behind) every
    order by holder, position, detail
  ), gone as (
    delete from vacuum_horizon h where not exists (select from oldest o where o.holder = h.holder)
  )
  insert into vacuum_horizon as h (holder, position, detail, since) select o.holder, o.position, o.detail, p_now
    from oldest o
  on conflict (holder) do update set position = excluded.position, detail = excluded.detail,
    since = case when h.position = excluded.position then h.since else excluded.since end;
  return (select coalesce(max(floor(extract(epoch from p_now - since))), 0)::int from vacuum_horizon);
end
$$;
