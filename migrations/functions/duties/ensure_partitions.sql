-- Duty, at start and daily: creates the partitions of today and of the next p_days_ahead days. Idempotent. Without
-- today's partitions nothing can be enqueued. Returns the number of tables created.
create or replace function ensure_partitions(p_days_ahead int default 3, p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_made int := 0;
  v_day int;
  v_table text;
  v_name text;
begin
  perform pg_advisory_xact_lock(1347176781, 0);  -- two servers that start at once
  for v_day in day_of(p_now) .. day_of(p_now) + p_days_ahead loop
    foreach v_table in array array['job', 'task', 'result', 'attempt', 'event', 'report', 'job_standing', 'job_label',
      'usage_job', 'task_log'] loop
      v_name := v_table || '_' || v_day;
      continue when to_regclass('plimsoll.' || v_name) is not null;
      -- Created separately and then attached: ATTACH takes a weaker lock than PARTITION OF.
      execute format('create table %I (like %I including all) with (fillfactor = %s)',
        v_name, v_table, case v_table when 'job' then 45 else 100 end);  -- one claim may update every row of a page
      execute format('alter table %I enable row level security, force row level security', v_name);
      execute format('alter table %I attach partition %I for values from (%s) to (%s)',
        v_table, v_name, v_day::bigint << 40, (v_day + 1)::bigint << 40);
      v_made := v_made + 1;
    end loop;
  end loop;
  return v_made;
end
$$;
