-- Saved views of a page: a member's filters under a name, in the form of the page's address.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table saved_view (
  id bigint generated always as identity primary key,
  team_id bigint not null,
  user_id bigint not null,
  page text not null,
  name text not null check (length(name) between 1 and 100),
  query text not null check (length(query) <= 2000),
  created_at timestamptz not null default clock_timestamp(),
  foreign key (team_id, user_id) references membership on delete cascade
);
create unique index saved_view_name on saved_view (team_id, user_id, page, name);
alter table saved_view enable row level security, force row level security;
create policy owner on saved_view to plimsoll_owner using (true) with check (true);
create policy team on saved_view to plimsoll_app
  using (team_id = nullif(current_setting('app.team_id', true), '')::bigint)
  with check (team_id = nullif(current_setting('app.team_id', true), '')::bigint);
-- Its result names the device class.
drop function if exists read_jobs(bigint[]);
