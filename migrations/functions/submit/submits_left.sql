-- How many jobs a team's token bucket holds now; null: the team has none.
create or replace function submits_left(p_limit team_limit, p_now timestamptz) returns float8 language sql stable
return least(p_limit.jobs_per_minute, coalesce(
  p_limit.jobs_left + greatest(0,
    extract(epoch from p_now - p_limit.jobs_left_at)::float8) * p_limit.jobs_per_minute / 60, p_limit.jobs_per_minute));
