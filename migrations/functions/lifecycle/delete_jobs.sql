-- Deletes finished jobs with their texts and results immediately. One row per job: deleted, unfinished or not_found.
-- Their usage is counted first. Their idempotency keys are kept, so that a late repeat of a submit does not run it
-- again.
create or replace function delete_jobs(p_team_id bigint, p_job_ids bigint[])
returns table (job_id bigint, outcome text)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_low bigint;
  v_high bigint;
  v_found bigint[];
  v_deleted bigint[];
  v_ends timestamptz[];
begin
  perform assert_team(p_team_id);
  select min(id), max(id) into v_low, v_high from unnest(p_job_ids) u(id);
  select array_agg(x.id), array_agg(x.id) filter (where x.finished_at is not null),
    array_agg(x.finished_at) filter (where x.finished_at is not null)
  into v_found, v_deleted, v_ends from (
    select j.id, j.finished_at from job j
    where j.id = any(p_job_ids) and j.id between v_low and v_high and j.team_id = p_team_id order by j.id for update) x;
  if v_deleted is not null then
    perform lock_usage();
    perform count_usage(v_deleted, v_ends);
    delete from usage_job x where x.job_id = any(v_deleted) and x.job_id between v_low and v_high;
    delete from overdue x where x.job_id = any(v_deleted);
    delete from result x where x.job_id = any(v_deleted) and x.job_id between v_low and v_high;
    delete from report x where x.job_id = any(v_deleted) and x.job_id between v_low and v_high;
    delete from attempt x where x.job_id = any(v_deleted) and x.job_id between v_low and v_high;
    delete from task_log x where x.job_id = any(v_deleted) and x.job_id between v_low and v_high;
    delete from event x where x.job_id = any(v_deleted) and x.job_id between v_low and v_high;
    delete from task x where x.job_id = any(v_deleted) and x.job_id between v_low and v_high;
    delete from job_standing x where x.team_id = p_team_id and x.standing = any('{failed, cancelled}')
      and x.job_id = any(v_deleted) and x.job_id between v_low and v_high;
    delete from job x where x.id = any(v_deleted) and x.id between v_low and v_high;
    perform notify_jobs(v_deleted);
  end if;
  return query select u.id, case when u.id = any(v_deleted) then 'deleted' when u.id = any(v_found) then 'unfinished'
    else 'not_found' end
  from unnest(p_job_ids) u(id);
end
$$;
