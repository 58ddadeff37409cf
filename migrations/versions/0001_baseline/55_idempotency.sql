-- Calls that are sent again, and the installation's secrets.
set local role plimsoll_owner;
set local search_path = plimsoll;

-- The responses to repeated submits. A response follows from the request (equal, by its fingerprint), the ID and the
-- time, so no body is stored.
create table idempotency_key (
  team_id bigint not null,
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null,
  job_id bigint not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (team_id, key)
);
create index idempotency_key_expiry on idempotency_key (expires_at);

-- Responses to other calls with an Idempotency-Key, by any user of the team.
create table kept_answer (
  team_id bigint not null references team on delete cascade,
  key text not null,
  fingerprint bytea not null check (octet_length(fingerprint) = 32),  -- of the operation and the body
  expires_at timestamptz not null,
  status smallint,  -- null: the call is running, or its server stopped before it responded
  location text,
  body text,  -- null: it contains a secret, which is never stored
  primary key (team_id, key)
);
create index kept_answer_expiry on kept_answer (expires_at);

-- The secret that all servers of the installation share: it signs cursors.
create table installation_secret (
  name text primary key,
  value bytea not null check (octet_length(value) = 32)
);
-- Three version-4 UUIDs are 366 bits of PostgreSQL's strong random source.
insert into installation_secret
select 'cursor', sha256(convert_to(string_agg(gen_random_uuid()::text, ''), 'UTF8')) from generate_series(1, 3);
