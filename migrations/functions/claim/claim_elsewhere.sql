-- Gives a worker tasks of another class than its own, as claim does of its own: of one job, of a kind that it helps
-- with, about p_max_seconds of its own time. Merges, and what else stands in the host's lanes, are not for guests. A
-- worker asks when its own class gave it nothing, and claims nothing else while it holds such a lease: an answer that
-- got lost must be followed by retire_worker and a new epoch. Nothing is given to a worker that holds anything.
create or replace function claim_elsewhere(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25,
  p_max_tasks int default 64, p_memory_bucket smallint default null, p_now timestamptz default clock_timestamp())
returns table (fence bigint, job_id bigint, is_merge boolean, kind text, kind_version smallint, args json, model text,
  tasks int[], attempts smallint[], est_seconds real[], places int[], items int[], inputs bytea[], partials bytea[],
  summary json, priority smallint)
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_worker worker;
  v_guest worker;
  v_class smallint;
  v_bucket smallint;
  v_taken record;
begin
  -- Whoever ends a worker's leases holds its row for update: no lease is made behind their back.
  select * into v_worker from worker w where w.id = p_worker_id for key share;
  if not found or not worker_is_alive(v_worker, p_epoch, p_now) then
    raise exception 'worker % epoch % is not registered or expired', p_worker_id, p_epoch using errcode = 'PLM01';
  end if;
  if v_worker.state = 'draining' or v_worker.helps = '{}'
    or exists (select from lease l where l.worker_id = p_worker_id and l.fence >= v_worker.oldest_fence) then
    return;
  end if;
  v_bucket := coalesce(p_memory_bucket, v_worker.memory_bucket);
  for v_class in select c.id from device_class c where c.id <> v_worker.class_id and c.name <> 'host' order by c.id loop
    v_guest := as_worker_of_class(v_worker, v_class);
    -- An idle worker that looks around does not queue for the locks of other classes.
    continue when (
      select h.tasks from cross_class_candidates(v_guest, v_bucket, p_max_seconds, p_max_tasks, p_now) h) is null;
    perform lock_class(v_class);
    -- Under the lock, under which holds are made and lifted.
    continue when is_held(v_worker) or is_held(v_guest);
    select * into v_taken from claim_cross_class(v_guest, v_bucket, p_max_seconds, p_max_tasks, p_now);
    continue when v_taken.jobs is null;
    return query
    select v_taken.fence, a.job_id, a.is_merge, a.kind, a.kind_version, a.args, a.model, a.tasks, a.attempts, a.ests,
      a.places, a.items, a.inputs, a.partials, a.summary, a.priority
    from leased_jobs(v_taken.jobs, v_taken.tasks, v_taken.attempts, v_taken.ests) a;
    return;
  end loop;
end
$$;
