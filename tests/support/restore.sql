-- Keeps what is in the tables and sequences of plimsoll now, for saved.restore() to bring back. That deletes rows, without
-- triggers and checks, where there may be any: truncating all tables takes a hundred times as long, and so does a copy
-- of the database.
drop schema if exists saved cascade;
create schema saved;
create function saved.end_sessions() returns void language plpgsql as $$
begin
  loop
    perform pg_stat_clear_snapshot();
    perform pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid();
    exit when not found;
    perform pg_sleep(0.001);
  end loop;
end $$;
do $$
declare
  name text;
  filled boolean;
begin
  for name in select relname from pg_class
    where relnamespace = 'plimsoll'::regnamespace and relkind = 'r' and relname not like 'schema\_%'
  loop
    execute format('select exists (select from plimsoll.%I)', name) into filled;
    if filled then execute format('create table saved.%1$I as table plimsoll.%1$I', name); end if;
  end loop;
end $$;
create table saved.position as
  select format('%I.%I', schemaname, sequencename)::regclass as sequence,
    coalesce(last_value, start_value) as value, last_value is not null as is_called
  from pg_sequences where schemaname = 'plimsoll';
create function saved.restore() returns void language plpgsql set session_replication_role = replica as $$
declare
  written record;
begin
  for written in
    select relname, to_regclass(format('saved.%I', relname)) is not null as is_saved,
      (select string_agg(quote_ident(attname), ', ') from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
    from pg_class c
    where relnamespace = 'plimsoll'::regnamespace and relkind = 'r' and relname not like 'schema\_%'
      and (pg_relation_size(c.oid) > 0 or to_regclass(format('saved.%I', relname)) is not null)
  loop
    execute format('delete from plimsoll.%I', written.relname);
    if written.is_saved then
      execute format('insert into plimsoll.%1$I (%2$s) overriding system value select %2$s from saved.%1$I',
        written.relname, written.columns);
    end if;
  end loop;
  perform setval(sequence, value, is_called) from saved.position;
end $$;
