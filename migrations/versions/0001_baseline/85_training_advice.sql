-- What a team adds to the training advice: GPU profiles of its own, and measurements of real runs.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table gpu_profile (
  team_id bigint not null references team on delete cascade,
  id text not null check (id ~ '^[a-z0-9_]{1,64}$'),
  definition json not null,  -- as sent to the API
  user_id bigint not null,  -- who wrote it last
  updated_at timestamptz not null default clock_timestamp(),
  primary key (team_id, id)
);

create table training_measurement (
  id bigint generated always as identity primary key,
  team_id bigint not null references team on delete cascade,
  user_id bigint not null,
  job_id bigint,  -- the job of the report that it belongs to; may outlive the job
  comparison_key text not null,  -- measurements of one comparison key correct each other's estimates
  predicted_bytes bigint not null check (predicted_bytes > 0),
  measured_bytes bigint not null check (measured_bytes > 0),
  data json not null,
  created_at timestamptz not null default clock_timestamp()
);
create index training_measurement_team on training_measurement (team_id, id);
create index training_measurement_job on training_measurement (job_id, id) where job_id is not null;
