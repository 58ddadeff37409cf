-- What a team, or a member of it, keeps in collections: policies and GPU profiles, measurements, pinned reports, views
-- of pages. What a record means is up to its collection (server/jobs/knowledge.hpp).
set local role plimsoll_owner;
set local search_path = plimsoll;

create table team_record (
  id bigint generated always as identity primary key,
  team_id bigint not null references team on delete cascade,
  collection text not null,
  member_id bigint,  -- whose own it is; null: the team's
  section text not null,  -- what it is kept under: a job kind, a page, a comparison key; or empty
  name text check (octet_length(name) between 1 and 8192),  -- unique in its section; null: it has none
  job_id bigint,  -- the job of the report that it belongs to; may outlive the job
  data json not null,
  user_id bigint not null,  -- who wrote it last
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  -- A member's own end with the membership.
  foreign key (team_id, member_id) references membership on delete cascade
);
-- By hash: names of this length do not fit an index.
create unique index team_record_name on team_record (team_id, collection, section, coalesce(member_id, 0), md5(name));
create index team_record_number on team_record (team_id, collection, id);
create index team_record_job on team_record (job_id, id) where job_id is not null;
create index team_record_member on team_record (team_id, member_id) where member_id is not null;
