-- Usage in the hours from p_from (inclusive) to p_to, of a team or (null) of all teams, grouped by p_by: at most one of
-- hour, day and month (by the calendar in UTC), and team, user, kind and model (as a lane names it: empty for jobs
-- without one). Columns that p_by does not name are null, and their values are summed. seconds: normalised
-- device-seconds.
-- needs: assert_team
create or replace function read_usage(p_team_id bigint, p_from timestamptz, p_to timestamptz, p_by text[], p_limit int)
returns table (start timestamptz, team_id bigint, team_name text, user_id bigint, user_name text, kind text,
  model text, seconds float8, tasks bigint, items bigint, jobs bigint)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select assert_team(p_team_id);
  with summed as (
    select case when 'hour' = any(p_by) then h.hour when 'day' = any(p_by) then date_trunc('day', h.hour, 'UTC')
        when 'month' = any(p_by) then date_trunc('month', h.hour, 'UTC') end start,
      case when 'team' = any(p_by) then h.team_id end team_id, case when 'user' = any(p_by) then h.user_id end user_id,
      case when 'kind' = any(p_by) then h.kind end kind, case when 'model' = any(p_by) then h.model end model,
      sum(h.seconds) seconds, sum(h.tasks)::bigint tasks, sum(h.items)::bigint items, sum(h.jobs)::bigint jobs
    from usage_hour h
    where h.hour >= p_from and h.hour < p_to and (p_team_id is null or h.team_id = p_team_id) group by 1, 2, 3, 4, 5
  )
  select s.start, s.team_id, t.name, s.user_id, u.name, s.kind, s.model, s.seconds, s.tasks, s.items, s.jobs
  from summed s left join team t on t.id = s.team_id left join app_user u on u.id = s.user_id
  order by s.start, s.seconds desc, s.team_id, s.user_id, s.kind, s.model limit p_limit;
end;
