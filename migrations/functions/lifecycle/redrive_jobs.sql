-- Runs the unfinished tasks of ended jobs again; finished tasks keep their results. At most about 100 jobs per call,
-- because the locks of their device classes are held. outcome: redriven; unfinished; complete (all its tasks are done);
-- no_dataset (it has been deleted); not_unique (another unfinished job has its unique key); not_found. A deadline that
-- has passed no longer applies.
create or replace function redrive_jobs(p_team_id bigint, p_jobs bigint[], p_now timestamptz default clock_timestamp())
returns table (job_id bigint, outcome text) language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_job job;
  v_class smallint;
  v_tasks int[];
  v_ests real[];
  v_failed bigint;
begin
  perform assert_team(p_team_id);
  -- Deleting the dataset waits for this lock, and then sees the job.
  perform from dataset d
  where d.id in (select j.dataset_id from job j where j.id = any(p_jobs) and j.team_id = p_team_id)
  order by d.id for key share;
  -- Before the class locks, as in a submit.
  perform from unique_key k
  where k.team_id = p_team_id
    and k.key in (select j.unique_key from job j where j.id = any(p_jobs) and j.team_id = p_team_id)
  order by k.team_id, k.key for update;
  for v_class in
    select c.id from device_class c where c.name = 'host'
      or c.name in (select j.device_class from job j where j.id = any(p_jobs) and j.team_id = p_team_id)
    order by c.id
  loop
    perform lock_class(v_class);
  end loop;
  for job_id in select distinct u.id from unnest(p_jobs) u(id) order by u.id loop
    select * into v_job from job j where j.id = job_id and j.team_id = p_team_id for update;
    outcome := case
      when v_job.id is null then 'not_found'
      when v_job.finished_at is null then 'unfinished'
      when v_job.dataset_id is not null and not exists (select from dataset d where d.id = v_job.dataset_id)
        then 'no_dataset'
      when v_job.tasks_quarantined = 0
        and (v_job.state = 'succeeded' or exists (select from report r where r.job_id = v_job.id)) then 'complete'
      when exists (select from unique_key k join job j on j.id = k.job_id
        where k.team_id = p_team_id and k.key = v_job.unique_key and j.id <> v_job.id and j.finished_at is null)
        then 'not_unique'
      else 'redriven' end;
    if outcome = 'redriven' then
      insert into unique_key (team_id, key, job_id, taken_at) select p_team_id, v_job.unique_key, v_job.id, p_now
        where v_job.unique_key is not null
      on conflict (team_id, key) do update set job_id = excluded.job_id, taken_at = excluded.taken_at;
      with gone as (
        delete from result r where r.job_id = v_job.id and r.state = 'quarantined' returning r.items_failed
      )
      select coalesce(sum(g.items_failed), 0) into v_failed from gone g;
      select coalesce(array_agg(t.seq order by t.seq), '{}'), array_agg(t.est_seconds order by t.seq)
      into v_tasks, v_ests
      from job_task t
      where t.job_id = v_job.id and not exists (select from result r where r.job_id = v_job.id and r.seq = t.seq);
      delete from report r where r.job_id = v_job.id;
      insert into event (job_id, n, team_id, at, type, data)
      select e.job_id, e.n, e.team_id, e.at, e.type, e.data from job_event e
      where e.job_id = v_job.id and e.type in ('started', 'finished')
      on conflict do nothing;
      update job j set state = 'queued', finished_at = null, started_at = null, started_event = null, error = null,
        stop_error = null, cancel_requested_at = null, tasks_left = cardinality(v_tasks), tasks_quarantined = 0,
        items_failed = j.items_failed - v_failed, deadline = case when j.deadline > p_now then j.deadline end,
        ready_first = null, ready_last = null, last_event = j.last_event + 1, revision = j.revision + 1
      where j.id = v_job.id returning * into v_job;
      perform note_standing(array[v_job.id]);
      insert into event (job_id, n, team_id, at, type, data)
      values (v_job.id, v_job.last_event, v_job.team_id, p_now, 'redriven',
        json_build_object('tasks', cardinality(v_tasks)));
      if v_tasks = '{}' then
        perform push_merges(array[v_job.id], p_now);
      else
        select c.id into strict v_class from device_class c where c.name = v_job.device_class;
        perform push_ready(v_class, array_fill(v_job.lane_id, array[cardinality(v_tasks)]),
          array_fill(v_job.id, array[cardinality(v_tasks)]), v_tasks, v_ests,
          array_fill(1::smallint, array[cardinality(v_tasks)]), array_fill(0::smallint, array[cardinality(v_tasks)]),
          p_now);
      end if;
      perform notify_jobs(array[v_job.id]);
    end if;
    return next;
  end loop;
end
$$;
