-- What a team keeps: additions to the training advice, policies, pinned reports, views of pages.
set local role plimsoll_owner;
set local search_path = plimsoll;

-- GPU profiles of its own, and measurements of real runs, for the training advice.
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

-- Policies for choosing models (server/kinds/sentiment).
create table sentiment_policy (
  team_id bigint not null references team on delete cascade,
  id text not null check (id ~ '^[a-z0-9_]{1,64}$'),
  definition json not null,  -- as sent to the API
  user_id bigint not null,  -- who wrote it last
  updated_at timestamptz not null default clock_timestamp(),
  primary key (team_id, id)
);

-- A member's filters of a page under a name, in the form of the page's address.
create table saved_view (
  id bigint generated always as identity primary key,
  team_id bigint not null,
  user_id bigint not null,
  page text not null,
  name text not null check (length(name) between 1 and 100),
  query text not null check (length(query) <= 2000),
  created_at timestamptz not null default clock_timestamp(),
  foreign key (team_id, user_id) references membership on delete cascade
);
create unique index saved_view_name on saved_view (team_id, user_id, page, name);

-- Reports that a team pinned; later reports are compared with them.
create table report_baseline (
  id bigint generated always as identity primary key,
  team_id bigint not null references team on delete cascade,
  kind text not null,
  -- the comparison key
  comparison_key text not null check (octet_length(comparison_key) between 1 and 8192),
  job_id bigint not null,  -- the job of the report; the numbers outlive the job
  summary json not null,
  user_id bigint not null,  -- who pinned it
  pinned_at timestamptz not null default clock_timestamp()
);
-- By hash: keys of this length do not fit an index.
create unique index report_baseline_comparison_key on report_baseline (team_id, kind, md5(comparison_key));
