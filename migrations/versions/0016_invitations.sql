-- Invitations into a team: one-time links with which a user joins it, or a new user is made.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table invitation (
  id bigint generated always as identity primary key,
  team_id bigint not null,
  user_id bigint not null,  -- who invites
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  email text check (email = lower(email) and length(email) between 1 and 254),  -- null: whoever has the link
  hash bytea not null unique check (octet_length(hash) = 32),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  accepted_at timestamptz,
  -- It ends with the membership that it was created under.
  foreign key (team_id, user_id) references membership on delete cascade
);
create index invitation_team on invitation (team_id, id);

alter table invitation enable row level security, force row level security;
create policy owner on invitation to plimsoll_owner using (true) with check (true);
create policy identity on invitation to plimsoll_identity using (true) with check (true);
create policy team on invitation to plimsoll_app
  using (team_id = nullif(current_setting('app.team_id', true), '')::bigint
    or current_setting('app.system', true) = 'on')
  with check (team_id = nullif(current_setting('app.team_id', true), '')::bigint);
