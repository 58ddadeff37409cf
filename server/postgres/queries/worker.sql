-- Calls of workers; arguments in the order of migrations/README.md.

-- name: worker.register
select worker_id, epoch from plimsoll.register_worker(
  $1::text, $2::text, $3::text, $4::text[], $5::text[], $6::smallint, $7::real, $8::json, $9::text[],
  p_died_fences => $10::bigint[], p_died_jobs => $11::bigint[], p_died_tasks => $12::int[]);

-- name: worker.report_device
select plimsoll.report_device($1::text, $2::text, $3::text, $4::json);

-- name: worker.heartbeat (prepared)
select alive, stale_fences, cancelled_jobs, cleanup from plimsoll.heartbeat(
  $1::int, $2::int, $3::bigint[], $4::bigint[], $5::int[], $6::json);

-- name: worker.report_cleanup
select plimsoll.report_cleanup($1::int, $2::int, $3::bigint, $4::json);

-- name: worker.claim (prepared)
-- A row without a job: worker.read_lease has the tasks.
select fence, job_id, is_merge, is_whole, kind, kind_version, args, model, tasks, attempts, est_seconds, places, items, inputs, partials,
  priority, trace
from plimsoll.claim($1::int, $2::int, $3::float8, $4::int, $5::smallint, $6::text[]);

-- name: worker.claim_elsewhere
select fence, null::bigint job_id from plimsoll.claim_elsewhere($1::int, $2::int, $3::float8, $4::int, $5::smallint);

-- name: worker.read_lease (prepared)
-- What the claim before it has leased: the worker's newest lease but $3. One row per job.
select fence, job_id, is_merge, is_whole, kind, kind_version, args, model, tasks, attempts, est_seconds, places, items, inputs, partials,
  priority, trace
from plimsoll.read_lease($1::int, $2::int, $3::bigint[]);

-- name: worker.chunks
-- The inputs of a lease's tasks that run on chunks of datasets.
select job_id, task, input, slice, slices from plimsoll.read_claimed_chunks($1::int, $2::int, $3::bigint);

-- name: worker.complete (prepared)
-- It commits before it is on disk (pool/scope.hpp: on_disk). $16 the session's process.
select case when pg_backend_pid() = $16::int then set_config('synchronous_commit', 'off', true) end, plimsoll.complete(
  $1::int, $2::int, $3::bigint, $4::bigint[], $5::int[], $6::bytea[], $7::bytea[], $8::int[], $9::int[], $10::real[],
  $11::text[], $12::text[], $13::real[], p_tokens => $14::bigint[], p_reports => $15::bytea[]) verdict;

-- name: worker.record_log
-- What was written about tasks of a lease; the lines of each as JSON.
select plimsoll.record_log($1::int, $2::int, $3::bigint, $4::bigint[], $5::int[], $6::json[]);

-- name: worker.is_idle
select plimsoll.node_is_idle($1::text) idle;

-- name: worker.release
select plimsoll.release_tasks($1::int, $2::int, $3::bigint, $4::bigint[], $5::int[]);

-- name: worker.retire
select plimsoll.retire_worker($1::int, $2::int);
