-- A team's policies for choosing models (server/kinds/sentiment).
set local role plimsoll_owner;
set local search_path = plimsoll;

create table sentiment_policy (
  team_id bigint not null references team on delete cascade,
  id text not null check (id ~ '^[a-z0-9_]{1,64}$'),
  definition json not null,  -- as sent to the API
  user_id bigint not null,  -- who wrote it last
  updated_at timestamptz not null default clock_timestamp(),
  primary key (team_id, id)
);
alter table sentiment_policy enable row level security, force row level security;
create policy owner on sentiment_policy to plimsoll_owner using (true) with check (true);
create policy team on sentiment_policy to plimsoll_app
  using (team_id = nullif(current_setting('app.team_id', true), '')::bigint)
  with check (team_id = nullif(current_setting('app.team_id', true), '')::bigint);
