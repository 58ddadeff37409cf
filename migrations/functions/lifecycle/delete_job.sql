-- Deletes a finished job with its texts and results immediately. Returns deleted, unfinished or not_found. Its usage is
-- counted first. Its idempotency key is kept, so that a late repeat of the submit does not run it again.
create or replace function delete_job(p_team_id bigint, p_job_id bigint) returns text
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_job job;
begin
  perform assert_team(p_team_id);
  select * into v_job from job where id = p_job_id and team_id = p_team_id for update;
  if not found then
    return 'not_found';
  elsif v_job.finished_at is null then
    return 'unfinished';
  end if;
  perform lock_usage();
  perform count_usage(array[p_job_id], array[v_job.finished_at]);
  delete from usage_job where job_id = p_job_id;
  delete from overdue where job_id = p_job_id;
  delete from result where job_id = p_job_id;
  delete from report where job_id = p_job_id;
  delete from attempt where job_id = p_job_id;
  delete from task_log where job_id = p_job_id;
  delete from event where job_id = p_job_id;
  delete from task where job_id = p_job_id;
  delete from job_standing where team_id = p_team_id and standing = v_job.state and job_id = p_job_id;
  delete from job where id = p_job_id;
  perform notify_jobs(array[p_job_id]);
  return 'deleted';
end
$$;
