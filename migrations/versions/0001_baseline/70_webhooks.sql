-- Completion notices: the URLs and addresses that a team wants notified when its jobs end, and every notice sent.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table webhook (
  id bigint generated always as identity primary key,
  team_id bigint not null references team on delete cascade,
  user_id bigint not null,  -- who made it
  name text not null check (length(name) between 1 and 64),
  url text not null check (length(url) between 1 and 2000),
  format text not null default 'plimsoll' check (format in ('plimsoll', 'slack', 'teams')),
  labels jsonb not null default '{}',  -- of the jobs that it is about; none: of all
  secret bytea not null check (octet_length(secret) = 32),  -- signs the notices, so it is stored in plain text
  created_at timestamptz not null default clock_timestamp()
);
create index webhook_team on webhook (team_id, id);

-- One notice, sent until it is accepted or has failed for good. Receivers recognise repeats by its ID.
create table webhook_delivery (
  id bigint generated always as identity primary key,
  webhook_id bigint not null references webhook on delete cascade,
  team_id bigint not null,
  type text not null check (type in ('job.finished', 'webhook.test')),
  job_id bigint,  -- null: a test
  data json not null,  -- the job as it ended: it may be deleted before the notice is sent
  created_at timestamptz not null default clock_timestamp(),
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts smallint not null default 0,
  -- of the next attempt; during one: when it counts as lost
  next_at timestamptz not null default clock_timestamp(),
  status int,  -- of the last response
  error text,  -- why the last attempt failed
  ended_at timestamptz
);
create index webhook_delivery_due on webhook_delivery (webhook_id, next_at) where state = 'pending';
create index webhook_delivery_recent on webhook_delivery (webhook_id, id);
create index webhook_delivery_age on webhook_delivery (created_at);
