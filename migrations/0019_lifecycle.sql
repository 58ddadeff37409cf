-- What becomes of a job that does not simply run to its end: tasks that fail or kill their workers, times that pass,
-- and another go at what failed.
set local role plimsoll_owner;
set local search_path = plimsoll;

alter table job
  add column retries int not null default 0,  -- attempts of its tasks that were followed by another
  add column last_error text,  -- what the last attempt that failed said, for people
  add column deadline timestamptz,  -- by which it must have ended
  add column timeout_seconds real check (timeout_seconds > 0),  -- from its start
  add column stop_error text,  -- of a job that fails because its time is over: why
  add column unique_key text check (length(unique_key) between 1 and 255);
-- Workers know by the kind of an error how often to try; this holds whatever they say.
alter table job alter column max_attempts set default 20;

-- A partition's constraint stands on its own, and goes only by its own name.
do $$
declare
  v_table regclass;
begin
  alter table event drop constraint event_type_check;
  for v_table in select inhrelid::regclass from pg_inherits where inhparent = 'event'::regclass loop
    execute format('alter table %s drop constraint if exists event_type_check', v_table);
  end loop;
  alter table event add constraint event_type_check check (type in
    ('queued', 'started', 'retried', 'quarantined', 'cancelling', 'finished', 'redriven'));
end
$$;

-- When to look whether a job must be stopped. A row outlives a job that ended before, and is then ignored.
create table overdue (
  at timestamptz not null,
  job_id bigint not null
);
create index overdue_at on overdue (at);
alter table overdue set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);

-- Which job of a team has a unique key. The row outlives the job's end: whoever wants the key then takes it over.
create table unique_key (
  team_id bigint not null,
  key text not null,
  job_id bigint not null,
  taken_at timestamptz not null,
  primary key (team_id, key)
);
alter table unique_key enable row level security, force row level security;
create policy owner on unique_key to plimsoll_owner using (true) with check (true);
create policy queue on unique_key to plimsoll_queue using (true) with check (true);
grant select, insert, update, delete on overdue, unique_key to plimsoll_queue;
