-- Ends the leases of a worker, whose row the caller has locked, as its successor tells: it died while it was running
-- these tasks, and had not begun the others, which return to the queue first. A task whose lease ended before without a
-- word (attempt worker_lost) died then: its next runs know of it, wherever it waits or runs (merge tasks, which use no
-- device, apart); two deaths are all that counts. All lease rows are locked before the class lock is taken.
create or replace function end_as_died(p_worker worker, p_fences bigint[], p_jobs bigint[], p_tasks int[],
  p_now timestamptz)
returns void language plpgsql as $$
declare
  v_low bigint;
  v_high bigint;
  v_fence bigint;
  v_others int[];
  v_died int[];
  v_late_jobs bigint[];
  v_late_tasks int[];
begin
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  perform from lease l where l.worker_id = p_worker.id or l.jobs && p_jobs order by l.fence for update;
  perform end_leases(p_worker, p_fences, p_now, 'released', p_now);
  for v_fence in select l.fence from lease l where l.worker_id = p_worker.id order by 1 loop
    select array_agg(h.position::int order by h.position) filter (where d.job_id is null),
      array_agg(h.position::int order by h.position) filter (where d.job_id is not null) into v_others, v_died
    from lease l cross join unnest(l.jobs, l.tasks) with ordinality h(job_id, task, position)
    left join unnest(p_fences, p_jobs, p_tasks) d(fence, job_id, task)
      on d.fence = l.fence and d.job_id = h.job_id and d.task = h.task
    where l.fence = v_fence;
    perform settle_unheard(v_fence, v_others, 'released', null, p_now);
    perform settle_unheard(v_fence, array(select generate_series(1, cardinality(v_died))), 'died',
      'The worker that ran the task died.', p_now);
  end loop;
  with late as (
    update attempt a set outcome = 'worker_died', error = 'The worker that ran the task died.'
    from unnest(p_fences, p_jobs, p_tasks) d(fence, job_id, task)
    where a.job_id = d.job_id and a.seq = d.task and a.fence = d.fence and a.job_id between v_low and v_high
      and a.worker_id = p_worker.id and a.outcome = 'worker_lost'
    returning a.job_id, a.seq
  )
  select array_agg(x.job_id), array_agg(x.seq) into v_late_jobs, v_late_tasks
  from (select distinct job_id, seq from late) x;
  if v_late_jobs is null then
    return;
  end if;
  perform lock_class(p_worker.class_id);
  update ready r set crashes = least(r.crashes + 1, 2)
  from unnest(v_late_jobs, v_late_tasks) d(job_id, task) join job j on j.id = d.job_id and j.id between v_low and v_high
  where r.lane_id = j.lane_id and r.seq between j.ready_first and j.ready_last and r.job_id = d.job_id
    and r.task = d.task and d.task < j.tasks_total;
  update scheduled s set crashes = least(s.crashes + 1, 2)
  from unnest(v_late_jobs, v_late_tasks) d(job_id, task) where s.job_id = d.job_id and s.task = d.task;
  update lease l set crashes = array(
    select least(h.crashes + (d.job_id is not null)::int, 2)::smallint
    from unnest(l.jobs, l.tasks, l.crashes) with ordinality h(job_id, task, crashes, position)
    left join unnest(v_late_jobs, v_late_tasks) d(job_id, task) using (job_id, task) order by h.position)
  where l.jobs && v_late_jobs;
end
$$;
