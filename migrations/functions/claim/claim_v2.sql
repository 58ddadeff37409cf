-- Gives the worker tasks: see take. A row a task; p_models: what the device holds in memory.
create or replace function claim_v2(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25, p_max_tasks int default 64,
  p_memory_bucket smallint default null, p_models text[] default '{}', p_now timestamptz default clock_timestamp())
returns table (fence bigint, job_id bigint, task int, attempt smallint, is_merge boolean, kind text, kind_version smallint,
  args json, first_item bigint, items int, est_seconds real, input bytea, partials bytea[], summary json, model text)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_taken record;
begin
  select * into v_taken from take(p_worker_id, p_epoch, p_max_seconds, p_max_tasks, p_memory_bucket, p_models, p_now);
  return query
  select v_taken.fence, a.job_id, u.task, u.attempt, a.is_merge, a.kind, a.kind_version, a.args, u.first_item, u.items, u.est_seconds, u.input,
    a.partials, a.summary, a.model
  from leased_jobs(v_taken.jobs, v_taken.tasks, v_taken.attempts, v_taken.ests) a
  cross join lateral (
    select unnest(a.tasks) task, unnest(a.attempts) attempt, unnest(a.ests) est_seconds, unnest(a.places) place, unnest(a.first_items) first_item,
      unnest(a.items) items, unnest(a.inputs) input) u
  order by u.place;
end
$$;
