-- Adds how the previous process of a worker ended to the log of the attempts that were lost with it. One that reported
-- this itself is not told twice. Index attempt_<day>_worker_id_at_idx.
create or replace function log_worker_exit(p_worker worker, p_exit text, p_now timestamptz) returns void
language plpgsql as $$
begin
  insert into task_log (job_id, seq, fence, n, team_id, attempt, level, at, text)
  select a.job_id, a.seq, a.fence, 1001, a.team_id, a.attempt, 3, p_now, left(p_exit, 500)
  from attempt a
  where a.worker_id = p_worker.id and a.outcome in ('worker_died', 'worker_lost') and a.at >= p_worker.registered_at
    and strpos(a.error, p_exit) = 0
  on conflict (job_id, seq, fence, n) do nothing;
end
$$;
