-- Submits keep to the team's quotas.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- Which of the jobs to be created their team's quotas refuse, and why; null: none. Waits for other submits of a team
-- whose queued jobs are limited, so that the limit holds to the job.
--   {"quota": "queued_jobs", "used": 10, "limit": 10}: so many jobs of the team have not started
--   {"quota": "device_seconds", "used": 3600.0, "limit": 3600.0, "needed": 1.5, "device_class": "gpu", "period": "day",
--    "renews_at": "…"}: for a job that may start now, what is left of the period is less than it is estimated to take;
--    for any job, the whole quota is.
create function quota_refusals(p_teams bigint[], p_classes smallint[], p_outcomes text[], p_run_ats timestamptz[],
  p_task_jobs int[], p_task_seconds real[], p_now timestamptz) returns jsonb[] language plpgsql as $$
declare
  v_refusals jsonb[];
begin
  perform from team_limit l where l.team_id = any(p_teams) and l.queued_jobs is not null order by l.team_id for update;
  if not found and not exists (select from unnest(p_teams, p_classes) u(team_id, class_id)
      join account a on a.team_id = u.team_id and a.class_id = u.class_id
      cross join lateral (select s.quota_seconds from account_state s where s.account_id = a.id order by s.version desc limit 1) s
      where s.quota_seconds is not null) then
    return array_fill(null::jsonb, array[cardinality(p_teams)]);
  end if;
  select array_agg(case
      when u.outcome <> 'created' then null
      when q.needed > s.quota_seconds or (coalesce(u.run_at <= p_now, true) and s.used + q.needed > s.quota_seconds) then
        jsonb_build_object('quota', 'device_seconds', 'used', s.used, 'limit', s.quota_seconds, 'needed', q.needed, 'device_class', c.name,
          'period', s.quota_period, 'renews_at', quota_start(s.quota_period, p_now) + ('1 ' || s.quota_period)::interval)
      when n.queued + u.place > n.queued_jobs then
        jsonb_build_object('quota', 'queued_jobs', 'used', n.queued, 'limit', n.queued_jobs)
    end order by u.ord) into v_refusals
  from (select g.*, count(*) filter (where g.outcome = 'created') over (partition by g.team_id order by g.ord) place
    from unnest(p_teams, p_classes, p_outcomes, p_run_ats) with ordinality g(team_id, class_id, outcome, run_at, ord)) u
  join device_class c on c.id = u.class_id
  left join (select t.job, sum(greatest(t.seconds, 1e-4)::float8) needed from unnest(p_task_jobs, p_task_seconds) t(job, seconds) group by 1) q on q.job = u.ord
  left join lateral (
    select x.quota_seconds, x.quota_period, period_used(x.period_seconds, x.period_start, x.quota_period, p_now) used from account a
    cross join lateral (select * from account_state y where y.account_id = a.id order by y.version desc limit 1) x
    where a.team_id = u.team_id and a.class_id = u.class_id) s on true
  left join (
    select l.team_id, l.queued_jobs, (select count(*) from (
      select from job j where j.team_id = l.team_id and j.finished_at is null and j.started_at is null limit l.queued_jobs) open) queued
    from team_limit l where l.team_id = any(p_teams) and l.queued_jobs is not null) n on n.team_id = u.team_id;
  return v_refusals;
end
$$;

-- Submits as enqueue_v2 did. outcome also: over_quota; job_id is null then, and refusal says which quota and how much of it is used
-- (quota_refusals).
create function enqueue_v3(
  p_teams bigint[], p_users bigint[], p_kinds text[], p_kind_versions smallint[], p_args json[], p_names text[],
  p_labels jsonb[], p_priorities smallint[], p_device_classes text[], p_capabilities text[], p_memory_buckets smallint[],
  p_models text[], p_merges boolean[], p_run_ats timestamptz[], p_keys text[], p_fingerprints bytea[],
  p_deadlines timestamptz[], p_timeouts real[], p_unique_keys text[], p_whole boolean,
  p_task_jobs int[], p_task_items int[], p_task_seconds real[], p_task_inputs bytea[],
  p_now timestamptz default clock_timestamp())
