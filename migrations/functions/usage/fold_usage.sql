-- Duty, every 5 s: counts the usage of jobs touched by completions. Returns the number of touches processed; call again
-- while it is p_limit.
create or replace function fold_usage(p_limit int default 1000) returns int
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_touches int;
  v_jobs bigint[];
  v_ats timestamptz[];
begin
  perform lock_usage();
  with taken as materialized (
    delete from usage_touch where ctid = any(array(select ctid from usage_touch limit p_limit)) returning at, jobs
  ), touched as (
    select u.id, max(t.at) at from taken t cross join unnest(t.jobs) u(id) group by 1
  )
  select (select count(*) from taken), array_agg(id), array_agg(at) into v_touches, v_jobs, v_ats from touched;
  perform count_usage(v_jobs, v_ats);
  return v_touches;
end
$$;
