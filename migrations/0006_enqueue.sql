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
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
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
  v_ready_lanes int[];
  v_ready_firsts bigint[];
  v_ready_counts int[];
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

  with new_job as materialized (
    select u.* from unnest(v_ids, v_outcomes, v_lanes, v_classes, p_teams, p_run_ats, p_priorities)
      with ordinality u(id, outcome, lane_id, class_id, team_id, run_at, priority, ord)
    where u.outcome = 'created'
  ), new_task as materialized (
    select j.id job_id, j.team_id, j.lane_id, j.run_at is null or j.run_at <= p_now is_ready,
      row_number() over of_job - 1 seq, sum(u.items) over of_job - u.items first_item, u.items, greatest(u.seconds, 1e-4)::real est, u.input
    from unnest(p_task_jobs, p_task_items, p_task_seconds, p_task_inputs) with ordinality u(job, items, seconds, input, ord)
    join new_job j on j.ord = u.job
    window of_job as (partition by u.job order by u.ord)
  ), tasks as (
    insert into task (job_id, seq, team_id, first_item, items, est_seconds, input)
    select job_id, seq, team_id, first_item, items, est, input from new_task
  ), readies as materialized (
    select nextval('ready_seq') ready, t.* from (select job_id, seq, lane_id, est from new_task where is_ready order by job_id, seq) t
  ), ready_rows as (
    insert into ready (lane_id, seq, job_id, task, est_seconds, attempt, crashes, since)
    select lane_id, ready, job_id, seq, est, 1, 0, p_now from readies
  ), schedules as (
    insert into scheduled (class_id, run_at, job_id, task, attempt, crashes)
    select class_id, run_at, id, null, 1, 0 from new_job where run_at > p_now
  ), jobs as (
    insert into job (id, team_id, user_id, kind, kind_version, name, labels, args, device_class, lane_id, priority, merge,
      state, created_at, run_at, items_total, tasks_total, tasks_left, ready_first, ready_last)
    select j.id, j.team_id, u.user_id, u.kind, u.kind_version, u.name, u.labels, u.args, u.device_class, j.lane_id, j.priority, u.merge,
      case when j.run_at > p_now then 'scheduled' else 'queued' end, p_now, j.run_at, t.items, t.n, t.n, r.first, r.last
    from new_job j
    join unnest(p_users, p_kinds, p_kind_versions, p_names, p_labels, p_args, p_device_classes, p_merges)
      with ordinality u(user_id, kind, kind_version, name, labels, args, device_class, merge, ord) on u.ord = j.ord
    left join (select job_id, sum(items) items, count(*) n from new_task group by 1) t on t.job_id = j.id
    left join (select job_id, min(ready) first, max(ready) last from readies group by 1) r on r.job_id = j.id
  )
  select array_agg(lane_id), array_agg(first), array_agg(n) into v_ready_lanes, v_ready_firsts, v_ready_counts
  from (select lane_id, min(ready) first, count(*)::int n from readies group by 1) x;

  foreach v_class in array array(select distinct c from unnest(v_classes) c order by c) loop
    perform account_add_ready(v_class, array_agg(u.lane_id), array_agg(u.first), array_agg(u.n))
    from unnest(v_ready_lanes, v_ready_firsts, v_ready_counts) u(lane_id, first, n)
    join lane l on l.id = u.lane_id join account a on a.id = l.account_id where a.class_id = v_class
    having count(*) > 0;
    perform pg_notify('plimsoll_ready', name) from device_class where id = v_class and v_ready_lanes is not null;
  end loop;

  return query select u.ord::int, case when u.outcome <> 'key_conflict' then u.id end, u.outcome, u.created
  from unnest(v_ids, v_outcomes, v_created) with ordinality u(id, outcome, created, ord);
end
$$;
