-- Users, teams and their credentials. Secrets are stored as SHA-256 of 160 random bits, so a slow hash would add
-- nothing.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table team (
  id bigint generated always as identity primary key,
  name text not null unique check (length(name) between 1 and 100),
  created_at timestamptz not null default clock_timestamp(),
  archived_at timestamptz  -- nobody acts in it, and its schedules do not run
);

create table app_user (
  id bigint generated always as identity primary key,
  email text check (email = lower(email) and length(email) between 1 and 254),
  -- A system admin or an identity provider vouches for the address. Otherwise the user has named it, as anybody can.
  email_verified boolean not null default false,
  name text not null check (length(name) between 1 and 200),
  is_admin boolean not null default false,  -- of the whole installation, not of a team
  -- A service account: acts only in this team, by tokens that the team's administrators create, and never signs in.
  service_team_id bigint references team on delete cascade,
  created_at timestamptz not null default clock_timestamp(),
  disabled_at timestamptz,
  removed_at timestamptz  -- what the user created stays, under the name "(removed user 7)"
);
create index app_user_email on app_user (email);
create unique index app_user_verified_email on app_user (email) where email_verified;
create unique index app_user_name on app_user (name, coalesce(service_team_id, 0));
-- Two people's names must not look the same: without case, accents and extra blanks, and with letters as Unicode's
-- confusables (UTS 39) have them. (Names are of Latin letters, digits and few other characters.)
create unique index app_user_look on app_user (
  replace(translate(lower(regexp_replace(normalize(btrim(name), NFKD), '[\u0300-\u036f]| +(?= )', '', 'g') collate "C"),
    '01iıØÆŒĐÐĦŁŊŦÞ', 'ollløæœđđħłŋŧþ'), 'rn', 'm'), coalesce(service_team_id, 0));
create index app_user_service_team on app_user (service_team_id) where service_team_id is not null;

create table membership (
  team_id bigint not null references team on delete cascade,
  user_id bigint not null references app_user on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  created_at timestamptz not null default clock_timestamp(),
  primary key (team_id, user_id)
);
create index membership_member on membership (user_id);

create table token (
  id bigint generated always as identity primary key,
  team_id bigint not null,
  user_id bigint not null,
  -- The token that it was created with, directly or in a session that it opened: both are revoked together.
  parent_id bigint references token on delete set null,
  name text not null check (length(name) between 1 and 200),
  hash bytea not null unique check (octet_length(hash) = 32),
  hint text not null,  -- how the secret begins, for people to tell tokens apart
  scopes text[] not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- A token is deleted with the membership that it was created under.
  foreign key (team_id, user_id) references membership on delete cascade
);
create index token_team on token (team_id, id);
create index token_parent on token (parent_id) where parent_id is not null;

create table sign_in_link (
  id bigint generated always as identity primary key,
  team_id bigint not null,
  user_id bigint not null,
  hash bytea not null unique check (octet_length(hash) = 32),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  spent_at timestamptz,
  foreign key (team_id, user_id) references membership on delete cascade
);

create table session (
  id bigint generated always as identity primary key,
  team_id bigint not null,
  user_id bigint not null,
  token_id bigint references token on delete cascade,  -- signed in with this token: ends with it
  hash bytea not null unique check (octet_length(hash) = 32),
  csrf text not null,
  address inet,
  agent text check (length(agent) <= 200),  -- the client's user agent
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  expires_at timestamptz not null,
  ended_at timestamptz,
  foreign key (team_id, user_id) references membership on delete cascade
);
create index session_member on session (user_id);
create index session_token on session (token_id) where token_id is not null;
create index session_team on session (team_id) where ended_at is null;

-- Invitations into a team: one-time links with which a user joins it, or a new user is made.
create table invitation (
  id bigint generated always as identity primary key,
  team_id bigint not null,
  user_id bigint not null,  -- who invites
  token_id bigint references token on delete set null,  -- created with this token: void once that is revoked
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  email text check (email = lower(email) and length(email) between 1 and 254),  -- null: whoever has the link
  hash bytea not null unique check (octet_length(hash) = 32),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  accepted_at timestamptz,
  -- It ends with the membership that it was created under.
  foreign key (team_id, user_id) references membership on delete cascade
);
create index invitation_team on invitation (team_id, id);

-- Append-only: the application may insert and read rows, never change them. No foreign keys: rows outlive their
-- subjects.
create table audit_event (
  id bigint generated always as identity primary key,
  team_id bigint,  -- null: concerns the installation
  user_id bigint,
  token_id bigint,
  at timestamptz not null default clock_timestamp(),
  action text not null,  -- noun.verb, for example token.create
  target text,
  request_id text,
  address inet,
  data jsonb not null default '{}',
  first_job bigint,
  last_job bigint  -- of several jobs, which are in data
);
create index audit_event_team on audit_event (team_id, id);
create index audit_event_target on audit_event (target, id) where target is not null;
create index audit_event_jobs on audit_event (last_job, first_job) where last_job is not null;
-- It grows by a row per submit: vacuum after ten thousand rows, not after a fifth of the log.
alter table audit_event set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0);
