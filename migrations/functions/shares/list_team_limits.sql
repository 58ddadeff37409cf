-- The limits of a team (null: of all teams that have any): maximum and current queued jobs; maximum jobs submitted per
-- minute.
-- needs: assert_team
create or replace function list_team_limits(p_team_id bigint)
returns table (team_id bigint, queued_jobs int, queued bigint, jobs_per_minute int)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select assert_team(p_team_id);
  select l.team_id, l.queued_jobs, (select count(*) from (
      select from job_standing s join job j on j.id = s.job_id
      where s.team_id = l.team_id and s.standing = 'unfinished' and j.started_at is null
      limit coalesce(l.queued_jobs, 0)) open),
    l.jobs_per_minute
  from team_limit l where (l.queued_jobs is not null or l.jobs_per_minute is not null)
    and (p_team_id is null or l.team_id = p_team_id)
  order by l.team_id;
end;
