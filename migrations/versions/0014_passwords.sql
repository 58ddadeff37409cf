-- Passwords, the one-time links that set them, and the attempts that slow down guessing. They belong to no team.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table user_password (
  user_id bigint primary key references app_user on delete cascade,
  hash text not null check (length(hash) between 1 and 128),  -- Argon2id, with its costs and its salt
  changed_at timestamptz not null default clock_timestamp()
);

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

do $$
declare
  v_table text;
begin
  foreach v_table in array array['user_password', 'password_link', 'password_attempt'] loop
    execute format('alter table %I enable row level security, force row level security', v_table);
    execute format('create policy owner on %I to plimsoll_owner using (true) with check (true)', v_table);
    execute format('create policy identity on %I to plimsoll_identity using (true) with check (true)', v_table);
    execute format('create policy system on %I to plimsoll_app using (%2$s) with check (%2$s)', v_table,
      $x$current_setting('app.system', true) = 'on'$x$);
  end loop;
end
$$;
