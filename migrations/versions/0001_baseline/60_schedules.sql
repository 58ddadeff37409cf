-- Jobs that a team submits on a schedule, at the times of a cron expression. The server decides when an expression is
-- due (server/schedules); the queue ensures that each due time is handled once.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table schedule (
  id bigint generated always as identity primary key,
  team_id bigint not null references team on delete cascade,
  user_id bigint not null,  -- who saved it last and so owns its jobs; may leave, because a schedule runs as its team
  name text not null check (length(name) between 1 and 100),
  spec json not null,  -- the job, as it was posted
  cron text not null check (length(cron) between 1 and 200),
  time_zone text not null check (length(time_zone) between 1 and 64),
  misfire text not null check (misfire in ('skip', 'once', 'all')),
  misfire_limit smallint not null check (misfire_limit between 1 and 100),
  overlap text not null check (overlap in ('allow', 'skip', 'cancel', 'queue')),
  paused_at timestamptz,
  next_at timestamptz,  -- the next due time to handle; null: paused, or there is none
  claimed_until timestamptz,  -- until then, one server handles it
  version int not null default 1,  -- grows with every change by people
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (team_id, name),
  check (paused_at is null or next_at is null)
);
create index schedule_due on schedule (next_at) where next_at is not null;

-- The outcome of a due time; its key ensures that the job exists once.
create table schedule_run (
  schedule_id bigint not null references schedule on delete cascade,
  due_at timestamptz not null,
  team_id bigint not null,
  by_user bigint,  -- who started it; null: it was due
  outcome text not null check (outcome in ('submitted', 'waiting', 'skipped', 'missed', 'failed')),
  job_id bigint,
  reason text,  -- why there is no job, for people
  missed int not null default 0,  -- earlier due times that were skipped because no server was running
  decided_at timestamptz not null,
  open boolean not null,  -- its job may not have ended
  cancel boolean not null default false,  -- its job must be cancelled, because a later one replaced it
  primary key (schedule_id, due_at),
  check ((job_id is not null) = (outcome = 'submitted')),
  check (not (open or cancel) or job_id is not null)
);
create index schedule_run_open on schedule_run (schedule_id) where open;
create index schedule_run_waiting on schedule_run (schedule_id, due_at) where outcome = 'waiting';
create index schedule_run_cancel on schedule_run (schedule_id) where cancel;
