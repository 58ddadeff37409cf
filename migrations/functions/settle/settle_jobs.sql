-- Adds settled tasks to the jobs and ends those that have nothing left to run; returns the jobs to merge. The arrays
-- are those of settle.
create or replace function settle_jobs(p_fence bigint, p_jobs bigint[], p_tasks int[], p_merges boolean[],
  p_outcomes text[], p_next_states text[], p_costs float8[], p_oks int[], p_faileds int[], p_errors text[],
  p_partials bytea[], p_now timestamptz)
returns bigint[] language plpgsql as $$
declare
  v_changed bigint[];
  v_merging bigint[];
  v_low bigint;
  v_high bigint;
begin
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  with part as materialized (
    select s.job_id, count(*) filter (where s.next_state in ('done', 'quarantined') and not s.is_merge)::int ended,
      count(*) filter (where s.next_state = 'quarantined' and not s.is_merge)::int bad,
      coalesce(bool_or(s.is_merge and s.next_state = 'done'), false) merged,
      coalesce(bool_or(s.is_merge and s.next_state = 'quarantined'), false) unmerged,
      coalesce(sum(s.ok) filter (where s.next_state in ('done', 'quarantined') and not s.is_merge), 0) ok,
      coalesce(sum(s.failed) filter (where s.next_state in ('done', 'quarantined') and not s.is_merge), 0) failed,
      sum(s.cost) cost, array_agg(s.task) filter (where s.next_state = 'quarantined') bad_tasks,
      array_agg(s.task) filter (where s.next_state in ('ready', 'scheduled') and s.outcome <> 'released') again_tasks,
      count(*) filter (where s.next_state in ('ready', 'scheduled') and s.outcome <> 'released')::int again,
      max(s.error) filter (where s.next_state = 'quarantined') error,
      (array_agg(s.error order by s.ord desc)
        filter (where s.outcome in ('retry', 'final', 'lost') and s.next_state <> 'dropped'))[1] last_error,
      max(s.ord) filter (where s.next_state = 'done') done_ord
    from unnest(p_jobs, p_tasks, p_merges, p_outcomes, p_next_states, p_costs, p_oks, p_faileds, p_errors)
      with ordinality s(job_id, task, is_merge, outcome, next_state, cost, ok, failed, error, ord) group by 1
  ), next as materialized (
    select p.*, j.merge, j.stop_error, w.whole,
      case when j.state = 'cancelling' then
          case when leases_of_job(p.job_id) <> '{}' then 'cancelling'
            when j.stop_error is null then 'cancelled' else 'failed' end
        when w.whole and (j.items_ok + p.ok > 0 or j.items_failed + p.failed = 0) then 'succeeded'
        when w.whole or p.unmerged or w.last and w.all_bad then 'failed'
        else j.state end state,
      w.last and j.merge and not w.all_bad and j.state <> 'cancelling' merging
    from part p
    cross join lateral (select * from job x where x.id = p.job_id and x.id between v_low and v_high offset 0) j
    cross join lateral (
      select x.*, (p.merged or x.last and not j.merge and not x.all_bad) and j.state <> 'cancelling' whole
      from (
        select p.ended > 0 and j.tasks_left = p.ended last, j.tasks_quarantined + p.bad = j.tasks_total all_bad) x) w
  ), changed as (
    update job j set items_ok = j.items_ok + n.ok, items_failed = j.items_failed + n.failed,
      tasks_left = j.tasks_left - n.ended, tasks_quarantined = j.tasks_quarantined + n.bad,
      charged_seconds = j.charged_seconds + n.cost, revision = j.revision + 1, state = n.state,
      finished_at = case when n.state in ('succeeded', 'failed', 'cancelled') then p_now end,
      error = case when n.state = 'failed' then
        case when n.whole then 'Every item failed.' else coalesce(n.stop_error, n.error) end end,
      retries = j.retries + n.again,
      last_error = coalesce(n.last_error, j.last_error),
      last_event = j.last_event + (n.again_tasks is not null)::int + (n.bad_tasks is not null)::int
        + (n.state in ('succeeded', 'failed', 'cancelled'))::int
    from next n where j.id = n.job_id and j.id = any(p_jobs) and j.id between v_low and v_high
    returning j.id, j.team_id, j.state, j.finished_at is not null finished, j.last_event, n.bad_tasks, n.again_tasks,
      n.merging, n.whole, n.done_ord
  ), told as (
    insert into event (job_id, n, team_id, at, type, data)
    select id, last_event - finished::int - (bad_tasks is not null)::int, team_id, p_now, 'retried',
      json_build_object('tasks', again_tasks)
    from changed where again_tasks is not null
    union all
    select id, last_event - finished::int, team_id, p_now, 'quarantined', json_build_object('tasks', bad_tasks)
    from changed where bad_tasks is not null
  ), reported as (
    insert into report (job_id, team_id, fence, content, created_at)
    select id, team_id, p_fence, p_partials[done_ord], p_now
    from changed where whole and p_partials[done_ord] is not null
  )
  select array_agg(id), array_agg(id order by id) filter (where merging) into v_changed, v_merging from changed;
  perform note_standing(v_changed);
  perform announce_job_ends(v_changed);
  perform notify_jobs(v_changed);
  return v_merging;
end
$$;
