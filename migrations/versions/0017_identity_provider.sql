-- Users who sign in with an identity provider (OpenID Connect), and the sign-ins that were used. They belong to no
-- team.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table user_identity (
  issuer text not null check (length(issuer) between 1 and 2048),
  subject text not null check (length(subject) between 1 and 255),  -- unique at the issuer, and never given to another
  user_id bigint not null references app_user on delete cascade,
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz not null default clock_timestamp(),
  primary key (issuer, subject)
);
create index user_identity_user on user_identity (user_id);

-- So that the provider's response works once. After expires_at the browser's cookie is refused.
create table spent_sign_in (
  state bytea primary key check (octet_length(state) = 32),
  expires_at timestamptz not null
);
create index spent_sign_in_expires on spent_sign_in (expires_at);

do $$
declare
  v_table text;
begin
  foreach v_table in array array['user_identity', 'spent_sign_in'] loop
    execute format('alter table %I enable row level security, force row level security', v_table);
    execute format('create policy owner on %I to plimsoll_owner using (true) with check (true)', v_table);
    execute format('create policy identity on %I to plimsoll_identity using (true) with check (true)', v_table);
    execute format('create policy system on %I to plimsoll_app using (%2$s) with check (%2$s)', v_table,
      $x$current_setting('app.system', true) = 'on'$x$);
  end loop;
end
$$;
