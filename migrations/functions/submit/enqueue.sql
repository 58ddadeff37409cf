-- Submits up to about 1,000 jobs of any teams in one transaction: jobs, tasks, lanes, an audit row per user. Returns a
-- row per job, in order.
--
-- Arrays with one element per job; where every element may be null, so may the array:
--   p_teams, p_users
--   p_kinds, p_kind_versions     a worker claims it if it registered kind:version
--   p_args                       handed to the worker unchanged; small: texts belong in task inputs
--   p_names                      or null
--   p_labels                     objects
--   p_priorities                 -10 to 10, 10 first within the team
--   p_device_classes             cpu, gpu, accelerator, host; or a choice, 'gpu,cpu,host': see connected_class
--   p_capabilities               '' or those that the worker must have registered, separated by commas
--   p_memory_buckets             needs at most 2^n MiB on the device; 0: next to nothing
--   p_models                     '' or a name; tasks of one model share a lane
--   p_merges                     true: a merge task on host makes the report when all tasks are done; false: only with
--                                one task, whose partial is the report
--   p_run_ats                    null: immediately
--   p_keys, p_fingerprints       Idempotency-Key (1 to 255 characters, kept for 48 h), SHA-256 of the request; or null
--   p_deadlines, p_timeouts      latest end; seconds from the start; or null
--   p_unique_keys                held by at most one unfinished job of a team; or null
-- app.traces, set for the transaction: the array of what job.trace of each job becomes; empty: null.
-- p_whole: all jobs or none; PLM03, with the conflicts as its detail, if one cannot be stored.
-- Arrays with one element per task, preferably in the order of their jobs:
--   p_task_jobs                  job of this call, from 1; a job has at least one task
--   p_task_items                 texts, symbols
--   p_task_seconds               estimated, normalised device-seconds
--   p_task_inputs                opaque; or null
--
-- outcome: created; replayed (same key and fingerprint: job_id and created_at of the first); key_conflict (same key,
-- another fingerprint); unique_conflict (job_id is the unfinished job that has the unique key); over_quota (refusal
-- says which quota: see refuse_over_quota). job_id is null if there is no job to return. Jobs with a start time begin
-- as scheduled, others as queued. 22023: arguments; 23514: today's partitions are missing (ensure_partitions).
--
-- Locks: idempotency keys, limits, unique keys, each in one order for all callers; then the classes, as late as
-- possible: while one call commits, others insert their rows. A call that waits for a key holds no class lock.
create or replace function enqueue(
  p_teams bigint[], p_users bigint[], p_kinds text[], p_kind_versions smallint[], p_args json[], p_names text[],
  p_labels jsonb[], p_priorities smallint[], p_device_classes text[], p_capabilities text[],
  p_memory_buckets smallint[], p_models text[], p_merges boolean[], p_run_ats timestamptz[], p_keys text[],
  p_fingerprints bytea[], p_deadlines timestamptz[], p_timeouts real[], p_unique_keys text[], p_whole boolean,
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
  v_short constant int := 128;  -- bytes of an input in a job's row, of which each change makes a copy
  v_day constant bigint := day_of(p_now)::bigint << 40;
  v_found record;
  v_classes smallint[];
  v_used_classes smallint[];
  v_class smallint;
  v_lanes int[];
  v_ids bigint[];
  v_outcomes text[];  -- this and the two below: null while all jobs are new
  v_created timestamptz[];
  v_refusals jsonb[];
  v_new boolean[];
  v_queued boolean[];
  v_task_counts int[];
  v_each int[];  -- 1, 2 …
  v_alone boolean[];  -- a job's only task is in the job's row
  v_item_counts bigint[];
  v_first_tasks int[];
  v_items_before bigint[];  -- null: none
  v_sorted boolean;
  v_numbers bigint[];  -- in ready, of each job's first task; its others follow
  v_wakes boolean;
  v_traces constant bytea[] := nullif(current_setting('app.traces', true), '')::bytea[];
begin
  perform assert_teams(p_teams);
  if not coalesce(v_count = all (array[cardinality(p_users), cardinality(p_kinds), cardinality(p_kind_versions),
      cardinality(p_args), cardinality(p_labels), cardinality(p_priorities), cardinality(p_device_classes),
      cardinality(p_capabilities), cardinality(p_memory_buckets), cardinality(p_models), cardinality(p_merges)]), false)
    or v_count <> any (array[cardinality(p_names), cardinality(p_run_ats), cardinality(p_keys),
      cardinality(p_fingerprints), cardinality(p_deadlines), cardinality(p_timeouts), cardinality(p_unique_keys)])
    or not coalesce(v_tasks = all (array[cardinality(p_task_items), cardinality(p_task_seconds),
      cardinality(p_task_inputs)]), false)
  then
    raise exception 'arrays differ in length' using errcode = 'invalid_parameter_value';
  end if;

  if array_to_string(p_device_classes, '') like '%,%' then
    p_device_classes := array(select case when u.name like '%,%' then connected_class(u.name) else u.name end
      from unnest(p_device_classes) with ordinality u(name, ord) order by u.ord);
  end if;
  v_found := find_lanes(p_teams, p_device_classes, p_kinds, p_kind_versions, p_capabilities, p_memory_buckets, p_models,
    p_priorities);
  v_classes := v_found.classes;
  v_lanes := v_found.lanes;
  if v_classes is null or array_position(v_classes, null) is not null then
    raise exception 'unknown device class' using errcode = 'invalid_parameter_value';
  end if;
  if v_classes[1] = all (v_classes) then
    v_used_classes := v_classes[1:1];
  else
    v_used_classes := array(select distinct c from unnest(v_classes) c order by c);
  end if;

  -- Another call may draw higher numbers and commit first: add_ready lowers the heads of the lanes.
  select array_agg(n.number), array_agg(v_day | (n.number >> 20 & ((1::bigint << 40) - 1))), array_agg(n.i),
    array_agg(n.i - 1), array_agg(coalesce(length(p_task_inputs[n.i]), 0) <= v_short)
  into v_numbers, v_ids, v_each, v_first_tasks, v_alone
  from (select i, nextval('job_seq') << 20 number from generate_series(1, v_count) i) n;
  if p_task_jobs = v_each then  -- one task each, whose job has no items before it
    v_task_counts := array_fill(1, array[v_count]);
    v_item_counts := p_task_items;
  else
    for i in 1 .. 2 loop
      select c.* into v_sorted, v_task_counts, v_item_counts, v_first_tasks, v_items_before
      from count_tasks(v_count, p_task_jobs, p_task_items) c;
      exit when v_sorted;
      select array_agg(u.job order by u.job, u.ord), array_agg(u.items order by u.job, u.ord),
        array_agg(u.seconds order by u.job, u.ord), array_agg(u.input order by u.job, u.ord)
      into p_task_jobs, p_task_items, p_task_seconds, p_task_inputs
      from unnest(p_task_jobs, p_task_items, p_task_seconds, p_task_inputs)
        with ordinality u(job, items, seconds, input, ord)
      where u.job between 1 and v_count;
      v_tasks := cardinality(p_task_jobs);
    end loop;
    if coalesce(cardinality(v_task_counts), 0) <> v_count then
      raise exception 'a job has no task' using errcode = 'invalid_parameter_value';
    end if;
    v_alone := array(select v_task_counts[i] = 1
      and coalesce(length(p_task_inputs[v_first_tasks[i] + 1]), 0) <= v_short from generate_series(1, v_count) i);
  end if;
  if 1 << 20 < any (v_task_counts) then
    raise exception 'a job has more than 1,048,576 tasks' using errcode = 'invalid_parameter_value';
  end if;
  if 0 >= any (p_timeouts) then
    raise exception 'a timeout is not positive' using errcode = 'invalid_parameter_value';
  end if;
  if v_tasks > v_count and false = any (p_merges)
      and exists (select from unnest(p_merges, v_task_counts) u(merge, n) where not u.merge and u.n > 1) then
    raise exception 'a job of several tasks has no merge task' using errcode = 'invalid_parameter_value';
  end if;

  if array_remove(p_keys, null) <> '{}' then
    select r.* into v_outcomes, v_ids, v_created from reserve_keys(p_teams, p_keys, p_fingerprints, v_ids, p_now) r;
  end if;
  -- Quotas after the keys: a repeated submit is answered regardless of the current quota.
  if v_found.limited then
    select r.* into v_outcomes, v_refusals from refuse_over_quota(p_teams, v_classes, p_keys, v_ids,
      coalesce(v_outcomes, array_fill('created'::text, array[v_count])), p_run_ats, p_task_jobs, p_task_seconds,
      p_now) r;
  end if;
  if array_remove(p_unique_keys, null) <> '{}' then
    select r.* into v_outcomes, v_ids from reserve_unique_keys(p_teams, p_unique_keys, p_keys, v_ids,
      coalesce(v_outcomes, array_fill('created'::text, array[v_count])), p_now) r;
  end if;
  if p_whole and v_outcomes && '{key_conflict, unique_conflict, over_quota}' then
    perform refuse_whole(v_ids, v_outcomes, v_refusals);
  end if;

  if v_outcomes is null or 'created' = any (v_outcomes) then
    v_new := array_fill(true, array[v_count]);
    if array_remove(v_outcomes, 'created') <> '{}' then
      v_new := array(select v_outcomes[i] = 'created' from generate_series(1, v_count) i order by i);
    end if;
    v_queued := v_new;
    if array_remove(p_run_ats, null) <> '{}' then
      v_queued := array(select v_new[i] and coalesce(p_run_ats[i] <= p_now, true)
        from generate_series(1, v_count) i order by i);
    end if;

    if array_position(v_lanes, null) is not null then
      perform lock_class(u.id) from unnest(v_used_classes) u(id);
      v_lanes := ensure_lanes(p_teams, v_classes, p_kinds, p_kind_versions, p_capabilities, p_memory_buckets, p_models,
        p_priorities);
    end if;

    if false = any (v_alone) then
      insert into task (job_id, seq, team_id, first_item, items, est_seconds, input)
      select v_ids[p_task_jobs[i]], i - 1 - v_first_tasks[p_task_jobs[i]], p_teams[p_task_jobs[i]],
        coalesce(v_items_before[i] - v_items_before[v_first_tasks[p_task_jobs[i]] + 1], 0), p_task_items[i],
        greatest(p_task_seconds[i], 1e-4)::real, p_task_inputs[i]
      from generate_series(1, v_tasks) i where v_new[p_task_jobs[i]] and not v_alone[p_task_jobs[i]];
    end if;
    with line as (
      insert into ready (lane_id, seq, job_id, task, est_seconds, attempt, crashes, since)
      select v_lanes[p_task_jobs[i]], v_numbers[p_task_jobs[i]] + i - 1 - v_first_tasks[p_task_jobs[i]],
        v_ids[p_task_jobs[i]], i - 1 - v_first_tasks[p_task_jobs[i]], greatest(p_task_seconds[i], 1e-4)::real, 1, 0,
        p_now
      from generate_series(1, v_tasks) i where v_queued[p_task_jobs[i]]
    ), standing as (
      insert into job_standing (team_id, standing, job_id) select p_teams[i], 'unfinished', v_ids[i]
      from generate_series(1, v_count) i where v_new[i]
    )
    insert into job (id, team_id, user_id, kind, kind_version, name, labels, args, device_class, lane_id, priority,
      merge, state, created_at, run_at, deadline, timeout_seconds, unique_key, items_total, tasks_total, tasks_left,
      ready_first, ready_last, trace, est_seconds, input)
    select v_ids[i], p_teams[i], p_users[i], p_kinds[i], p_kind_versions[i], p_names[i], p_labels[i], p_args[i],
      p_device_classes[i], v_lanes[i], p_priorities[i], p_merges[i],
      case when p_run_ats[i] > p_now then 'scheduled' else 'queued' end, p_now, p_run_ats[i], p_deadlines[i],
      p_timeouts[i], p_unique_keys[i], v_item_counts[i], v_task_counts[i], v_task_counts[i],
      case when v_queued[i] then v_numbers[i] end, case when v_queued[i] then v_numbers[i] + v_task_counts[i] - 1 end,
      v_traces[i],
      case when v_alone[i] then greatest(p_task_seconds[v_first_tasks[i] + 1], 1e-4)::real end,
      case when v_alone[i] then p_task_inputs[v_first_tasks[i] + 1] end
    from generate_series(1, v_count) i where v_new[i];
    perform audit_submits(p_teams, p_users, v_ids, v_new, p_now);
    if v_queued <> v_new then
      insert into scheduled (class_id, run_at, lane_id, job_id, attempt, crashes)
      select v_classes[i], p_run_ats[i], v_lanes[i], v_ids[i], 1, 0
      from generate_series(1, v_count) i where v_new[i] and p_run_ats[i] > p_now;
    end if;
    if array_remove(p_deadlines, null) <> '{}' then
      insert into overdue (at, job_id) select p_deadlines[i], v_ids[i]
      from generate_series(1, v_count) i where v_new[i] and p_deadlines[i] is not null;
    end if;

    foreach v_class in array v_used_classes loop
      perform lock_class(v_class);
      if v_lanes[1] = all (v_lanes) and true = all (v_queued) then  -- every task, in one lane
        v_wakes := add_ready(v_class, v_lanes[1:1], v_numbers[1:1], array[v_tasks], p_now);
      else
        v_wakes := (select add_ready(v_class, array_agg(x.lane_id), array_agg(x.first), array_agg(x.n), p_now) from (
            select v_lanes[i] lane_id, min(v_numbers[i]) first, sum(v_task_counts[i])::int n
            from generate_series(1, v_count) i where v_queued[i] and v_classes[i] = v_class group by 1) x
          having count(*) > 0);
      end if;
      perform pg_notify('plimsoll_ready', p_device_classes[array_position(v_classes, v_class)]) where v_wakes;
    end loop;
  end if;

  return query select i,
    case when v_outcomes is null or v_outcomes[i] not in ('key_conflict', 'over_quota') then v_ids[i] end,
    coalesce(v_outcomes[i], 'created'), coalesce(v_created[i], p_now), v_refusals[i]
  from generate_series(1, v_count) i;
end
$$;
