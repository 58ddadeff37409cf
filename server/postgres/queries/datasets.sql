-- Uploaded input. Run in a transaction that has set app.team_id.

-- name: datasets.create
-- Arguments in the order of migrations/README.md; $6 to $8 are the team's limits.
with made as materialized (
  select outcome, id, bytes_left from plimsoll.create_dataset($1::bigint, $2::bigint, $3::text, $4::text, $5::bigint, $6::int, $7::int, $8::bigint)
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target)
  select $1::bigint, $2::bigint, 'dataset.create', id::text from made where outcome = 'created'
)
select outcome, id, bytes_left from made;

-- name: datasets.get
-- Index dataset_pkey.
select d.id, d.user_id, u.name as submitter_name, d.name, d.format, d.state, d.error, d.bytes_total, d.bytes_received, d.columns,
  d.records, d.records_failed, d.chunks, d.created_at, d.revision
from plimsoll.dataset d left join plimsoll.app_user u on u.id = d.user_id where d.id = $1::bigint;

-- name: datasets.list
-- Newest first. $1 only ids below (null: from the newest), $2 limit. Index dataset_team backwards.
select d.id, d.user_id, u.name as submitter_name, d.name, d.format, d.state, d.error, d.bytes_total, d.bytes_received, d.columns,
  d.records, d.records_failed, d.chunks, d.created_at, d.revision
from plimsoll.dataset d left join plimsoll.app_user u on u.id = d.user_id
where d.team_id = nullif(current_setting('app.team_id', true), '')::bigint and d.id < coalesce($1::bigint, 9223372036854775807)
order by d.id desc limit $2::int;

-- name: datasets.reading
-- The state of its upload. Index dataset_pkey.
select reading from plimsoll.dataset where id = $1::bigint;

-- name: datasets.append
-- A step of an upload. $1 dataset, $2 from, $3 to, $4 reading, $5 columns, $6 complete; then per chunk: $7 first record, $8 records,
-- $9 failed, $10 bytes, $11 content. No row: the upload is not at $2. Index dataset_pkey.
with step as materialized (
  update plimsoll.dataset d set bytes_received = $3::bigint, reading = case when $6::boolean then null else $4::bytea end, columns = $5::text[],
    state = case when $6::boolean then 'ready' else 'uploading' end,
    records = d.records + coalesce(c.records, 0), records_failed = d.records_failed + coalesce(c.failed, 0), chunks = d.chunks + c.n,
    touched_at = clock_timestamp(), revision = d.revision + 1
  from (select count(*)::int n, sum(u.records) records, sum(u.failed) failed from unnest($8::int[], $9::int[]) u(records, failed)) c
  where d.id = $1::bigint and d.state = 'uploading' and d.bytes_received = $2::bigint
  returning d.id, d.team_id, d.chunks - c.n as first_seq
), stored as (
  insert into plimsoll.dataset_chunk (dataset_id, seq, team_id, first_record, records, failed, bytes, content)
  select s.id, s.first_seq + u.ord - 1, s.team_id, u.first_record, u.records, u.failed, u.bytes, u.content
  from step s cross join unnest($7::bigint[], $8::int[], $9::int[], $10::bigint[], $11::bytea[])
    with ordinality u(first_record, records, failed, bytes, content, ord)
)
select id from step;

-- name: datasets.reject
-- $1 dataset, $2 why. Index dataset_pkey.
with rejected as (
  update plimsoll.dataset set state = 'failed', error = $2::text, reading = null, records = 0, records_failed = 0, chunks = 0, revision = revision + 1
  where id = $1::bigint and state = 'uploading' returning id
)
delete from plimsoll.dataset_chunk c using rejected r where c.dataset_id = r.id;

-- name: datasets.delete
-- $1 team, $2 dataset, $3 who.
with done as materialized (
  select plimsoll.delete_dataset($1::bigint, $2::bigint) as outcome
), told as (
  insert into plimsoll.audit_event (team_id, user_id, action, target)
  select $1::bigint, $3::bigint, 'dataset.delete', $2::bigint::text from done where outcome = 'deleted'
)
select outcome from done;

-- name: datasets.chunks
-- Index dataset_chunk_pkey.
select seq, first_record, records, failed from plimsoll.dataset_chunk where dataset_id = $1::bigint order by seq;

-- name: datasets.chunk
-- Index dataset_chunk_pkey.
select content from plimsoll.dataset_chunk where dataset_id = $1::bigint and seq = $2::int;

-- name: datasets.enqueue
-- Arguments in the order of migrations/README.md.
select job_id, outcome, refusal from plimsoll.enqueue_dataset($1::bigint, $2::bigint, $3::text, $4::smallint, $5::json, $6::text, $7::jsonb, $8::smallint,
  $9::text, $10::text, $11::smallint, $12::text, $13::text, $14::bytea, $15::timestamptz, $16::timestamptz, $17::real, $18::text,
  $19::bigint, $20::float8, $21::float8);
