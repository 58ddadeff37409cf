-- Reports that a team pinned: later ones are compared with them.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table report_baseline (
  id bigint generated always as identity primary key,
  team_id bigint not null references team on delete cascade,
  kind text not null,
  likeness text not null check (octet_length(likeness) between 1 and 8192),  -- what reports have in common that are compared
  job_id bigint not null,  -- whose report it was; the numbers outlive the job
  summary json not null,
  user_id bigint not null,  -- who pinned it
  pinned_at timestamptz not null default clock_timestamp()
);
-- By the hash: words of this length fit no index.
create unique index report_baseline_likeness on report_baseline (team_id, kind, md5(likeness));

alter table report_baseline enable row level security, force row level security;
create policy owner on report_baseline to plimsoll_owner using (true) with check (true);
create policy team on report_baseline to plimsoll_app
  using (team_id = nullif(current_setting('app.team_id', true), '')::bigint)
  with check (team_id = nullif(current_setting('app.team_id', true), '')::bigint);
grant select, insert, update, delete on report_baseline to plimsoll_app;
