-- Archived teams, removed users, service accounts, and the origin of a session.
set local role plimsoll_owner;
set local search_path = plimsoll;

alter table team add column archived_at timestamptz;  -- nobody acts in it, and its schedules do not run

-- What a removed user created stays, under the name "(removed user 7)".
alter table app_user add column removed_at timestamptz;
-- A service account: acts only in this team, by tokens that the team's administrators create, and never signs in.
alter table app_user add column service_team_id bigint references team on delete cascade;
alter table app_user drop constraint app_user_name_key;
create unique index app_user_name on app_user (name, coalesce(service_team_id, 0));
create index app_user_service_team on app_user (service_team_id) where service_team_id is not null;

alter table session add column address inet;
alter table session add column agent text check (length(agent) <= 200);  -- the client's user agent
alter table session add column last_used_at timestamptz;
create index session_team on session (team_id) where ended_at is null;

-- Their results distinguish service accounts from people.
drop function if exists authenticate_token(bytea, timestamptz);
drop function if exists authenticate_session(bytea, timestamptz);
