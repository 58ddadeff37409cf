-- Reports that a team pinned. Run in a transaction that has set app.team_id.

-- name: baselines.list
-- By kind and comparison key; job_id null: the job has been deleted. Index report_baseline_comparison_key.
select b.id, b.kind, b.comparison_key, j.id as job_id, u.name as pinned_by, b.pinned_at
from plimsoll.report_baseline b left join plimsoll.job j on j.id = b.job_id left join plimsoll.app_user u on u.id = b.user_id
where b.team_id = nullif(current_setting('app.team_id', true), '')::bigint order by b.kind, b.comparison_key;

-- name: baselines.find
-- As above, with the summary. $1 kind, $2 comparison_key. Index report_baseline_comparison_key.
select b.id, b.kind, b.comparison_key, j.id as job_id, u.name as pinned_by, b.pinned_at, b.summary
from plimsoll.report_baseline b left join plimsoll.job j on j.id = b.job_id left join plimsoll.app_user u on u.id = b.user_id
where b.team_id = nullif(current_setting('app.team_id', true), '')::bigint and b.kind = $1::text
  and md5(b.comparison_key) = md5($2::text);

-- name: baselines.pin
-- $1 team, $2 user, $3 kind, $4 comparison_key, $5 job, $6 summary, $7 request id, $8 the team's limit. No row: the
-- limit is reached.
with made as (
  insert into plimsoll.report_baseline as b (team_id, user_id, kind, comparison_key, job_id, summary)
  select $1::bigint, $2::bigint, $3::text, $4::text, $5::bigint, $6::json
  where (select count(*) from plimsoll.report_baseline o
    where o.team_id = $1::bigint and (o.kind, md5(o.comparison_key)) is distinct from ($3::text, md5($4::text))) < $8::int
  on conflict (team_id, kind, md5(comparison_key)) do update set job_id = excluded.job_id, summary = excluded.summary,
    user_id = excluded.user_id, pinned_at = excluded.pinned_at
  returning b.id, b.kind, b.comparison_key, b.job_id, b.pinned_at
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $1::bigint, $2::bigint, 'baseline.pin', made.job_id::text, $7::text from made
)
select made.id, made.kind, made.comparison_key, made.job_id, u.name as pinned_by, made.pinned_at
from made left join plimsoll.app_user u on u.id = $2::bigint;

-- name: baselines.delete
-- $1 id, $2 team, $3 user, $4 request id. No row: not found.
with gone as (
  delete from plimsoll.report_baseline where id = $1::bigint returning id, job_id
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target, request_id)
  select $2::bigint, $3::bigint, 'baseline.delete', gone.job_id::text, $4::text from gone
)
select id from gone;
