-- How people sign in: passwords, second factors, identity providers. These belong to users, not to teams.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table user_password (
  user_id bigint primary key references app_user on delete cascade,
  hash text not null check (length(hash) between 1 and 128),  -- Argon2id, with its costs and its salt
  changed_at timestamptz not null default clock_timestamp()
);

-- One-time links that set a password.
create table password_link (
  id bigint generated always as identity primary key,
  user_id bigint not null references app_user on delete cascade,
  hash bytea not null unique check (octet_length(hash) = 32),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  spent_at timestamptz
);
create index password_link_user on password_link (user_id) where spent_at is null;

-- Attempts to give a password since the last success. Names are hashed: people type passwords into the wrong field.
create table password_attempt (
  name bytea not null check (octet_length(name) = 32),  -- of the name that was given, whether or not a user has it
  source text not null,  -- the network, where that user has signed in from it; '' for all others together
  attempts int not null,
  last_at timestamptz not null,  -- of the last one that was not refused
  told boolean not null default false,  -- whether the audit log says that attempts are delayed
  primary key (name, source)
);

-- The second factor of people who sign in with a password: time-based one-time codes (RFC 6238), and recovery codes for
-- a lost device.
create table second_factor (
  user_id bigint primary key references app_user on delete cascade,
  secret bytea not null check (octet_length(secret) = 20),
  created_at timestamptz not null default clock_timestamp(),
  confirmed_at timestamptz,  -- null: offered, and not asked for at sign-in yet
  last_step bigint not null default 0  -- the 30 seconds whose code was used last: it and older ones are refused
);

create table recovery_code (
  user_id bigint not null references second_factor on delete cascade,
  hash bytea not null check (octet_length(hash) = 32),  -- SHA-256 of 80 random bits
  spent_at timestamptz,
  primary key (user_id, hash)
);

-- Users who sign in with an identity provider (OpenID Connect).
create table user_identity (
  id bigint generated always as identity,
  issuer text not null check (length(issuer) between 1 and 2048),
  subject text not null check (length(subject) between 1 and 255),  -- unique at the issuer, and never given to another
  user_id bigint not null references app_user on delete cascade,
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz not null default clock_timestamp(),
  primary key (issuer, subject)
);
create unique index user_identity_id on user_identity (id);
create index user_identity_user on user_identity (user_id);

-- So that the provider's response works once. After expires_at the browser's cookie is refused.
create table spent_sign_in (
  state bytea primary key check (octet_length(state) = 32),
  expires_at timestamptz not null
);
create index spent_sign_in_expires on spent_sign_in (expires_at);
