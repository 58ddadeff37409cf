-- Duty, hourly: drops the days older than p_keep_days, the oldest first, one day per call. outcome: dropped; busy (the
-- tables are in use: retry at the next tick; the wait is short, so that claims never queue behind it); unfinished (kept
-- for a job). The usage of the day's jobs is counted first, and rows elsewhere that refer to them are deleted.
create or replace function apply_retention(p_keep_days int, p_now timestamptz default clock_timestamp())
returns table (day date, outcome text) language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_day int;
  v_table text;
begin
  for v_day in
    select substr(x.name, 5)::int d from (
      select i.inhrelid::regclass::text name from pg_inherits i where i.inhparent = 'job'::regclass offset 0) x
    where substr(x.name, 5)::int < day_of(p_now) - p_keep_days order by d  -- of these names alone, in every plan
  loop
    day := date '1970-01-01' + v_day;
    -- Through the parent table, whose policy lets this role see rows.
    if exists (select from job_standing where standing = 'unfinished'
        and job_id >= v_day::bigint << 40 and job_id < (v_day + 1)::bigint << 40) then
      outcome := 'unfinished';
      return next;
      continue;
    end if;
    while fold_usage(1000) = 1000 loop
    end loop;
    begin
      perform set_config('lock_timeout', '50ms', true);
      foreach v_table in array array['job', 'task', 'result', 'attempt', 'event', 'report', 'job_standing', 'job_label',
        'usage_job', 'task_log'] loop
        execute format('drop table %I', v_table || '_' || v_day);
      end loop;
      outcome := 'dropped';
      delete from overdue where job_id >= v_day::bigint << 40 and job_id < (v_day + 1)::bigint << 40;
    exception when lock_not_available then
      outcome := 'busy';
    end;
    return next;
    return;
  end loop;
end
$$;
