create or replace function set_team_limit_v1(p_team_id bigint, p_queued_jobs int) returns void
language sql security definer set search_path = plimsoll, pg_temp
begin atomic
  insert into team_limit (team_id, queued_jobs) values (p_team_id, p_queued_jobs)
  on conflict (team_id) do update set queued_jobs = excluded.queued_jobs;
end;
