-- As enqueue_v2, for jobs without deadline, timeout and unique key.
create or replace function enqueue_v1(
  p_teams bigint[], p_users bigint[], p_kinds text[], p_kind_versions smallint[], p_args json[], p_names text[],
  p_labels jsonb[], p_priorities smallint[], p_device_classes text[], p_capabilities text[], p_memory_buckets smallint[],
  p_models text[], p_merges boolean[], p_run_ats timestamptz[], p_keys text[], p_fingerprints bytea[],
  p_task_jobs int[], p_task_items int[], p_task_seconds real[], p_task_inputs bytea[],
  p_now timestamptz default clock_timestamp())
returns table (ord int, job_id bigint, outcome text, created_at timestamptz)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_count constant int[] := array[cardinality(p_teams)];
begin
  return query select * from enqueue_v2(p_teams, p_users, p_kinds, p_kind_versions, p_args, p_names, p_labels, p_priorities,
    p_device_classes, p_capabilities, p_memory_buckets, p_models, p_merges, p_run_ats, p_keys, p_fingerprints,
    array_fill(null::timestamptz, v_count), array_fill(null::real, v_count), array_fill(null::text, v_count), false,
    p_task_jobs, p_task_items, p_task_seconds, p_task_inputs, p_now);
end
$$;
