-- A team's webhooks and their deliveries. Run in a transaction that has set app.team_id, except the last three.

-- name: webhooks.list
-- Index webhook_team.
select w.id, w.name, w.url, w.format, w.labels, w.created_at, w.user_id, u.name as user_name
from plimsoll.webhook w left join plimsoll.app_user u on u.id = w.user_id
where w.team_id = nullif(current_setting('app.team_id', true), '')::bigint order by w.id;

-- name: webhooks.create
-- $1 team, $2 user, $3 name, $4 url, $5 secret, $6 request id, $7 the team's limit, $8 format, $9 labels. No row: the
-- limit is reached.
with made as (
  insert into plimsoll.webhook (team_id, user_id, name, url, secret, format, labels)
  select $1::bigint, $2::bigint, $3::text, $4::text, $5::bytea, $8::text, $9::jsonb
  where (select count(*) from plimsoll.webhook w where w.team_id = $1::bigint) < $7::int returning id, created_at
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $1::bigint, $2::bigint, 'webhook.create', made.id::text, $6::text from made
)
select id, created_at from made;

-- name: webhooks.update
-- $1 webhook, $2 name, $3 url, $8 format, $9 labels; null: unchanged. $4 team, $5 user, $6 request id, $7 what it must be
-- now (null: anything). No row: not found, or something else.
with changed as (
  update plimsoll.webhook w set name = coalesce($2::text, w.name), url = coalesce($3::text, w.url),
    format = coalesce($8::text, w.format), labels = coalesce($9::jsonb, w.labels)
  where w.id = $1::bigint and ($7::jsonb is null
    or jsonb_build_object('name', w.name, 'url', w.url, 'format', w.format, 'labels', w.labels) = $7)
  returning w.id, w.name, w.url, w.format, w.labels, w.created_at, w.user_id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select $4::bigint, $5::bigint, 'webhook.update', id::text, $6::text,
    json_strip_nulls(json_build_object('name', $2, 'url', $3, 'format', $8, 'labels', $9::json)) from changed
)
select c.*, u.name as user_name from changed c left join plimsoll.app_user u on u.id = c.user_id;

-- name: webhooks.delete
-- $1 webhook, $2 team, $3 user, $4 request id. No row: not found.
with gone as (
  delete from plimsoll.webhook where id = $1::bigint returning id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $2::bigint, $3::bigint, 'webhook.delete', gone.id::text, $4::text from gone
)
select id from gone;

-- name: webhooks.exists
select id from plimsoll.webhook where id = $1::bigint;

-- name: webhooks.deliveries
-- Newest first. $1 webhook, $2 only ids below (null: from the newest), $3 limit. Index webhook_delivery_recent backwards.
select id, type, job_id, created_at, state, attempts, next_at, status, error, ended_at from plimsoll.webhook_delivery
where webhook_id = $1::bigint and id < coalesce($2::bigint, 9223372036854775807) order by id desc limit $3::int;

-- name: webhooks.test
-- $1 webhook, $2 team, $3 user, $4 request id. No row: the webhook does not exist.
with made as (
  insert into plimsoll.webhook_delivery (webhook_id, team_id, type, data)
  select w.id, w.team_id, 'webhook.test', '{}' from plimsoll.webhook w where w.id = $1::bigint
  returning id, type, job_id, created_at, state, attempts, next_at, status, error, ended_at
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $2::bigint, $3::bigint, 'webhook.test', $1::bigint::text, $4::text from made
)
select * from made;

-- name: webhooks.claim
-- $1 limit, $2 seconds until an attempt counts as lost, $3 the most attempts, $4 deliveries under way.
select id, attempt, type, job_id, data, created_at, url, format, secret
from plimsoll.claim_webhook_deliveries($1::int, make_interval(secs => $2::float8), $3::int, $4::bigint[]);

-- name: webhooks.settle
-- $1 delivery, $2 attempt, $3 status, $4 error, $5 seconds until the next attempt.
select plimsoll.settle_webhook_delivery($1::bigint, $2::smallint, $3::int, $4::text, make_interval(secs => $5::float8)) as current;

-- name: webhooks.forget
-- $1 days to keep.
select plimsoll.forget_webhook_deliveries($1::int) as done;
