-- The queue: which tasks may run next (account, lane, ready), which run where (worker, lease), and which wait
-- (scheduled).
--
-- Rows here change thousands of times per minute, and one long transaction elsewhere keeps every dead version. So no
-- look-up on a task's path may scan dead versions: ready is insert-and-delete only and is read after a cursor; leases
-- are read from their worker's oldest fence on; a hot row carries an increasing version and is read newest first (order
-- by version desc limit 1), never by its ID alone. Only the duty that looks for due rows, once per second, scans what
-- was scheduled.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table device_class (
  id smallint primary key,  -- the order in which class locks are taken: host, where merges go, comes last
  name text not null unique,
  -- Half-life of past usage.
  half_life_seconds float8 not null default 604800 check (half_life_seconds >= 1),
  -- Largest delay, after the clock, at which a heavy user starts; 0: history does not count.
  entry_limit_seconds float8 not null default 10 check (entry_limit_seconds >= 0)
);
insert into device_class values (1, 'cpu'), (2, 'gpu'), (3, 'accelerator'), (100, 'host');

-- Hot. The virtual clock is a lower bound on the virtual time of every account that could run.
create table class_state (
  class_id smallint not null references device_class,
  version bigint not null default 0,
  vclock float8 not null default 0,
  unique (class_id, version)
);
insert into class_state (class_id) select id from device_class;

-- A team's share of a device class.
create table account (
  id int generated always as identity primary key,
  team_id bigint not null references team,  -- a team is deleted after its jobs
  class_id smallint not null references device_class,
  unique (team_id, class_id)
);

-- Hot. lanes, heads and counts are parallel and name the lanes with ready tasks: no row of such a lane has a seq <= its
-- head, and it has exactly count rows.
create table account_state (
  account_id int not null references account on delete cascade,
  version bigint not null default 0,
  class_id smallint not null,
  weight float8 not null default 1,  -- > 0
  cap int not null default 1000000,  -- device slots, >= 0
  paused boolean not null default false,
  vtime float8 not null default 0,  -- charged normalised device-seconds / weight
  slots int not null default 0,  -- devices that hold a lease with tasks of this account
  ready int not null default 0,  -- sum of counts
  lanes int[] not null default '{}',
  heads bigint[] not null default '{}',
  counts int[] not null default '{}',
  usage float8 not null default 0,  -- normalised device-seconds, decayed until decayed_at
  decayed_at timestamptz not null default '-infinity',
  quota_seconds float8,  -- > 0; null: none
  quota_period text not null default 'day',  -- hour, day, week, month
  period_start timestamptz not null default '-infinity',
  period_seconds float8 not null default 0,  -- charged since period_start
  -- The next task does not fit into the quota; nothing is claimed until the period is over or the quota grows.
  over_quota boolean not null default false,
  unique (account_id, version)
);
create index account_state_turn on account_state (class_id, vtime)
  where ready > 0 and slots < cap and not paused and not over_quota;
create index account_state_over_quota on account_state (class_id) where over_quota;

-- A first-in-first-out line of equally eligible tasks. Its key holds everything that decides eligibility, so that no
-- claim has to skip a task.
create table lane (
  id int generated always as identity primary key,
  account_id int not null references account on delete cascade,
  kind text not null,
  kind_version smallint not null,
  capability text not null,  -- '' = none needed
  -- It needs at most 2^n MiB free; 0 = next to nothing.
  memory_bucket smallint not null check (memory_bucket between 0 and 40),
  model text not null,  -- '' = none; for affinity, never for eligibility
  priority smallint not null check (priority between -10 and 10),  -- 10 runs first within its account
  unserved boolean not null default false,  -- no worker has its model: any of the class may run its tasks
  unique (account_id, kind, kind_version, capability, memory_bucket, model, priority)
);
create index lane_unserved on lane (id) where unserved;

create table ready (
  lane_id int not null,
  -- The order of tasks in their lane: numbers of job_seq << 20. The tasks of a new job have its number and those that
  -- follow it. A submit draws numbers before it takes the class lock, so a number may become visible after higher ones:
  -- whoever makes it visible moves the lane's head back, under the lock.
  seq bigint not null,
  job_id bigint not null,
  task int not null,  -- = job.tasks_total: the merge task
  est_seconds real not null,
  attempt smallint not null,  -- of the next run, from 1
  crashes smallint not null,  -- workers that died on it
  since timestamptz not null
);
create unique index ready_lane on ready (lane_id, seq);

