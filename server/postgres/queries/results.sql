-- Reports and results. Run in a transaction that has set app.team_id.

-- name: results.report
-- Index report_<day>_pkey.
select content from plimsoll.report where job_id = $1::bigint;

-- name: results.chunks
-- Every ended task that has items, in input order; a quarantined one has no content, and all its items failed. A gzip
-- member ends with its uncompressed size (RFC 1952), and PostgreSQL reads only the last bytes of uncompressed columns.
-- Indexes result_<day>_pkey, task_<day>_pkey and job_<day>_pkey.
select r.seq, r.state, t.first_item, t.items, r.error, substring(r.content from r.bytes - 3) as gzip_size
from plimsoll.result r join plimsoll.job_task t on t.job_id = r.job_id and t.seq = r.seq
where r.job_id = $1::bigint and t.items > 0 order by r.seq;

-- name: results.end (prepared)
-- How the small job $1 ended, with its contents.
select job_state, job_error, seq, state, error, content from plimsoll.read_end($1::bigint);

-- name: results.chunk
-- One chunk: a gzip member of JSON lines. Index result_<day>_pkey.
select content from plimsoll.result where job_id = $1::bigint and seq = $2::int and state = 'done';

-- name: results.input
-- A task's input: its own, or a slice of a chunk of the job's dataset if that still exists. Indexes
-- task_<day>_pkey, job_<day>_pkey and dataset_chunk_pkey.
select coalesce(t.input, c.content) as input, t.seq % j.slices as slice, j.slices from plimsoll.job_task t
join plimsoll.job j on j.id = t.job_id
left join plimsoll.dataset_chunk c on c.dataset_id = j.dataset_id and c.seq = t.seq / j.slices
where t.job_id = $1::bigint and t.seq = $2::int;
