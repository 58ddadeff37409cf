-- Submitting costs few statements a call and little a task. What is said once for all jobs of a call (a class, no keys, no
-- quota) is found out once, and tasks that stand in the order of their jobs, as they do in every call of the server, are
-- numbered without being sorted.
set local role plimsoll_queue;
set local search_path = plimsoll;

-- Where an account starts that had nothing ready: see account_add_ready. Stable: it sees the accounts as they were before
-- the statement that asks.
create function starting_vtime(p_class_id smallint, p_weight float8, p_vtime float8, p_used float8, p_used_at timestamptz, p_now timestamptz)
returns float8 language plpgsql stable as $$
declare
  v_clock constant float8 := class_clock(p_class_id);
  v_half_life float8;
  v_limit float8;
  v_next float8;
begin
  select half_life_seconds, entry_limit_seconds into strict v_half_life, v_limit from device_class where id = p_class_id;
  if v_limit = 0 then
    return greatest(p_vtime, v_clock);
  end if;
  select faded(s.used, s.used_at, p_now, v_half_life) / s.weight into v_next from account_state s
  where s.class_id = p_class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.spent and s.vtime >= v_clock
  order by s.vtime limit 1;
  return v_clock + greatest(0, faded(p_vtime - v_clock, p_used_at, p_now, v_half_life),
    least(v_limit, faded(p_used, p_used_at, p_now, v_half_life) / p_weight - coalesce(v_next, 'infinity')));
end
$$;

-- Tells the accounts that their lanes (distinct) got tasks, the first at seq p_firsts. An account that had none starts
-- at the class's virtual clock: nobody saves up credit while idle. It starts later than that
-- - by its lead: how far it was ahead of the clock (it got more than who waited), which fades with the half-life, or
-- - by what it used per weight, faded, beyond the account whose turn is next, at most by the class's entry limit,
-- whichever is more. With a limit of 0 history does not count: the lead stays as it is.
create or replace function account_add_ready(p_class_id smallint, p_lanes int[], p_firsts bigint[], p_counts int[], p_now timestamptz)
returns void language plpgsql as $$
begin
  with added as materialized (
    select l.account_id, u.lane_id, u.first, u.n
    from unnest(p_lanes, p_firsts, p_counts) u(lane_id, first, n) join lane l on l.id = u.lane_id
  )
  update account_state t set version = o.version + 1, ready = o.ready + m.more, lanes = m.lanes, heads = m.heads, counts = m.counts,
    vtime = case when o.ready > 0 then o.vtime else starting_vtime(p_class_id, o.weight, o.vtime, o.used, o.used_at, p_now) end
  from (select distinct account_id from added) x
  cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = x.account_id order by z.version desc limit 1) o
  cross join lateral (
    select sum(a.n)::int more, array_agg(coalesce(c.lane_id, a.lane_id)) lanes, array_agg(coalesce(c.head, a.first - 1)) heads,
      array_agg(coalesce(c.n, 0) + coalesce(a.n, 0)) counts
    from unnest(o.lanes, o.heads, o.counts) c(lane_id, head, n)
    full join (select * from added where added.account_id = x.account_id) a on a.lane_id = c.lane_id) m
  where t.ctid = o.spot;
end
$$;

-- Lane ids for the given keys, in their order; missing accounts and lanes are made.
create or replace function lanes_of(p_teams bigint[], p_classes smallint[], p_kinds text[], p_kind_versions smallint[],
  p_capabilities text[], p_memory_buckets smallint[], p_models text[], p_priorities smallint[])
returns int[] language plpgsql as $$
declare
  v_lanes int[];
begin
  for attempt in 1 .. 2 loop
    v_lanes := array(
      select (select l.id from account a join lane l on l.account_id = a.id
        where a.team_id = p_teams[i] and a.class_id = p_classes[i] and l.kind = p_kinds[i] and l.kind_version = p_kind_versions[i]
          and l.capability = p_capabilities[i] and l.memory_bucket = p_memory_buckets[i] and l.model = p_models[i] and l.priority = p_priorities[i])
      from generate_series(1, cardinality(p_teams)) i order by i);
    exit when array_position(v_lanes, null) is null;
    with made as (
      insert into account (team_id, class_id) select distinct t, c from unnest(p_teams, p_classes) k(t, c)
      on conflict do nothing returning id, class_id, team_id)
    insert into account_state (account_id, class_id, paused)  -- a team on hold is on hold wherever it comes
    select id, class_id, exists (select from hold h where h.scope = 'team' and h.subject = team_id::text) from made;
    insert into lane (account_id, kind, kind_version, capability, memory_bucket, model, priority)
    select distinct a.id, k.kind, k.kind_version, k.capability, k.memory_bucket, k.model, k.priority
    from unnest(p_teams, p_classes, p_kinds, p_kind_versions, p_capabilities, p_memory_buckets, p_models, p_priorities)
      k(team_id, class_id, kind, kind_version, capability, memory_bucket, model, priority)
    join account a on a.team_id = k.team_id and a.class_id = k.class_id
    on conflict do nothing;
  end loop;
  return v_lanes;