returns table (ord int, job_id bigint, outcome text, created_at timestamptz, refusal jsonb)
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
  v_refusals jsonb[] := array_fill(null::jsonb, array[v_count]);
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

  -- Then quotas: a repeat was answered above, whatever the quota is now. Who is refused is no job, and its idempotency
  -- key no answer.
  v_refusals := quota_refusals(p_teams, v_classes, v_outcomes, p_run_ats, p_task_jobs, p_task_seconds, p_now);
  if array_remove(v_refusals, null) <> '{}' then
    delete from idempotency_key i using unnest(p_teams, v_ids, v_refusals) u(team_id, id, refusal)
    where u.refusal is not null and i.team_id = u.team_id and i.job_id = u.id and i.key = any(p_keys);
    select array_agg(case when u.refusal is null then u.outcome else 'over_quota' end order by u.ord)
    into v_outcomes from unnest(v_outcomes, v_refusals) with ordinality u(outcome, refusal, ord);
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
  if p_whole and v_outcomes && '{key_conflict, unique_conflict, over_quota}' then
    raise exception 'not all jobs can be stored' using errcode = 'PLM03', detail = (
      select json_agg(json_strip_nulls(json_build_object('ord', u.ord, 'outcome', u.outcome, 'job_id', u.id::text, 'refusal', u.refusal)) order by u.ord)::text
      from unnest(v_ids, v_outcomes, v_refusals) with ordinality u(id, outcome, refusal, ord)
      where u.outcome in ('key_conflict', 'unique_conflict', 'over_quota'));
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
    perform account_add_ready(v_class, array_agg(x.lane_id), array_agg(x.first), array_agg(x.n), p_now)
    from (select u.lane_id, min(u.first) first, sum(u.n)::int n from unnest(v_lanes, v_classes, v_firsts, v_task_counts) u(lane_id, class_id, first, n)
      where u.class_id = v_class and u.first is not null group by 1) x having count(*) > 0;
    perform pg_notify('plimsoll_ready', name) from device_class where id = v_class and array_remove(v_firsts, null) <> '{}';
  end loop;

  return query select u.ord::int, case when u.outcome not in ('key_conflict', 'over_quota') then u.id end, u.outcome, u.created, u.refusal
  from unnest(v_ids, v_outcomes, v_created, v_refusals) with ordinality u(id, outcome, created, refusal, ord);
end
$$;

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

-- Submits a job on a dataset: as enqueue_v3, with a task per chunk whose estimate is the chunk's records and
-- bytes at the given prices. One short transaction: no text is copied. outcome also: no_dataset (it went meanwhile).
create function enqueue_dataset_v3(p_team_id bigint, p_user_id bigint, p_kind text, p_kind_version smallint, p_args json, p_name text,
  p_labels jsonb, p_priority smallint, p_device_class text, p_capability text, p_memory_bucket smallint, p_model text,
  p_key text, p_fingerprint bytea, p_run_at timestamptz, p_deadline timestamptz, p_timeout real, p_unique_key text, p_dataset_id bigint, p_record_seconds float8, p_byte_seconds float8,
  p_now timestamptz default clock_timestamp())
returns table (job_id bigint, outcome text, created_at timestamptz, refusal jsonb)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_records int[];
  v_seconds real[];
begin
  -- A deletion waits for this, and then sees the job.
  perform from dataset d where d.id = p_dataset_id and d.team_id = p_team_id and d.state = 'ready' for key share;
  if not found then
    return query select null::bigint, 'no_dataset', null::timestamptz, null::jsonb;
    return;
  end if;
  select array_agg(c.records order by c.seq), array_agg((c.records * p_record_seconds + c.bytes * p_byte_seconds)::real order by c.seq)
  into strict v_records, v_seconds from dataset_chunk c where c.dataset_id = p_dataset_id;
  select e.job_id, e.outcome, e.created_at, e.refusal into strict job_id, outcome, created_at, refusal
  from enqueue_v3(array[p_team_id], array[p_user_id], array[p_kind], array[p_kind_version], array[p_args], array[p_name], array[p_labels],
    array[p_priority], array[p_device_class], array[p_capability], array[p_memory_bucket], array[p_model], array[true], array[p_run_at],
    array[p_key], array[p_fingerprint], array[p_deadline], array[p_timeout], array[p_unique_key], false, array_fill(1, array[cardinality(v_records)]), v_records, v_seconds,
    array_fill(null::bytea, array[cardinality(v_records)]), p_now) e;
  if outcome = 'created' then
    update job j set dataset_id = p_dataset_id where j.id = job_id;
  end if;
  return next;
end
$$;

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

drop function account_add_ready(smallint, int[], bigint[], int[]);

grant execute on function enqueue_v3, enqueue_dataset_v3 to plimsoll_app;
