-- Links that show one report. Run in a transaction that has set app.team_id, except what a link itself opens.

-- name: report_links.list
-- Those that still open a report, newest first. $1 team, $2 job (null: all jobs), $3 only those before (null: from the
-- newest), $4 limit. Index report_link_team.
select l.id, l.job_id, j.name as job_name, j.kind as job_kind, l.user_id, u.name as user_name, l.note, l.created_at, l.expires_at, l.opened_at, l.opens
from plimsoll.report_link l left join plimsoll.job j on j.id = l.job_id left join plimsoll.app_user u on u.id = l.user_id
where l.team_id = $1::bigint and l.revoked_at is null and l.expires_at > clock_timestamp() and ($2::bigint is null or l.job_id = $2)
  and ($3::bigint is null or l.id < $3)
order by l.id desc
limit $4::int;

-- name: report_links.create
-- $1 team, $2 user, $3 job, $4 note or null, $5 hash, $6 expires at, $7 the token that created it or null, $8 the
-- session or null, $9 the team's limit, $10 request id. No row: the limit is reached. Index report_link_team.
with made as (
  insert into plimsoll.report_link (team_id, user_id, job_id, note, hash, expires_at, token_id)
  select $1::bigint, $2::bigint, $3::bigint, $4::text, $5::bytea, $6::timestamptz,
    coalesce($7::bigint, (select s.token_id from plimsoll.session s where s.id = $8::bigint))
  where (select count(*) from plimsoll.report_link l
    where l.team_id = $1 and l.revoked_at is null and l.expires_at > clock_timestamp()) < $9::int
  returning id, job_id, user_id, note, created_at, expires_at, opened_at, opens
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id, data)
  select $1::bigint, $2::bigint, 'report_link.create', id::text, $10::text,
    json_build_object('job', job_id, 'expires_at', expires_at) from made
)
select m.*, j.name as job_name, j.kind as job_kind, u.name as user_name
from made m left join plimsoll.job j on j.id = m.job_id left join plimsoll.app_user u on u.id = m.user_id;

-- name: report_links.revoke
-- $1 id, $2 team, $3 user, $4 request id. No row: not found. Index report_link_pkey.
with revoked as (
  update plimsoll.report_link set revoked_at = clock_timestamp() where id = $1::bigint and team_id = $2::bigint and revoked_at is null
  returning id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $2::bigint, $3::bigint, 'report_link.revoke', id::text, $4::text from revoked
)
select id from revoked;

-- name: report_links.open
-- What the link with the hash $1 shows; needs no team.
select * from plimsoll.open_report_link($1::bytea);

-- name: report_links.chunks
select * from plimsoll.list_linked_chunks($1::bytea);

-- name: report_links.chunk
-- $2 which.
select content from plimsoll.read_linked_chunk($1::bytea, $2::int);
