-- Submits a job on a ready dataset: arguments of one job as in enqueue, with estimates from a chunk's records and bytes
-- times p_record_seconds and p_byte_seconds. Each chunk is cut into the same number of slices, so that tasks take about
-- 0.2 s, and task n runs on slice n % slices of chunk n / slices: of its r records, those from r * slice / slices on.
-- Tasks have no input of their own: no text is copied. outcome as in enqueue, or no_dataset (it does not exist, belongs
-- to another team, or was deleted).
create or replace function enqueue_dataset(p_team_id bigint, p_user_id bigint, p_kind text, p_kind_version smallint,
  p_args json, p_name text, p_labels jsonb, p_priority smallint, p_device_class text, p_capability text,
  p_memory_bucket smallint, p_model text, p_key text, p_fingerprint bytea, p_run_at timestamptz, p_deadline timestamptz,
  p_timeout real, p_unique_key text, p_dataset_id bigint, p_record_seconds float8, p_byte_seconds float8,
  p_now timestamptz default clock_timestamp())
returns table (job_id bigint, outcome text, created_at timestamptz, refusal jsonb)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_task_seconds constant float8 := 0.2;
  v_slices int;
  v_records int[];
  v_seconds real[];
begin
  perform assert_team(p_team_id);
  -- Deleting the dataset waits for this lock, and then sees the job.
  perform from dataset d where d.id = p_dataset_id and d.team_id = p_team_id and d.state = 'ready' for key share;
  if not found then
    return query select null::bigint, 'no_dataset', null::timestamptz, null::jsonb;
    return;
  end if;
  select least(greatest(ceil(max(c.records * p_record_seconds + c.bytes * p_byte_seconds) / v_task_seconds - 0.5), 1),
    max(c.records)) into strict v_slices from dataset_chunk c where c.dataset_id = p_dataset_id;
  select array_agg(s.records order by c.seq, s.slice), array_agg(((c.records * p_record_seconds + c.bytes *
    p_byte_seconds) * s.records / greatest(c.records, 1))::real order by c.seq, s.slice)
  into strict v_records, v_seconds from dataset_chunk c cross join lateral (select i as slice,
    (c.records::bigint * (i + 1) / v_slices - c.records::bigint * i / v_slices)::int as records
    from generate_series(0, v_slices - 1) i) s
  where c.dataset_id = p_dataset_id;
  select e.job_id, e.outcome, e.created_at, e.refusal into strict job_id, outcome, created_at, refusal
  from enqueue(array[p_team_id], array[p_user_id], array[p_kind], array[p_kind_version], array[p_args], array[p_name],
    array[p_labels], array[p_priority], array[p_device_class], array[p_capability], array[p_memory_bucket],
    array[p_model], array[cardinality(v_records) > 1], array[p_run_at], array[p_key], array[p_fingerprint],
    array[p_deadline], array[p_timeout], array[p_unique_key], false, array_fill(1, array[cardinality(v_records)]),
    v_records, v_seconds,
    array_fill(null::bytea, array[cardinality(v_records)]), p_now) e;
  if outcome = 'created' then
    update job j set dataset_id = p_dataset_id, slices = v_slices where j.id = job_id;
  end if;
  return next;
end
$$;
