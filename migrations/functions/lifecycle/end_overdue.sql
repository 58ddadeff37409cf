-- Duty, every second: stops a job whose deadline or timeout has passed, one per call (class locks are taken in order):
-- call again while it returns a row. outcome: failed, cancelling (its workers are notified), passed (it had already
-- ended, or its time was extended).
create or replace function end_overdue(p_now timestamptz default clock_timestamp())
returns table (job_id bigint, outcome text) language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_job job;
  v_error text;
begin
  delete from overdue where ctid = (select o.ctid from overdue o where o.at <= p_now order by o.at
    limit 1 for update skip locked)
  returning overdue.job_id into job_id;
  if not found then
    return;
  end if;
  select * into v_job from job j where j.id = job_id;
  v_error := case
    when v_job.deadline <= p_now then format('The job did not finish by its deadline, %s UTC.',
    to_char(v_job.deadline at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'))
    when v_job.started_at + make_interval(secs => v_job.timeout_seconds) <= p_now then
      format('The job was stopped: it had run for %s s, its timeout.', v_job.timeout_seconds) end;
  outcome := 'passed';
  if v_error is not null and v_job.state <> 'cancelling' and v_job.finished_at is null then
    outcome := stop_job(v_job.team_id, job_id, v_error, p_now);
  end if;
  return next;
end
$$;
