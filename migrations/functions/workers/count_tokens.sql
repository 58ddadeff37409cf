-- Adds tokens that a worker's models have read for a job that runs, for a progress display: repeated work counts again.
-- Locks the job's row alone.
create or replace function count_tokens(p_worker_id int, p_epoch int, p_job_id bigint, p_tokens bigint)
returns void language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  update job set tokens_done = tokens_done + p_tokens
  where id = p_job_id and state = 'running' and p_tokens > 0
    and exists (select from worker w where w.id = p_worker_id and w.epoch = p_epoch);
end
$$;
