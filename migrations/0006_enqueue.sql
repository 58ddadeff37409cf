-- Submitting. One call takes a batch of jobs of any teams (group commit) and is one transaction.
set local role plimsoll_queue;
set local search_path = plimsoll;

create function enqueue_v1(
  p_teams bigint[], p_users bigint[], p_kinds text[], p_kind_versions smallint[], p_args json[], p_names text[],
  p_labels jsonb[], p_priorities smallint[], p_device_classes text[], p_capabilities text[], p_memory_buckets smallint[],
  p_models text[], p_merges boolean[], p_run_ats timestamptz[], p_keys text[], p_fingerprints bytea[],
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
      cardinality(p_run_ats), cardinality(p_keys), cardinality(p_fingerprints)]), false)
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
    state, created_at, run_at, items_total, tasks_total, tasks_left, ready_first, ready_last)
  select u.id, u.team_id, u.user_id, u.kind, u.kind_version, u.name, u.labels, u.args, u.device_class, u.lane_id, u.priority, u.merge,
    case when u.run_at > p_now then 'scheduled' else 'queued' end, p_now, u.run_at, u.items, u.tasks, u.tasks, u.first, u.last
  from unnest(v_ids, v_outcomes, p_teams, p_users, p_kinds, p_kind_versions, p_names, p_labels, p_args, p_device_classes, v_lanes, p_priorities,
      p_merges, p_run_ats, v_item_counts, v_task_counts, v_firsts, v_lasts)
    u(id, outcome, team_id, user_id, kind, kind_version, name, labels, args, device_class, lane_id, priority, merge, run_at, items, tasks, first, last)
  where u.outcome = 'created';
  insert into scheduled (class_id, run_at, lane_id, job_id, attempt, crashes)
  select u.class_id, u.run_at, u.lane_id, u.id, 1, 0 from unnest(v_ids, v_outcomes, v_classes, v_lanes, p_run_ats) u(id, outcome, class_id, lane_id, run_at)
  where u.outcome = 'created' and u.run_at > p_now;

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
