-- What holds back vacuum: an old snapshot of a session (of a standby, too), a replication slot, a prepared transaction. No
-- dead row that is younger than the oldest of them can be removed, and every table of the queue grows.
--
-- Since when a session's snapshot is held may be seen by few roles only, but its number by all. So a duty writes down the
-- oldest number of each sort, and since when it has been that number.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table vacuum_horizon (
  holder text primary key check (holder in ('session', 'replication_slot', 'prepared_transaction')),
  position bigint not null,  -- the transaction from which on dead rows stay
  detail text not null,  -- which one it is
  since timestamptz not null  -- first seen there
);
grant select, insert, update, delete on vacuum_horizon to plimsoll_queue;

set local role plimsoll_queue;
set local search_path = plimsoll;

-- Looks again; answers for how many seconds the oldest has been held, rounded down.
create function watch_vacuum_v1(p_now timestamptz default clock_timestamp()) returns int
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_next constant bigint := pg_current_xact_id()::text::bigint;
begin
  with held as (
    -- Snapshots of other databases keep nothing here; those of a vacuum keep nothing anywhere.
    select 'session' holder, age(a.backend_xmin) age, 'process ' || a.pid detail from pg_stat_activity a
    where a.backend_xmin is not null and a.pid <> pg_backend_pid()
      and coalesce(nullif(a.datid, 0) = (select d.oid from pg_database d where d.datname = current_database()), true)
      and a.pid not in (select v.pid from pg_stat_progress_vacuum v)
    union all
    select 'replication_slot', age(s.xmin), s.slot_name from pg_replication_slots s where s.xmin is not null
    union all
    select 'prepared_transaction', age(p.transaction), p.gid from pg_prepared_xacts p where p.database = current_database()
  ), oldest as materialized (
    -- One that began with the latest transaction holds back nothing.
    select distinct on (holder) holder, v_next - age as position, detail from held where age > 0 order by holder, age desc, detail
  ), gone as (
    delete from vacuum_horizon h where not exists (select from oldest o where o.holder = h.holder)
  )
  insert into vacuum_horizon as h (holder, position, detail, since) select o.holder, o.position, o.detail, p_now from oldest o
  on conflict (holder) do update set position = excluded.position, detail = excluded.detail,
    since = case when h.position = excluded.position then h.since else excluded.since end;
  return (select coalesce(max(floor(extract(epoch from p_now - since))), 0)::int from vacuum_horizon);
end
$$;

-- What held back vacuum at the last look, the longest first.
create function vacuum_holders_v1(p_now timestamptz default clock_timestamp())
returns table (holder text, detail text, since timestamptz, seconds float8)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select h.holder, h.detail, h.since, extract(epoch from p_now - h.since)::float8 from vacuum_horizon h order by h.since, h.holder;
end;

grant execute on function watch_vacuum_v1, vacuum_holders_v1 to plimsoll_app;
