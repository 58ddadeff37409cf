-- As enqueue_v3, without what a quota refuses: outcome also over_quota, job_id is null then.
create or replace function enqueue_v2(
  p_teams bigint[], p_users bigint[], p_kinds text[], p_kind_versions smallint[], p_args json[], p_names text[],
  p_labels jsonb[], p_priorities smallint[], p_device_classes text[], p_capabilities text[], p_memory_buckets smallint[],
  p_models text[], p_merges boolean[], p_run_ats timestamptz[], p_keys text[], p_fingerprints bytea[],
  p_deadlines timestamptz[], p_timeouts real[], p_unique_keys text[], p_whole boolean,
  p_task_jobs int[], p_task_items int[], p_task_seconds real[], p_task_inputs bytea[],
  p_now timestamptz default clock_timestamp())
returns table (ord int, job_id bigint, outcome text, created_at timestamptz)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query select e.ord, e.job_id, e.outcome, e.created_at from enqueue_v3(p_teams, p_users, p_kinds, p_kind_versions, p_args, p_names, p_labels, p_priorities, p_device_classes, p_capabilities, p_memory_buckets, p_models, p_merges, p_run_ats, p_keys, p_fingerprints, p_deadlines, p_timeouts, p_unique_keys, p_whole, p_task_jobs, p_task_items, p_task_seconds, p_task_inputs, p_now) e;
end
$$;
