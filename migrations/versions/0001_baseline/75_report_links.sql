-- Links that show one report to anyone who has the link, until it expires or is revoked.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table report_link (
  id bigint generated always as identity primary key,
  team_id bigint not null,
  user_id bigint not null,
  job_id bigint not null,  -- no foreign key: jobs are dropped by the day
  note text check (length(note) between 1 and 200),
  hash bytea not null unique check (octet_length(hash) = 32),
  token_id bigint references token on delete set null,  -- created with this token: revoked together with it
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  opened_at timestamptz,  -- for the last time
  opens bigint not null default 0,
  -- A link ends with the membership that it was created under.
  foreign key (team_id, user_id) references membership on delete cascade
);
create index report_link_team on report_link (team_id, id);
create index report_link_token on report_link (token_id) where token_id is not null;
