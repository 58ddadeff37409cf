-- The token that a token was created with, directly or in a session that it opened: both are revoked together.
set local role plimsoll_owner;
set local search_path = plimsoll;

alter table token add column parent_id bigint references token;
create index token_parent on token (parent_id) where parent_id is not null;
