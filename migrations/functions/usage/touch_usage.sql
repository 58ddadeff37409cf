-- Trigger: whatever ends a lease records its jobs for count_usage, in one row that is not read on the hot path.
create or replace function touch_usage() returns trigger
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  insert into usage_touch (at, jobs) values (clock_timestamp(), old.jobs);
  return null;
end
$$;

create or replace trigger touch_usage after delete or update of jobs on lease
  for each row execute function touch_usage();
