-- Usage by team, user, kind, model and hour. A completion records only which jobs it touched, in one row that is not
-- read on the hot path; a duty then counts what those jobs gained since they were last counted. So every charged
-- device-second is counted once, in whatever order transactions commit, and the count outlives the job.
set local role plimsoll_owner;
set local search_path = plimsoll;

-- Written by whatever ends a lease, in its transaction. The duty reads all rows, in no order, and deletes them.
create table usage_touch (
  at timestamptz not null,
  jobs bigint[] not null
);
alter table usage_touch alter jobs set storage external;
alter table usage_touch set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);

-- The part of a job's usage that has been counted.
create table usage_job (
  job_id bigint primary key,
  seconds float8 not null,
  tasks int not null,
  items bigint not null
) partition by range (job_id);

create table usage_hour (
  team_id bigint not null references team on delete cascade,
  hour timestamptz not null,  -- in which it began
  user_id bigint not null,
  kind text not null,
  model text not null,  -- of the job's lane, which names the files and the form; empty: none
  seconds float8 not null,  -- measured, normalised device-seconds: what was charged
  tasks bigint not null,  -- that were done
  items bigint not null,  -- that were done
  jobs bigint not null,  -- that used a device for the first time
  primary key (team_id, hour, user_id, kind, model)
);
create index usage_hour_hour on usage_hour (hour);
