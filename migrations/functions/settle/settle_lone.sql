-- As settle_done, for a lease of one task that is all of its job: nothing is added up, joined or merged. p_report: of
-- the job; null: none. False: it is the first task of a larger job, or the job is being cancelled; nothing has changed.
create or replace function settle_lone(p_lease lease, p_worker worker, p_content bytea, p_report bytea, p_ok int,
  p_failed int, p_seconds real, p_now timestamptz)
returns boolean language plpgsql as $$
declare
  v_job constant bigint := p_lease.jobs[1];
  v_cost constant float8 := coalesce(p_seconds, 0) * p_worker.speed;
  v_team bigint;
  v_state text;
begin
  -- Most bytes are inserted before the class lock is taken.
  insert into result (job_id, seq, team_id, state, fence, worker_id, attempt, items_ok, items_failed, seconds, bytes,
    content, finished_at)
  select v_job, 0, j.team_id, 'done', p_lease.fence, p_worker.id, p_lease.attempts[1], p_ok, p_failed, v_cost,
    coalesce(octet_length(p_content), 0), p_content, p_now
  from job j where j.id = v_job and not j.merge returning team_id into v_team;
  if not found then
    return false;
  end if;
  perform lock_class(p_lease.class_id);
  -- A job being cancelled accepts no more results. Cancel sets the state under the class lock.
  update job j set items_ok = j.items_ok + p_ok, items_failed = j.items_failed + p_failed,
    tasks_left = j.tasks_left - 1, charged_seconds = j.charged_seconds + v_cost, revision = j.revision + 1,
    last_event = j.last_event + 1, finished_at = p_now,
    state = case when j.items_ok + p_ok = 0 and j.items_failed + p_failed > 0 then 'failed' else 'succeeded' end,
    error = case when j.items_ok + p_ok = 0 and j.items_failed + p_failed > 0 then 'Every item failed.' end
  where j.id = v_job and j.state <> 'cancelling' returning j.state into v_state;
  if not found then
    delete from result r where r.job_id = v_job and r.seq = 0 and r.fence = p_lease.fence;
    return false;
  end if;
  if p_report is not null then
    insert into report (job_id, team_id, fence, content, created_at)
    values (v_job, v_team, p_lease.fence, p_report, p_now);
  end if;
  delete from lease where fence = p_lease.fence;
  perform correct_charges(p_lease.class_id, p_worker, p_lease.holders, array[v_cost - p_lease.charges[1]]);
  perform end_standing(v_team, p_lease.jobs, v_job, v_job);
  if v_state = 'failed' then
    perform note_standing(p_lease.jobs);
  end if;
  perform announce_job_ends(p_lease.jobs);
  perform notify_jobs(p_lease.jobs);
  return true;
end
$$;
