-- One NOTIFY for many jobs: IDs separated by commas, 350 at most (a payload has under 8,000 bytes). None for null.
create or replace function notify_jobs(p_jobs bigint[]) returns void language plpgsql as $$
begin
  for i in 1 .. coalesce(cardinality(p_jobs), 0) by 350 loop
    perform pg_notify('plimsoll_job', array_to_string(p_jobs[i : i + 349], ','));
  end loop;
end
$$;
