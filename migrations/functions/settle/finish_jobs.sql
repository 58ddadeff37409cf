-- Adds outcomes to the jobs (distinct, with IDs from p_low to p_high) and ends those that have nothing left to run;
-- returns these, with their teams, those of which every item failed, and the jobs to merge.
-- p_merged: it was the job's merge task. p_reports: of a merge task, or of a job's only task, its report. Never looks
-- up array elements row by row.
create or replace function finish_jobs(p_fence bigint, p_jobs bigint[], p_counts int[], p_oks bigint[],
  p_faileds bigint[], p_costs float8[], p_merged boolean[], p_reports bytea[], p_low bigint, p_high bigint,
  p_now timestamptz, out ended bigint[], out teams bigint[], out failed bigint[], out merging bigint[])
language plpgsql set enable_nestloop = off set enable_hashjoin = on as $$
begin
  with changed as (
    update job j set items_ok = j.items_ok + n.ok, items_failed = j.items_failed + n.failed,
      tasks_left = j.tasks_left - n.ended, charged_seconds = j.charged_seconds + n.cost, revision = j.revision + 1,
      error = case when (n.merged or j.tasks_left = n.ended and not j.merge) and j.items_ok + n.ok = 0
        and j.items_failed + n.failed > 0 then 'Every item failed.' end,
      state = case when not (n.merged or j.tasks_left = n.ended and not j.merge) then j.state
        when j.items_ok + n.ok = 0 and j.items_failed + n.failed > 0 then 'failed' else 'succeeded' end,
      finished_at = case when n.merged or j.tasks_left = n.ended and not j.merge then p_now end,
      last_event = j.last_event + (n.merged or j.tasks_left = n.ended and not j.merge)::int
    from (select unnest(p_jobs) job_id, unnest(p_counts) ended, unnest(p_oks) ok, unnest(p_faileds) failed,
      unnest(p_costs) cost, unnest(p_merged) merged, unnest(p_reports) report) n
    where j.id = n.job_id and j.id = any(p_jobs) and j.id between p_low and p_high
    returning j.id, j.team_id, j.state, j.finished_at is not null finished, j.tasks_left = 0
      and j.finished_at is null merging, n.report
  ), reported as (
    insert into report (job_id, team_id, fence, content, created_at)
    select c.id, c.team_id, p_fence, c.report, p_now from changed c where c.finished and c.report is not null
  )
  select array_agg(c.id) filter (where c.finished), array_agg(c.team_id) filter (where c.finished),
    array_agg(c.id) filter (where c.state = 'failed'), array_agg(c.id order by c.id) filter (where c.merging)
  into ended, teams, failed, merging from changed c;
end
$$;
