-- Jobs and their data, partitioned by the job's creation day.
--
-- A job ID is day << 40 | sequence, day counted from 1970-01-01 UTC. Ranges of the ID are ranges of days, so the ID
-- alone is partition key and primary key: it is unique, every look-up by ID prunes to one partition, and a day is
-- dropped whole. No foreign keys between these tables: they would cost a look-up per row, and all writes go through the
-- queue's functions.
--
-- No CHECK on columns that only the queue's functions write: PostgreSQL loads a table's checks for every statement that
-- writes a row, a fifth of the cost of a submit or a claim. The functions check their arguments;
-- tests/support/queue_invariants.py looks for violations.
set local role plimsoll_owner;
set local search_path = plimsoll;

create sequence job_seq;  -- also of tasks that wait again: see ready.seq

create table job (
  id bigint primary key,
  team_id bigint not null,
  user_id bigint not null,
  kind text not null,
  kind_version smallint not null,
  name text,
  labels jsonb not null default '{}',
  args json not null,  -- exactly as accepted; SQL looks at nothing but "dataset"
  device_class text not null,
  lane_id int not null,
  priority smallint not null,
  merge boolean not null,
  -- workers derive the number of retries from the kind of error; this limit always applies
  max_attempts smallint not null default 20,
  state text not null,  -- scheduled, queued, running, cancelling, succeeded, failed, cancelled
  error text,  -- why it failed, for people
  created_at timestamptz not null,
  run_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  cancel_requested_at timestamptz,
  items_total bigint not null,
  items_ok bigint not null default 0,
  items_failed bigint not null default 0,
  tokens_done bigint not null default 0,  -- that models have read
  tasks_total int not null,
  tasks_left int not null,
  tasks_quarantined int not null default 0,
  charged_seconds float8 not null default 0,  -- measured, normalised device-seconds
  last_event int not null default 1,
  started_event int,  -- number of the event of its last start
  revision int not null default 1,  -- grows with every change; an ETag
  ready_first bigint,  -- where in its lane the job's tasks are: a cancel looks nowhere else
  ready_last bigint,
  dataset_id bigint,  -- its tasks run on the dataset's chunks; null: tasks have inputs
  slices int not null default 1,  -- tasks of each chunk, which may be too much work for one
  retries int not null default 0,  -- attempts that were followed by another
  last_error text,  -- error of the last failed attempt, for people
  deadline timestamptz,  -- by which it must have ended
  timeout_seconds real,  -- from its start
  stop_error text,  -- why a job fails whose time is over
  unique_key text,
  schedule_id bigint,  -- the schedule that created it
  due_at timestamptz,  -- for when
  trace bytea,  -- of the request, for workers; null: it is not traced
  -- Of its only task, if that has a short input: it then has no row in task. Last, because no update changes them.
  est_seconds real,  -- null: its tasks have rows
  input bytea,
  constraint job_slices check (slices >= 1)
) partition by range (id);
-- Of columns that never change: an update of a column in an index, or in its predicate, can never be a HOT update.
create index job_team on job (team_id, id);
create index job_dataset on job (dataset_id) where dataset_id is not null;
create index job_kind on job (team_id, kind, id);

-- The jobs that have not succeeded, for lists of those alone.
create table job_standing (
  team_id bigint not null,
  standing text not null,  -- unfinished, failed, cancelled
  job_id bigint not null,
  primary key (team_id, standing, job_id)
) partition by range (job_id);

-- The tasks that have rows of their own; job_task has all.
create table task (
  job_id bigint not null,
  seq int not null,
  team_id bigint not null,
  first_item bigint not null,  -- how many items of the job come before this task's
  items int not null,
  est_seconds real not null,  -- normalised device-seconds
  input bytea,
  primary key (job_id, seq)
) partition by range (job_id);
alter table task alter column input set storage external;
create view job_task with (security_invoker) as
  select job_id, seq, team_id, first_item, items, est_seconds, input from task
  union all
  select id, 0, team_id, 0::bigint, items_total::int, est_seconds, input from job where est_seconds is not null;

-- How a task ended. Ready, leased and retrying tasks are rows in ready, lease and scheduled.
create table result (
  job_id bigint not null,
  seq int not null,
  team_id bigint not null,
  state text not null,  -- done, quarantined
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
  primary key (job_id, seq)
) partition by range (job_id);
alter table result alter column content set storage external;

-- Failed attempts at tasks.
create table attempt (
  job_id bigint not null,
  seq int not null,
  fence bigint not null,
  team_id bigint not null,
  attempt smallint not null,
  outcome text not null,  -- retry, final, worker_died, worker_lost
  worker_id int not null,
  error text,
  claimed_at timestamptz not null,
  at timestamptz not null,
  primary key (job_id, seq, fence)
) partition by range (job_id);
-- Where a worker process that ended left its attempts: rare, and read when the next one registers.
create index attempt_lost on attempt (worker_id, at) where outcome in ('worker_died', 'worker_lost');

-- What workers wrote about attempts. The rest of a job's log is read from attempts, results and leases.
create table task_log (
  job_id bigint not null,
  seq int not null,
  fence bigint not null,  -- of the attempt
  n int not null,  -- from 1 within the attempt; 1001: how its worker process ended
  team_id bigint not null,
  attempt smallint not null,
  level smallint not null check (level between 1 and 3),  -- info, warning, error
  at timestamptz not null,
  text text not null check (length(text) <= 500),
  primary key (job_id, seq, fence, n)
) partition by range (job_id);

-- Events of a job, numbered without gaps under the job row's lock, except those that the job's row tells itself: see
-- job_event.
create table event (
  job_id bigint not null,
  n int not null,  -- from 2
  team_id bigint not null,
  at timestamptz not null,
  type text not null,  -- queued, retried, quarantined, cancelling, redriven; before a redrive also started, finished
  data json not null default '{}',
  primary key (job_id, n)
) partition by range (job_id);
create view job_event with (security_invoker) as
  select id job_id, 1 n, team_id, created_at at, 'submitted' type, '{}'::json data from job
  union all
  select id, started_event, team_id, started_at, 'started', '{}' from job where started_event is not null
  union all
  select id, last_event, team_id, finished_at, 'finished',
    json_strip_nulls(json_build_object('state', state, 'error', error)) from job where finished_at is not null
  union all
  select job_id, n, team_id, at, type, data from event;

create table report (
  job_id bigint primary key,
  team_id bigint not null,
  fence bigint not null,
  content bytea not null,  -- UTF-8 JSON
  created_at timestamptz not null
) partition by range (job_id);

-- Labels as rows, so that a page of jobs with a label costs only that page: under row-level security an index on jsonb
-- is not used, because its operators are not leakproof (they may reveal rows of others), while = on text is.
create table job_label (
  job_id bigint not null,
  team_id bigint not null,
  key text collate "C" not null,
  value text collate "C" not null,
  primary key (job_id, key)
) partition by range (job_id);
create index job_label_value on job_label (team_id, key, value, job_id);
create index job_label_key on job_label (team_id, key, job_id);

-- The job of a team that holds a unique key. The row outlives the job; the next submit with the key takes it over.
create table unique_key (
  team_id bigint not null,
  key text not null,
  job_id bigint not null,
  taken_at timestamptz not null,
  primary key (team_id, key)
);
