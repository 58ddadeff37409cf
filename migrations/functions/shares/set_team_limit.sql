-- Sets all limits of a team; null: unlimited.
-- needs: assert_team
create or replace function set_team_limit(p_team_id bigint, p_queued_jobs int, p_jobs_per_minute int) returns void
language sql security definer set search_path = plimsoll, pg_temp
begin atomic
  select assert_team(p_team_id);
  insert into team_limit (team_id, queued_jobs, jobs_per_minute) values (p_team_id, p_queued_jobs, p_jobs_per_minute)
  on conflict (team_id) do update set queued_jobs = excluded.queued_jobs, jobs_per_minute = excluded.jobs_per_minute,
    jobs_left = null, jobs_left_at = null;
end;