-- Jobs with a start time (task is null: all of the job's tasks) and tasks that wait for their next attempt.
create table scheduled (
  class_id smallint not null,
  run_at timestamptz not null,
  lane_id int not null,
  job_id bigint not null,
  task int,
  est_seconds real,  -- null with task
  attempt smallint not null,
  crashes smallint not null
);
create index scheduled_due on scheduled (class_id, run_at);
create index scheduled_job on scheduled (job_id);

-- A process that owns one device. Only heartbeats write its row, so it stays cold.
create table worker (
  id int generated always as identity primary key,
  node text not null,
  device text not null,  -- stable name of the device on its node
  epoch int not null,  -- grows with each registration, so that an old process of the same name is refused
  class_id smallint not null references device_class,
  kinds text[] not null,  -- 'sentiment:1': versions of kinds this worker can run
  capabilities text[] not null,
  memory_bucket smallint not null,
  speed real not null check (speed > 0),  -- normalised device-seconds in a second of this device
  info json not null,  -- name, vendor, driver, memory …
  telemetry json,  -- from the last heartbeat
  progress jsonb not null default '{}',  -- job id → items done in leases still held
  state text not null check (state in ('active', 'retired', 'lost', 'failed')),
  registered_at timestamptz not null,
  seen_at timestamptz not null,
  oldest_fence bigint not null default 0,  -- no lease of this worker has a lower one
  helps text[] not null default '{}',  -- 'waves:3': what it also runs for other classes
  unique (node, device)
);

create sequence fence_seq;

-- A worker's right to run some tasks. The arrays are parallel and hold the open tasks. fence is unique because it comes
-- from the sequence; its index is a hash, so that no plan uses it for a worker's oldest and later fences and reads
-- everybody's dead leases.
create table lease (
  fence bigint not null,
  worker_id int not null,
  epoch int not null,
  class_id smallint not null,
  claimed_at timestamptz not null,
  jobs bigint[] not null,
  tasks int[] not null,
  lanes int[] not null,
  accounts int[] not null,
  holders int[] not null,  -- the accounts, each once: what their slots are counted by, without reading a long array
  charges real[] not null,  -- normalised device-seconds charged at the claim
  attempts smallint[] not null,
  crashes smallint[] not null
);
create index lease_fence on lease using hash (fence);
create index lease_worker on lease (worker_id, fence);
alter table lease
  alter jobs set storage external, alter tasks set storage external, alter lanes set storage external,
  alter accounts set storage external, alter charges set storage external, alter attempts set storage external,
  alter crashes set storage external;

-- When to check whether a job must be stopped. The row of a job that ended earlier remains and is ignored.
create table overdue (
  at timestamptz not null,
  job_id bigint not null
);
create index overdue_at on overdue (at);
create index overdue_job on overdue (job_id);

-- Holds: nothing is claimed for a team or by devices. subject: the team's ID, the class's name, the node's name or the
-- worker's ID.
create table hold (
  id bigint generated always as identity primary key,
  scope text not null check (scope in ('team', 'device_class', 'node', 'device')),
  subject text not null,
  mode text not null check (mode in ('pause', 'drain')),
  reason text not null check (length(reason) between 1 and 500),
  by_admin boolean not null,  -- of the installation: a team cannot lift it
  user_id bigint not null,
  at timestamptz not null
);
create index hold_subject on hold (scope, subject);

-- How many jobs a team may have queued and submit per minute. A team with a quota has a row; without a row it has
-- neither limit nor quota.
create table team_limit (
  team_id bigint primary key references team on delete cascade,
  queued_jobs int check (queued_jobs >= 0),  -- that have not started; null: any number
  -- A token bucket that holds one minute's worth and fills steadily: bursts after idle time are allowed, floods are
  -- not.
  jobs_per_minute int check (jobs_per_minute >= 1),  -- null: any number
  jobs_left float8,  -- in the bucket at jobs_left_at; null: it is full
  jobs_left_at timestamptz,
  check ((jobs_left is null) = (jobs_left_at is null))
);

-- The last cleanup request to each device, to free what its worker keeps between tasks. It is kept until the worker
-- answers, also over a restart.
create table device_cleanup (
  worker_id int primary key references worker on delete cascade,
  id bigint generated always as identity,
  user_id bigint not null,
  asked_at timestamptz not null,
  ended_at timestamptz,  -- null: the worker has not answered yet
  result json
);

-- What blocks vacuum: an old snapshot of a session (or a standby), a replication slot, a prepared transaction. Only few
-- roles may see since when a session has held its snapshot, but every role its number. So a duty records the oldest
-- number of each kind, and since when it has been that number.
create table vacuum_horizon (
  holder text primary key,
  -- The transaction from which on dead rows are kept; of replication_log, the next byte of the log to be read.
  position bigint not null,
  detail text not null,  -- which one it is
  since timestamptz not null,  -- first seen there
  constraint vacuum_horizon_holder_check
    check (holder in ('session', 'replication_slot', 'prepared_transaction', 'replication_log'))
);

-- Small tables that turn over quickly: vacuum after a fixed number of dead rows, at full speed, and keep the files'
-- length (truncating them takes a lock that stops claims).
do $$
declare
  hot record;
begin
  for hot in select * from (values ('class_state', 1000), ('account_state', 5000), ('ready', 20000),
    ('scheduled', 5000),
      ('lease', 1000), ('worker', 500), ('overdue', 5000)) h(name, dead) loop
    execute format('alter table %I set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = %s,
      autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0,
      vacuum_truncate = off)', hot.name, hot.dead);
  end loop;
end
$$;

set local role plimsoll_queue;
-- The intermediate values of a claim.
create type claimed_tasks as (jobs bigint[], tasks int[], attempts smallint[], ests real[], finish float8);

-- Accounts that share a claim, in turn order, and their lanes to examine, account by account.
create type claim_turns as (
  horizon float8,  -- virtual time of the first account that this claim leaves waiting; null: it leaves none
  room int,  -- number of examined tasks per account
  -- One element per account. quotas: device-seconds left, null: no quota; last_lanes: the end of its lanes in the
  -- arrays of lanes.
  spots tid[], ids int[], vtimes float8[], weights float8[], readys int[], quotas float8[], last_lanes int[],
  -- One element per lane: the seq after which its tasks are, and how many of them to examine.
  lanes int[], heads bigint[], counts int[]
);