end
$$;

-- As before (0032). A device class may also be a choice, "gpu,cpu,host": the first of which a device is connected
-- (connected_class_v1).
create or replace function enqueue_v3(
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
  v_tasks int := cardinality(p_task_jobs);
  v_day constant bigint := day_of(p_now)::bigint << 40;
  v_classes smallint[];
  v_used_classes smallint[];
  v_used_teams bigint[];
  v_class smallint;
  v_ids bigint[];
  v_outcomes text[] := array_fill('created'::text, array[v_count]);
  v_created timestamptz[] := array_fill(p_now, array[v_count]);
  v_refusals jsonb[] := array_fill(null::jsonb, array[v_count]);
  v_lanes int[];
  v_new boolean[] := array_fill(true, array[v_count]);
  v_queued boolean[];
  v_task_counts int[];
  v_item_counts bigint[];
  v_items_before bigint[];
  v_first_tasks int[];
  v_sorted boolean;
  v_numbers bigint[];
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

  if p_device_classes[1] = all (p_device_classes) then
    select array_fill(c.id, array[v_count]), array_fill(c.name, array[v_count]) into v_classes, p_device_classes from device_class c
    where c.name = case when p_device_classes[1] like '%,%' then connected_class_v1(p_device_classes[1]) else p_device_classes[1] end;
  else
    select array_agg(c.id order by u.ord), array_agg(c.name order by u.ord) into v_classes, p_device_classes
    from unnest(p_device_classes) with ordinality u(name, ord)
    left join device_class c on c.name = case when u.name like '%,%' then connected_class_v1(u.name) else u.name end;
  end if;
  if v_classes is null or array_position(v_classes, null) is not null then
    raise exception 'unknown device class' using errcode = 'invalid_parameter_value';
  end if;
  v_used_classes := array(select distinct c from unnest(v_classes) c order by c);
  v_used_teams := array(select distinct t from unnest(p_teams) t);

  -- How many tasks and items a job has, and which are its first. Tasks out of their jobs' order are sorted, once.
  for i in 1 .. 2 loop
    select array_agg(t.n order by t.job), array_agg(t.items order by t.job), array_agg((t.all_items - t.items)::bigint order by t.job),
      array_agg((t.all_n - t.n)::int order by t.job), bool_and(t.last = t.all_n)
    into v_task_counts, v_item_counts, v_items_before, v_first_tasks, v_sorted
    from (select p_task_jobs[i] job, count(*)::int n, sum(p_task_items[i]) items, max(i) last, sum(count(*)) over of_jobs all_n, sum(sum(p_task_items[i])) over of_jobs all_items
      from generate_series(1, v_tasks) i where p_task_jobs[i] between 1 and v_count group by 1 window of_jobs as (order by p_task_jobs[i])) t;
    exit when v_sorted;
    select array_agg(u.job order by u.job, u.ord), array_agg(u.items order by u.job, u.ord), array_agg(u.seconds order by u.job, u.ord),
      array_agg(u.input order by u.job, u.ord)
    into p_task_jobs, p_task_items, p_task_seconds, p_task_inputs
    from unnest(p_task_jobs, p_task_items, p_task_seconds, p_task_inputs) with ordinality u(job, items, seconds, input, ord)
    where u.job between 1 and v_count;
    v_tasks := cardinality(p_task_jobs);
  end loop;
  if coalesce(cardinality(v_task_counts), 0) <> v_count then
    raise exception 'a job has no task' using errcode = 'invalid_parameter_value';
  end if;

  v_ids := array(select v_day | (nextval('job_seq') & ((1::bigint << 40) - 1)) from generate_series(1, v_count));

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
  if exists (select from team_limit l where l.team_id = any(v_used_teams))
    or exists (select from unnest(v_used_teams) u(team_id) join account a on a.team_id = u.team_id and a.class_id = any(v_used_classes)
      cross join lateral (select s.quota_seconds from account_state s where s.account_id = a.id order by s.version desc limit 1) s
      where s.quota_seconds is not null)
  then
    v_refusals := quota_refusals(p_teams, v_classes, v_outcomes, p_run_ats, p_task_jobs, p_task_seconds, p_now);
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

  if 'created' <> all (v_outcomes) then  -- nothing is stored
    return query select i, case when v_outcomes[i] not in ('key_conflict', 'over_quota') then v_ids[i] end, v_outcomes[i], v_created[i], v_refusals[i]
    from generate_series(1, v_count) i;
    return;
  end if;
  if array_remove(v_outcomes, 'created') <> '{}' then
    v_new := array(select v_outcomes[i] = 'created' from generate_series(1, v_count) i order by i);
  end if;
  v_queued := v_new;
  if array_remove(p_run_ats, null) <> '{}' then
    v_queued := array(select v_new[i] and coalesce(p_run_ats[i] <= p_now, true) from generate_series(1, v_count) i order by i);
  end if;

  foreach v_class in array v_used_classes loop
    perform lock_class(v_class);
  end loop;
  v_lanes := lanes_of(p_teams, v_classes, p_kinds, p_kind_versions, p_capabilities, p_memory_buckets, p_models, p_priorities);

  insert into task (job_id, seq, team_id, first_item, items, est_seconds, input)
  select v_ids[p_task_jobs[t.i]], t.i - 1 - v_first_tasks[p_task_jobs[t.i]], p_teams[p_task_jobs[t.i]],
    t.items_to - p_task_items[t.i] - v_items_before[p_task_jobs[t.i]], p_task_items[t.i], greatest(p_task_seconds[t.i], 1e-4)::real, p_task_inputs[t.i]
  from (select i, sum(p_task_items[i]) over (rows unbounded preceding) items_to from generate_series(1, v_tasks) i) t
  where v_new[p_task_jobs[t.i]];

  -- A number per task, in their order, also those that are not ready yet.
  v_numbers := array(select case when v_queued[p_task_jobs[i]] then nextval('ready_seq') end from generate_series(1, v_tasks) i);
  insert into ready (lane_id, seq, job_id, task, est_seconds, attempt, crashes, since)
  select v_lanes[p_task_jobs[i]], v_numbers[i], v_ids[p_task_jobs[i]], i - 1 - v_first_tasks[p_task_jobs[i]],
    greatest(p_task_seconds[i], 1e-4)::real, 1, 0, p_now
  from generate_series(1, v_tasks) i where v_numbers[i] is not null;

  insert into job (id, team_id, user_id, kind, kind_version, name, labels, args, device_class, lane_id, priority, merge,
    state, created_at, run_at, deadline, timeout_seconds, unique_key, items_total, tasks_total, tasks_left, ready_first, ready_last)
  select v_ids[i], p_teams[i], p_users[i], p_kinds[i], p_kind_versions[i], p_names[i], p_labels[i], p_args[i], p_device_classes[i], v_lanes[i],
    p_priorities[i], p_merges[i], case when p_run_ats[i] > p_now then 'scheduled' else 'queued' end, p_now, p_run_ats[i], p_deadlines[i],
    p_timeouts[i], p_unique_keys[i], v_item_counts[i], v_task_counts[i], v_task_counts[i],
    v_numbers[v_first_tasks[i] + 1], v_numbers[v_first_tasks[i] + v_task_counts[i]]
  from generate_series(1, v_count) i where v_new[i];
  if v_queued <> v_new then
    insert into scheduled (class_id, run_at, lane_id, job_id, attempt, crashes)
    select v_classes[i], p_run_ats[i], v_lanes[i], v_ids[i], 1, 0 from generate_series(1, v_count) i where v_new[i] and p_run_ats[i] > p_now;
  end if;
  if array_remove(p_deadlines, null) <> '{}' then
    insert into overdue (at, job_id) select p_deadlines[i], v_ids[i] from generate_series(1, v_count) i where v_new[i] and p_deadlines[i] is not null;
  end if;

  foreach v_class in array v_used_classes loop
    perform account_add_ready(v_class, array_agg(x.lane_id), array_agg(x.first), array_agg(x.n), p_now), pg_notify('plimsoll_ready', min(x.class))
    from (select v_lanes[i] lane_id, min(v_numbers[v_first_tasks[i] + 1]) first, sum(v_task_counts[i])::int n, min(p_device_classes[i]) class
      from generate_series(1, v_count) i where v_queued[i] and v_classes[i] = v_class group by 1) x
    having count(*) > 0;
  end loop;

  return query select i, case when v_outcomes[i] not in ('key_conflict', 'over_quota') then v_ids[i] end, v_outcomes[i], v_created[i], v_refusals[i]
  from generate_series(1, v_count) i;
end
$$;
