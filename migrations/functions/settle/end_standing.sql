-- A team's jobs, with IDs from p_low to p_high, are no longer unfinished.
create or replace function end_standing(p_team bigint, p_jobs bigint[], p_low bigint, p_high bigint) returns void
language plpgsql as $$
begin
  delete from job_standing s where s.team_id = p_team and s.standing = 'unfinished' and s.job_id = any(p_jobs)
    and s.job_id between p_low and p_high;
end
$$;
