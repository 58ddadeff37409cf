-- As enqueue_dataset_v3, without what a quota refuses.
create or replace function enqueue_dataset_v2(p_team_id bigint, p_user_id bigint, p_kind text, p_kind_version smallint, p_args json, p_name text,
  p_labels jsonb, p_priority smallint, p_device_class text, p_capability text, p_memory_bucket smallint, p_model text,
  p_key text, p_fingerprint bytea, p_run_at timestamptz, p_deadline timestamptz, p_timeout real, p_unique_key text, p_dataset_id bigint, p_record_seconds float8, p_byte_seconds float8,
  p_now timestamptz default clock_timestamp())
returns table (job_id bigint, outcome text, created_at timestamptz)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  return query select e.job_id, e.outcome, e.created_at from enqueue_dataset_v3(p_team_id, p_user_id, p_kind, p_kind_version, p_args, p_name, p_labels, p_priority, p_device_class, p_capability, p_memory_bucket, p_model, p_key, p_fingerprint, p_run_at, p_deadline, p_timeout, p_unique_key, p_dataset_id, p_record_seconds, p_byte_seconds, p_now) e;
end
$$;
