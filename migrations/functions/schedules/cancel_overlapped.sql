-- Duty, every second, after schedules ran: cancels one job that a later job of its schedule replaced; call again while
-- it returns a row. Separate from run_schedule, because a cancel's locks come before those of a submit.
create or replace function cancel_overlapped(p_now timestamptz default clock_timestamp())
returns table (job_id bigint, outcome text) language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_run schedule_run;
begin
  select * into v_run from schedule_run r where r.cancel limit 1 for update skip locked;
  if found then
    job_id := v_run.job_id;
    outcome := stop_job(v_run.team_id, v_run.job_id, null, p_now);
    update schedule_run r set cancel = false where r.schedule_id = v_run.schedule_id and r.due_at = v_run.due_at;
    return next;
  end if;
end
$$;
