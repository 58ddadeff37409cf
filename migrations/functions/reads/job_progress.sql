-- Items done by running tasks, over and above the job's own counters: a snapshot, not history.
-- Answers bigint: items done in running tasks; shown progress = items_ok + items_failed + this, capped by items_total.
create or replace function job_progress(p_job_id bigint) returns bigint
language plpgsql stable security definer set search_path = plimsoll, pg_temp as $$
begin
  return (select coalesce(sum((progress ->> p_job_id::text)::bigint), 0) from worker where progress ? p_job_id::text);
end
$$;
