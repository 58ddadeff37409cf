-- Items done in a job's running tasks, a snapshot. A progress display adds them to items_ok + items_failed, up to
-- items_total.
create or replace function job_progress(p_job_id bigint) returns bigint
language plpgsql stable security definer set search_path = plimsoll, pg_temp as $$
begin
  return (select coalesce(sum((progress ->> p_job_id::text)::bigint), 0) from worker where progress ? p_job_id::text);
end
$$;
