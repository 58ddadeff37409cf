-- Uploaded input. A dataset is cut into chunks of whole records as it arrives; a job on it has one task per chunk and
-- shares the chunks, so that submitting copies no text.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table dataset (
  id bigint generated always as identity primary key,
  team_id bigint not null references team,
  user_id bigint not null,
  name text not null,
  format text not null check (format in ('csv', 'jsonl')),
  state text not null default 'uploading',
  error text,  -- why the upload failed, for people
  bytes_total bigint not null check (bytes_total > 0),
  bytes_received bigint not null default 0,  -- from here on an upload continues
  reading bytea,  -- the upload's position in a record and a chunk; null at its start and end
  columns text[] not null default '{}',
  records bigint not null default 0,
  records_failed bigint not null default 0,
  chunks int not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  touched_at timestamptz not null default clock_timestamp(),
  revision int not null default 1,
  constraint dataset_state check (state in ('uploading', 'ready', 'failed')),
  constraint dataset_received check (bytes_received <= bytes_total),
  constraint dataset_ready check (state <> 'ready' or (bytes_received = bytes_total and records > 0
    and reading is null))
);
alter table dataset alter reading set storage external;
create index dataset_team on dataset (team_id, id);
create index dataset_idle on dataset (touched_at) where state = 'uploading';

create table dataset_chunk (
  dataset_id bigint not null references dataset on delete cascade,
  seq int not null,
  team_id bigint not null,
  first_record bigint not null,
  records int not null check (records > 0),
  failed int not null check (failed between 0 and records),  -- records that cannot be read
  bytes bigint not null,  -- of the raw records
  content bytea not null,  -- gzip of a block of raw records
  primary key (dataset_id, seq)
);
alter table dataset_chunk alter content set storage external;
