-- An identity at a provider can be named, to be removed; and groups can make system admins.
set local role plimsoll_owner;
set local search_path = plimsoll;

alter table user_identity add column id bigint generated always as identity;
create unique index user_identity_id on user_identity (id);
-- Takes an argument more, and its result has a column more.
drop function if exists sign_in_provided_user(
  text, text, text[], text, boolean, boolean, text[], text[], text, timestamptz);
