-- Upgrades a database of the development schema 0058, the last of 58 files, to version 1. Functions and rights follow.
do $$
declare
  v_function regprocedure;
begin
  -- One by one, because dropping a function drops what depends on it. Triggers are dropped too, and recreated with
  -- their functions.
  loop
    select p.oid into v_function from pg_proc p where p.pronamespace = 'plimsoll'::regnamespace limit 1;
    exit when not found;
    execute format('drop function %s cascade', v_function);
  end loop;
end
$$;

set local role plimsoll_queue;
set local search_path = plimsoll;
alter type given rename to claimed_tasks;
create type claim_turns as (horizon float8, room int, spots tid[], ids int[], vtimes float8[], weights float8[],
  readys int[], quotas float8[], last_lanes int[], lanes int[], heads bigint[], counts int[]);

set local role plimsoll_owner;
alter table training_measurement rename likeness to comparison_key;
update training_measurement
set data = (data::jsonb - 'likeness') || jsonb_build_object('comparison_key', data -> 'likeness');
alter table report_baseline rename likeness to comparison_key;
alter table report_baseline rename constraint report_baseline_likeness_check to report_baseline_comparison_key_check;
alter index report_baseline_likeness rename to report_baseline_comparison_key;
alter policy team on team
  using (id = nullif(current_setting('app.team_id', true), '')::bigint or current_setting('app.system', true) = 'on')
  with check (id = nullif(current_setting('app.team_id', true), '')::bigint
    or current_setting('app.system', true) = 'on');

create table schema_function (
  name text primary key,
  sha256 bytea not null check (octet_length(sha256) = 32)
);
create table schema_set (
  version int not null
);
create unique index schema_set_one_row on schema_set ((true));
comment on column vacuum_horizon.position is null;
delete from schema_migration;
