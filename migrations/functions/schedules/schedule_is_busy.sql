-- Whether a job of the schedule has not ended.
create or replace function schedule_is_busy(p_schedule_id bigint) returns boolean language sql stable as $$
  select exists (select from schedule_run r join job j on j.id = r.job_id
    where r.schedule_id = p_schedule_id and r.open and j.finished_at is null)
$$;
