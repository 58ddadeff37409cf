-- name: audit.add
-- In the transaction of what it tells of. $1 team or null (the installation's; system), $2 user, $3 token, $4 action (noun.verb),
-- $5 target, $6 request id, $7 address, $8 data.
insert into plimsoll.audit_event (team_id, user_id, token_id, action, target, request_id, address, data)
values ($1::bigint, $2::bigint, $3::bigint, $4::text, $5::text, $6::text, $7::inet, coalesce($8::jsonb, '{}'));

-- name: audit.list
-- The team's, newest first. $1 only ids below (null: from the newest), $2 limit. Index audit_event_team backwards.
select id, user_id, token_id, at, action, target, request_id, address, data from plimsoll.audit_event
where team_id = nullif(current_setting('app.team_id', true), '')::bigint and id < coalesce($1::bigint, 9223372036854775807)
order by id desc limit $2::int;
