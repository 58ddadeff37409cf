-- Cancels a job. Returns cancelled (nothing was running), cancelling (its workers are notified), finished (too late) or
-- not_found.
create or replace function cancel_job(p_team_id bigint, p_job_id bigint, p_now timestamptz default clock_timestamp())
returns text language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform assert_team(p_team_id);
  return stop_job(p_team_id, p_job_id, null, p_now);
end
$$;
