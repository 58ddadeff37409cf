-- Links that show one report to anyone who has the link, until it expires or is revoked. plimsoll_guest owns the
-- functions that read for such a reader, and sees only the rows of one job: that of the link whose hash the transaction
-- has set.
do $$
begin
  if not exists (select from pg_roles where rolname = 'plimsoll_guest') then
    create role plimsoll_guest nologin;
  end if;
exception when duplicate_object or unique_violation then
  null;  -- a migrator of another database in this cluster was faster
end
$$;
do $$
begin
  if not pg_has_role(current_user, 'plimsoll_guest', 'usage') then
    execute format('grant plimsoll_guest to %I', current_user);
  end if;
  if not pg_has_role('plimsoll_owner', 'plimsoll_guest', 'member') then
    grant plimsoll_guest to plimsoll_owner;
  end if;
end
$$;

set local role plimsoll_owner;
set local search_path = plimsoll;

grant usage, create on schema plimsoll to plimsoll_guest;  -- a function's owner needs CREATE; the role cannot log in
alter default privileges for role plimsoll_guest revoke execute on functions from public;

create table report_link (
  id bigint generated always as identity primary key,
  team_id bigint not null,
  user_id bigint not null,
  job_id bigint not null,  -- no foreign key: jobs are dropped by the day
  note text check (length(note) between 1 and 200),
  hash bytea not null unique check (octet_length(hash) = 32),
  token_id bigint references token on delete set null,  -- created with this token: revoked together with it
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  opened_at timestamptz,  -- for the last time
  opens bigint not null default 0,
  -- A link ends with the membership that it was created under.
  foreign key (team_id, user_id) references membership on delete cascade
);
create index report_link_team on report_link (team_id, id);
create index report_link_token on report_link (token_id) where token_id is not null;

alter table report_link enable row level security, force row level security;
create policy owner on report_link to plimsoll_owner using (true) with check (true);
create policy team on report_link to plimsoll_app
  using (team_id = nullif(current_setting('app.team_id', true), '')::bigint
    or current_setting('app.system', true) = 'on')
  with check (team_id = nullif(current_setting('app.team_id', true), '')::bigint);

create policy guest on report_link to plimsoll_guest
  using (hash = decode(nullif(current_setting('app.report_link', true), ''), 'hex') and revoked_at is null
    and expires_at > clock_timestamp());
create policy guest on job for select to plimsoll_guest using (id = (select l.job_id from report_link l));
create policy guest on report for select to plimsoll_guest using (job_id = (select l.job_id from report_link l));
create policy guest on result for select to plimsoll_guest using (job_id = (select l.job_id from report_link l));
create policy guest on task for select to plimsoll_guest using (job_id = (select l.job_id from report_link l));
create policy guest on app_user for select to plimsoll_guest using (id = (select l.user_id from report_link l));
create policy guest on audit_event for insert to plimsoll_guest
  with check (team_id = (select l.team_id from report_link l));
