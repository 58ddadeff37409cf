-- Kept responses to calls with an Idempotency-Key, and the key that signs cursors.
set local role plimsoll_owner;
set local search_path = plimsoll;

-- Calls other than submits and runs of schedules, which store their keys in idempotency_key in the transaction that
-- creates the job. By any user of the team.
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
alter table kept_answer enable row level security, force row level security;
create policy owner on kept_answer to plimsoll_owner using (true) with check (true);
create policy queue on kept_answer to plimsoll_queue using (true) with check (true);
create policy team on kept_answer to plimsoll_app
  using (team_id = nullif(current_setting('app.team_id', true), '')::bigint)
  with check (team_id = nullif(current_setting('app.team_id', true), '')::bigint);

-- The secret that all servers of the installation share.
create table installation_secret (
  name text primary key,
  value bytea not null check (octet_length(value) = 32)
);
-- Three version-4 UUIDs are 366 bits of PostgreSQL's strong random source.
insert into installation_secret
select 'cursor', sha256(convert_to(string_agg(gen_random_uuid()::text, ''), 'UTF8')) from generate_series(1, 3);
