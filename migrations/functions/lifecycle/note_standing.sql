-- Brings job_standing up to date with the jobs' states.
create or replace function note_standing(p_jobs bigint[]) returns void language plpgsql as $$
declare
  v_low bigint;
  v_high bigint;
begin
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  with job_now as materialized (
    select j.id, j.team_id, case when j.finished_at is null then 'unfinished' else j.state end standing
    from unnest(p_jobs) u(id)
    cross join lateral (select * from job x where x.id = u.id and x.id between v_low and v_high offset 0) j
  ), gone as (
    delete from job_standing s using job_now j
    where s.team_id = j.team_id and s.standing = any('{unfinished, failed, cancelled}') and s.standing <> j.standing
      and s.job_id = j.id and s.job_id between v_low and v_high
  )
  insert into job_standing (team_id, standing, job_id)
  select j.team_id, j.standing, j.id from job_now j where j.standing <> 'succeeded'
  on conflict do nothing;
end
$$;
