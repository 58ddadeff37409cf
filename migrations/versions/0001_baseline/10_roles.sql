-- Roles, the schema and the ledgers. Roles belong to the whole cluster and may already exist.
--   plimsoll_owner     owns the tables; migrations run as it
--   plimsoll_queue     owns the queue's functions, sees every team's jobs
--   plimsoll_identity  owns the sign-in functions, sees every team's users and tokens
--   plimsoll_guest     owns the functions that read for the holder of a report link, sees the rows of that link's job
--   plimsoll_app       what `plimsoll serve` logs in as; row-level security restricts it to one team
--   plimsoll_worker    what a worker logs in as; may call the worker functions and nothing else
--   plimsoll_metrics   what an autoscaler logs in as; sees the length of the queue and nothing else
do $$
declare
  role record;
begin
  for role in select * from (values ('plimsoll_owner', 'nologin'), ('plimsoll_queue', 'nologin'),
      ('plimsoll_identity', 'nologin'), ('plimsoll_guest', 'nologin'), ('plimsoll_app', 'login'),
      ('plimsoll_worker', 'login'), ('plimsoll_metrics', 'login')) r(name, login)
  loop
    begin
      if not exists (select from pg_roles where rolname = role.name) then
        execute format('create role %I %s', role.name, role.login);
      end if;
    exception when duplicate_object or unique_violation then
      null;  -- a migrator of another database in this cluster was faster
    end;
  end loop;
  -- A migrator without superuser rights needs membership to hand objects to these roles.
  for role in select * from (values ('plimsoll_owner'), ('plimsoll_queue'), ('plimsoll_identity'),
      ('plimsoll_guest')) r(name) loop
    if not pg_has_role(current_user, role.name, 'usage') then
      execute format('grant %I to %I', role.name, current_user);
    end if;
  end loop;
  if not pg_has_role('plimsoll_owner', 'plimsoll_queue', 'member') then
    grant plimsoll_queue, plimsoll_identity, plimsoll_guest to plimsoll_owner;
  end if;
  -- A client that freezes within a transaction would hold a class lock and block every other client. And statements
  -- that a client gave up on (it waits less long) must not run forever.
  for role in select * from (values ('plimsoll_app'), ('plimsoll_worker'), ('plimsoll_metrics')) r(name) loop
    execute format('alter role %I in database %I set idle_in_transaction_session_timeout = ''10s''',
      role.name, current_database());
    execute format('alter role %I in database %I set statement_timeout = ''60s''', role.name, current_database());
    -- Compiling a short query costs more than running it: with PostgreSQL's default, jobs took 31 times as long.
    execute format('alter role %I in database %I set jit = off', role.name, current_database());
  end loop;
end
$$;

create schema plimsoll authorization plimsoll_owner;
set local role plimsoll_owner;

grant usage on schema plimsoll to plimsoll_queue, plimsoll_identity, plimsoll_guest, plimsoll_app, plimsoll_worker,
  plimsoll_metrics;
-- A function's owner needs CREATE on its schema; these roles cannot log in.
grant create on schema plimsoll to plimsoll_queue, plimsoll_identity, plimsoll_guest;
-- Functions are callable by everyone unless revoked.
alter default privileges for role plimsoll_owner revoke execute on functions from public;
alter default privileges for role plimsoll_queue revoke execute on functions from public;
alter default privileges for role plimsoll_identity revoke execute on functions from public;
alter default privileges for role plimsoll_guest revoke execute on functions from public;

-- The applied versions. The migrator inserts a row in the transaction that applies it.
create table plimsoll.schema_migration (
  version int primary key,
  name text not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  applied_at timestamptz not null default clock_timestamp()
);

-- The functions as they were last created, and the rights as they were last granted (name 'rights').
create table plimsoll.schema_function (
  name text primary key,
  sha256 bytea not null check (octet_length(sha256) = 32)
);

-- One row: the number of the function set. Only a program with this number or a higher one writes functions, so that
-- servers of two releases do not overwrite each other's functions.
create table plimsoll.schema_set (
  version int not null
);
create unique index schema_set_one_row on plimsoll.schema_set ((true));
