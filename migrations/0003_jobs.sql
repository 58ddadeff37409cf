-- Jobs and everything that belongs to one, partitioned by the job's creation day.
--
-- A job id is day << 40 | sequence, day counted from 1970-01-01 UTC. Ranges of the id are ranges of days,
-- so the id alone is partition key and primary key: uniqueness holds, every look-up by id prunes to one
-- partition, and a day is dropped whole. No foreign keys between these tables: they would cost a look-up
-- per row, and all writes go through the queue's functions.
set local role plimsoll_owner;
set local search_path = plimsoll;

create sequence job_seq;

create table job (
  id bigint primary key,
  team_id bigint not null,
  user_id bigint not null,
  kind text not null,
  kind_version smallint not null,
  name text,
  labels jsonb not null default '{}',
  args json not null,  -- exactly as accepted; no SQL looks inside
  device_class text not null,
  lane_id int not null,
  priority smallint not null,
  merge boolean not null,
  max_attempts smallint not null default 3,
  state text not null,
  error text,  -- why it failed, for people
  created_at timestamptz not null,
  run_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  cancel_requested_at timestamptz,
  items_total bigint not null,
  items_ok bigint not null default 0,
  items_failed bigint not null default 0,
  tasks_total int not null check (tasks_total > 0),
  tasks_left int not null check (tasks_left >= 0),
  tasks_quarantined int not null default 0,
  charged_seconds float8 not null default 0,  -- measured, normalised device-seconds
  last_event int not null default 1,
  revision int not null default 1,  -- grows with every change; an ETag
  ready_first bigint,  -- where in its lane the job's tasks stand: cancel looks nowhere else
  ready_last bigint,
  constraint job_state check (state in
    ('blocked', 'scheduled', 'queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled')),
  constraint job_finished check ((finished_at is not null) = (state in ('succeeded', 'failed', 'cancelled'))),
  constraint job_items check (items_ok + items_failed <= items_total),
  constraint job_merge check (merge or tasks_total = 1)
) partition by range (id);
create index job_team on job (team_id, id);
-- finished_at and not state: a state that changes inside an index's predicate could never be a HOT update.
create index job_unfinished on job (team_id, id) where finished_at is null;

create table task (
  job_id bigint not null,
  seq int not null,
  team_id bigint not null,
  first_item bigint not null,  -- how many items of the job come before this task's
  items int not null check (items >= 0),
  est_seconds real not null check (est_seconds > 0),  -- normalised device-seconds
  input bytea,
  primary key (job_id, seq)
) partition by range (job_id);
alter table task alter column input set storage external;

-- How a task ended. Being ready, leased or retrying is standing in ready, lease or scheduled.
create table result (
  job_id bigint not null,
  seq int not null,
  team_id bigint not null,
  state text not null,
  fence bigint not null,  -- of the lease that recorded it
  worker_id int not null,
  attempt smallint not null,
  items_ok int not null,
  items_failed int not null,
  seconds real not null,  -- measured, normalised
  bytes int not null,
  content bytea,  -- one gzip member of JSON lines, in input order: chunks concatenate to a download
  partial bytea,  -- aggregate for the merge task
  error text,
  finished_at timestamptz not null,
  primary key (job_id, seq),
  constraint result_state check (state in ('done', 'quarantined'))
) partition by range (job_id);
alter table result alter column content set storage external;

-- Attempts that did not end their task well.
create table attempt (
  job_id bigint not null,
  seq int not null,
  fence bigint not null,
  team_id bigint not null,
  attempt smallint not null,
  outcome text not null check (outcome in ('retry', 'final', 'worker_lost')),
  worker_id int not null,
  error text,
  at timestamptz not null,
  primary key (job_id, seq, fence)
) partition by range (job_id);

-- What happened to a job, numbered without gaps under the job row's lock. Number 1 (submitted) is the job's
-- row itself and is not stored.
create table event (
  job_id bigint not null,
  n int not null check (n > 1),
  team_id bigint not null,
  at timestamptz not null,
  type text not null check (type in
    ('queued', 'started', 'retried', 'quarantined', 'cancelling', 'finished')),
  data json not null default '{}',
  primary key (job_id, n)
) partition by range (job_id);

create table report (
  job_id bigint primary key,
  team_id bigint not null,
  fence bigint not null,
  content bytea not null,  -- UTF-8 JSON
  created_at timestamptz not null
) partition by range (job_id);

create function day_of(p_at timestamptz) returns int language sql immutable
return (p_at at time zone 'UTC')::date - date '1970-01-01';

-- Makes the partitions of today and of the days ahead. Idempotent; a start and a duty call it.
create function ensure_partitions_v1(p_days_ahead int default 3, p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_made int := 0;
  v_day int;
  v_table text;
  v_name text;
begin
  perform pg_advisory_xact_lock(1347176781, 0);  -- two servers that start at once
  for v_day in day_of(p_now) .. day_of(p_now) + p_days_ahead loop
    foreach v_table in array array['job', 'task', 'result', 'attempt', 'event', 'report'] loop
      v_name := v_table || '_' || v_day;
      continue when to_regclass('plimsoll.' || v_name) is not null;
      -- Made aside and then attached: the attach takes a weaker lock than PARTITION OF.
      execute format('create table %I (like %I including all) with (fillfactor = %s)',
        v_name, v_table, case v_table when 'job' then 80 else 100 end);  -- job rows are updated in place
      execute format('alter table %I enable row level security, force row level security', v_name);
      execute format('alter table %I attach partition %I for values from (%s) to (%s)',
        v_table, v_name, v_day::bigint << 40, (v_day + 1)::bigint << 40);
      v_made := v_made + 1;
    end loop;
  end loop;
  return v_made;
end
$$;

-- Drops the days older than p_keep_days, oldest first, one day a call. A day with an unfinished job stays.
-- The wait for the lock is short, so claims never queue behind it: 'busy' means try again at the next tick.
create function retention_v1(p_keep_days int, p_now timestamptz default clock_timestamp())
returns table (day date, outcome text) language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_day int;
  v_table text;
begin
  for v_day in
    select substr(c.relname, 5)::int d from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'job'::regclass and substr(c.relname, 5)::int < day_of(p_now) - p_keep_days order by d
  loop
    day := date '1970-01-01' + v_day;
    -- Through the parent: it has the policy that lets this role see rows.
    if exists (select from job where finished_at is null
        and id >= v_day::bigint << 40 and id < (v_day + 1)::bigint << 40) then
      outcome := 'unfinished';
      return next;
      continue;
    end if;
    begin
      perform set_config('lock_timeout', '50ms', true);
      foreach v_table in array array['job', 'task', 'result', 'attempt', 'event', 'report'] loop
        execute format('drop table %I', v_table || '_' || v_day);
      end loop;
      outcome := 'dropped';
    exception when lock_not_available then
      outcome := 'busy';
    end;
    return next;
    return;
  end loop;
end
$$;
