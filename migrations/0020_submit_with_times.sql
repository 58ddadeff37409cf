-- Submits with deadlines, timeouts and unique keys.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- Submits as enqueue_v1 did, with three more arrays: p_deadlines (null: none), p_timeouts (seconds from the start; null:
-- none) and p_unique_keys (null: none), of which at most one job of a team that has not ended has any. outcome also:
-- unique_conflict; job_id is then the job that has the key. p_whole: all jobs or none; PLM03, with the conflicts as its
-- detail, when one cannot be stored.
create function enqueue_v2(
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
#variable_conflict use_column
declare
  v_count constant int := cardinality(p_teams);
  v_day constant bigint := day_of(p_now)::bigint << 40;
  v_classes smallint[];
  v_class smallint;
  v_ids bigint[];
  v_outcomes text[];
  v_created timestamptz[];
  v_lanes int[];
  v_new boolean[];
  v_queued boolean[];
  v_task_counts int[];
  v_item_counts bigint[];
  v_firsts bigint[];
  v_lasts bigint[];
begin
  if not coalesce(v_count = all (array[cardinality(p_users), cardinality(p_kinds), cardinality(p_kind_versions), cardinality(p_args),
      cardinality(p_names), cardinality(p_labels), cardinality(p_priorities), cardinality(p_device_classes),
      cardinality(p_capabilities), cardinality(p_memory_buckets), cardinality(p_models), cardinality(p_merges),
      cardinality(p_run_ats), cardinality(p_keys), cardinality(p_fingerprints),
      cardinality(p_deadlines), cardinality(p_timeouts), cardinality(p_unique_keys)]), false)
    or not coalesce(cardinality(p_task_jobs) = all (array[cardinality(p_task_items), cardinality(p_task_seconds), cardinality(p_task_inputs)]), false)
  then
    raise exception 'arrays differ in length' using errcode = 'invalid_parameter_value';
  end if;
  select array_agg(c.id order by u.ord) into v_classes
  from unnest(p_device_classes) with ordinality u(name, ord) left join device_class c on c.name = u.name;
  if array_position(v_classes, null) is not null then
    raise exception 'unknown device class' using errcode = 'invalid_parameter_value';
  end if;

  select array_agg(v_day | (nextval('job_seq') & ((1::bigint << 40) - 1))), array_agg('created'::text), array_agg(p_now)
  into v_ids, v_outcomes, v_created from generate_series(1, v_count);

  -- Keys first, in one order for everybody: who waits here holds no class lock.
  if array_remove(p_keys, null) <> '{}' then
    delete from idempotency_key k using unnest(p_teams, p_keys) u(team_id, key)
    where k.team_id = u.team_id and k.key = u.key and k.expires_at <= p_now;
    insert into idempotency_key (team_id, key, fingerprint, job_id, created_at, expires_at)
    select distinct on (u.team_id, u.key) u.team_id, u.key, u.fingerprint, u.id, p_now, p_now + interval '48 hours'
    from unnest(p_teams, p_keys, p_fingerprints, v_ids) with ordinality u(team_id, key, fingerprint, id, ord)
    where u.key is not null order by u.team_id, u.key, u.ord
    on conflict do nothing;
    select array_agg(coalesce(k.job_id, u.id) order by u.ord),
      array_agg(case when k.key is null or k.job_id = u.id then 'created'
        when k.fingerprint = u.fingerprint then 'replayed' else 'key_conflict' end order by u.ord),
      array_agg(coalesce(k.created_at, p_now) order by u.ord)
    into v_ids, v_outcomes, v_created
    from unnest(p_teams, p_keys, p_fingerprints, v_ids) with ordinality u(team_id, key, fingerprint, id, ord)
    left join idempotency_key k on k.team_id = u.team_id and k.key = u.key;
  end if;

  -- Then unique keys. Those that nobody has had are inserted, the others locked; only then, in a statement that sees what
  -- their last holders committed, does it show which of them are free.
  if array_remove(p_unique_keys, null) <> '{}' then
    insert into unique_key (team_id, key, job_id, taken_at)
    select distinct on (u.team_id, u.key) u.team_id, u.key, u.id, p_now
    from unnest(p_teams, p_unique_keys, v_ids, v_outcomes) with ordinality u(team_id, key, id, outcome, ord)
    where u.key is not null and u.outcome = 'created' order by u.team_id, u.key, u.ord
    on conflict do nothing;
    perform from unique_key k where (k.team_id, k.key) in (select u.team_id, u.key from unnest(p_teams, p_unique_keys) u(team_id, key))
      order by k.team_id, k.key for update;
    update unique_key k set job_id = f.id, taken_at = p_now
    from (select distinct on (u.team_id, u.key) u.team_id, u.key, u.id
      from unnest(p_teams, p_unique_keys, v_ids, v_outcomes) with ordinality u(team_id, key, id, outcome, ord)
      where u.key is not null and u.outcome = 'created' order by u.team_id, u.key, u.ord) f
    where k.team_id = f.team_id and k.key = f.key and k.job_id <> all(v_ids)
      and not exists (select from job j where j.id = k.job_id and j.finished_at is null);
    -- Who did not get its key is no job, and its idempotency key no answer.
    delete from idempotency_key i using unnest(p_teams, p_unique_keys, v_ids, v_outcomes) u(team_id, key, id, outcome), unique_key k
    where u.outcome = 'created' and k.team_id = u.team_id and k.key = u.key and k.job_id <> u.id and i.team_id = u.team_id and i.job_id = u.id
      and i.key = any(p_keys);
    select array_agg(coalesce(k.job_id, u.id) order by u.ord), array_agg(case when k.job_id <> u.id then 'unique_conflict' else u.outcome end order by u.ord)
    into v_ids, v_outcomes
    from unnest(p_teams, p_unique_keys, v_ids, v_outcomes) with ordinality u(team_id, key, id, outcome, ord)
    left join unique_key k on u.outcome = 'created' and k.team_id = u.team_id and k.key = u.key;
  end if;
  if p_whole and v_outcomes && '{key_conflict, unique_conflict}' then
    raise exception 'not all jobs can be stored' using errcode = 'PLM03', detail = (
      select json_agg(json_build_object('ord', u.ord, 'outcome', u.outcome, 'job_id', u.id::text) order by u.ord)::text
      from unnest(v_ids, v_outcomes) with ordinality u(id, outcome, ord) where u.outcome in ('key_conflict', 'unique_conflict'));
  end if;

  foreach v_class in array array(select distinct c from unnest(v_classes) c order by c) loop
    perform lock_class(v_class);
  end loop;
  v_lanes := lanes_of(p_teams, v_classes, p_kinds, p_kind_versions, p_capabilities, p_memory_buckets, p_models, p_priorities);

  select array_agg(u.outcome = 'created' order by u.ord), array_agg(u.outcome = 'created' and coalesce(u.run_at <= p_now, true) order by u.ord)
  into v_new, v_queued from unnest(v_outcomes, p_run_ats) with ordinality u(outcome, run_at, ord);
  insert into task (job_id, seq, team_id, first_item, items, est_seconds, input)
  select v_ids[u.job], row_number() over of_job - 1, p_teams[u.job], sum(u.items) over of_job - u.items, u.items,
    greatest(u.seconds, 1e-4)::real, u.input
  from unnest(p_task_jobs, p_task_items, p_task_seconds, p_task_inputs) with ordinality u(job, items, seconds, input, ord)
  where v_new[u.job]
  window of_job as (partition by u.job order by u.ord);

  with queued as materialized (
    select nextval('ready_seq') ready, t.* from (
      select u.job, u.ord, row_number() over (partition by u.job order by u.ord) - 1 seq, greatest(u.seconds, 1e-4)::real est
      from unnest(p_task_jobs, p_task_seconds) with ordinality u(job, seconds, ord)
      where v_queued[u.job] order by u.job, u.ord) t
  ), rows as (
    insert into ready (lane_id, seq, job_id, task, est_seconds, attempt, crashes, since)
    select v_lanes[q.job], q.ready, v_ids[q.job], q.seq, q.est, 1, 0, p_now from queued q
  )
  -- One element per job, in order: every job has a task, or the count is wrong.
  select array_agg(t.n order by t.job), array_agg(t.items order by t.job), array_agg(q.first order by t.job), array_agg(q.last order by t.job)
  into v_task_counts, v_item_counts, v_firsts, v_lasts
  from (select u.job, count(*)::int n, sum(u.items) items from unnest(p_task_jobs, p_task_items) u(job, items) where u.job between 1 and v_count group by 1) t
  full join (select q.job, min(q.ready) first, max(q.ready) last from queued q group by 1) q on q.job = t.job;
  if coalesce(cardinality(v_task_counts), 0) <> v_count then
    raise exception 'a job has no task' using errcode = 'invalid_parameter_value';
  end if;

  insert into job (id, team_id, user_id, kind, kind_version, name, labels, args, device_class, lane_id, priority, merge,
    state, created_at, run_at, deadline, timeout_seconds, unique_key, items_total, tasks_total, tasks_left, ready_first, ready_last)
  select u.id, u.team_id, u.user_id, u.kind, u.kind_version, u.name, u.labels, u.args, u.device_class, u.lane_id, u.priority, u.merge,
    case when u.run_at > p_now then 'scheduled' else 'queued' end, p_now, u.run_at, u.deadline, u.timeout, u.unique_key, u.items, u.tasks, u.tasks, u.first, u.last
  from unnest(v_ids, v_outcomes, p_teams, p_users, p_kinds, p_kind_versions, p_names, p_labels, p_args, p_device_classes, v_lanes, p_priorities,
      p_merges, p_run_ats, p_deadlines, p_timeouts, p_unique_keys, v_item_counts, v_task_counts, v_firsts, v_lasts)
    u(id, outcome, team_id, user_id, kind, kind_version, name, labels, args, device_class, lane_id, priority, merge, run_at, deadline, timeout, unique_key, items, tasks, first, last)
  where u.outcome = 'created';
  insert into scheduled (class_id, run_at, lane_id, job_id, attempt, crashes)
  select u.class_id, u.run_at, u.lane_id, u.id, 1, 0 from unnest(v_ids, v_outcomes, v_classes, v_lanes, p_run_ats) u(id, outcome, class_id, lane_id, run_at)
  where u.outcome = 'created' and u.run_at > p_now;
  insert into overdue (at, job_id) select u.deadline, u.id from unnest(v_ids, v_outcomes, p_deadlines) u(id, outcome, deadline)
  where u.outcome = 'created' and u.deadline is not null;

  foreach v_class in array array(select distinct c from unnest(v_classes) c order by c) loop
    perform account_add_ready(v_class, array_agg(x.lane_id), array_agg(x.first), array_agg(x.n))
    from (select u.lane_id, min(u.first) first, sum(u.n)::int n from unnest(v_lanes, v_classes, v_firsts, v_task_counts) u(lane_id, class_id, first, n)
      where u.class_id = v_class and u.first is not null group by 1) x having count(*) > 0;
    perform pg_notify('plimsoll_ready', name) from device_class where id = v_class and array_remove(v_firsts, null) <> '{}';
  end loop;

  return query select u.ord::int, case when u.outcome <> 'key_conflict' then u.id end, u.outcome, u.created
  from unnest(v_ids, v_outcomes, v_created) with ordinality u(id, outcome, created, ord);
end
$$;

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

-- Submits a job on a dataset: as enqueue_v2, with a task per chunk whose estimate is the chunk's records and
-- bytes at the given prices. One short transaction: no text is copied. outcome also: no_dataset (it went meanwhile).
create function enqueue_dataset_v2(p_team_id bigint, p_user_id bigint, p_kind text, p_kind_version smallint, p_args json, p_name text,
  p_labels jsonb, p_priority smallint, p_device_class text, p_capability text, p_memory_bucket smallint, p_model text,
  p_key text, p_fingerprint bytea, p_run_at timestamptz, p_deadline timestamptz, p_timeout real, p_unique_key text, p_dataset_id bigint, p_record_seconds float8, p_byte_seconds float8,
  p_now timestamptz default clock_timestamp())
returns table (job_id bigint, outcome text, created_at timestamptz)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_records int[];
  v_seconds real[];
begin
  -- A deletion waits for this, and then sees the job.
  perform from dataset d where d.id = p_dataset_id and d.team_id = p_team_id and d.state = 'ready' for key share;
  if not found then
    return query select null::bigint, 'no_dataset', null::timestamptz;
    return;
  end if;
  select array_agg(c.records order by c.seq), array_agg((c.records * p_record_seconds + c.bytes * p_byte_seconds)::real order by c.seq)
  into strict v_records, v_seconds from dataset_chunk c where c.dataset_id = p_dataset_id;
  select e.job_id, e.outcome, e.created_at into strict job_id, outcome, created_at
  from enqueue_v2(array[p_team_id], array[p_user_id], array[p_kind], array[p_kind_version], array[p_args], array[p_name], array[p_labels],
    array[p_priority], array[p_device_class], array[p_capability], array[p_memory_bucket], array[p_model], array[true], array[p_run_at],
    array[p_key], array[p_fingerprint], array[p_deadline], array[p_timeout], array[p_unique_key], false, array_fill(1, array[cardinality(v_records)]), v_records, v_seconds,
    array_fill(null::bytea, array[cardinality(v_records)]), p_now) e;
  if outcome = 'created' then
    update job j set dataset_id = p_dataset_id where j.id = job_id;
  end if;
  return next;
end
$$;

-- Forgets idempotency keys past their time, and unique keys whose jobs have ended. An hour's grace: who takes a key over
-- at this moment is not seen.
create or replace function expire_keys_v1(p_limit int default 10000, p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_count int;
begin
  delete from idempotency_key where (team_id, key) in (
    select k.team_id, k.key from idempotency_key k where k.expires_at <= p_now order by k.expires_at limit p_limit);
  get diagnostics v_count = row_count;
  delete from unique_key k where k.taken_at <= p_now - interval '1 hour'
    and not exists (select from job j where j.id = k.job_id and j.finished_at is null);
  return v_count;
end
$$;

grant execute on function enqueue_v2, enqueue_dataset_v2 to plimsoll_app;
