-- The second factor of people who sign in with a password: time-based one-time codes (RFC 6238), and recovery codes for
-- a lost device. They belong to no team.
set local role plimsoll_owner;
set local search_path = plimsoll;

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

do $$
declare
  v_table text;
begin
  foreach v_table in array array['second_factor', 'recovery_code'] loop
    execute format('alter table %I enable row level security, force row level security', v_table);
    execute format('create policy owner on %I to plimsoll_owner using (true) with check (true)', v_table);
    execute format('create policy system on %I to plimsoll_app using (%2$s) with check (%2$s)', v_table,
      $x$current_setting('app.system', true) = 'on'$x$);
  end loop;
end
$$;
