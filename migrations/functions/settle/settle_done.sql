-- Ends a lease all of whose tasks are done; the arrays are in the lease's order, and the caller has locked its row.
-- p_reports: see complete. False: a job is being cancelled, and nothing has changed.
create or replace function settle_done(p_lease lease, p_worker worker, p_contents bytea[], p_partials bytea[],
  p_reports bytea[], p_oks int[], p_faileds int[], p_seconds real[], p_now timestamptz)
returns boolean language plpgsql as $$
declare
  v_jobs bigint[];  -- these and the following have one element per job
  v_counts int[];
  v_ok_sums bigint[];
  v_failed_sums bigint[];
  v_costs float8[];
  v_merged boolean[];  -- its report is here
  v_lasts int[];
  v_merges int[];  -- places of the merge tasks
  v_whole boolean;  -- every job's report is here, and nothing is left to merge
  v_accounts int[];  -- these and the three below have one element per account
  v_teams bigint[];
  v_corrections float8[];
  v_tasks int[];  -- how many tasks of it; a lease holds its tasks account by account
  v_task_teams bigint[];
  v_finished record;
  v_low bigint;
  v_high bigint;
begin
  if p_lease.tasks = '{0}' and settle_lone(p_lease, p_worker, p_contents[1], p_partials[1], p_oks[1], p_faileds[1],
      p_seconds[1], p_now) then
    return true;
  end if;
  if cardinality(p_lease.holders) = 1 then
    v_accounts := p_lease.holders;
    v_tasks := array[cardinality(p_lease.jobs)];
    -- One statement for all: to begin one takes longer than to read ten tasks.
    select min(u.id), max(u.id), array_agg((coalesce(u.seconds, 0) * p_worker.speed)::float8),
      array[sum((coalesce(u.seconds, 0) * p_worker.speed)::float8) - sum(u.charge::float8)]
    into v_low, v_high, v_costs, v_corrections
    from unnest(p_lease.jobs, p_seconds, p_lease.charges) u(id, seconds, charge);
  else
    select min(a.low), max(a.high), array_agg(a.id), array_agg(a.correction), array_agg(a.n)
    into v_low, v_high, v_accounts, v_corrections, v_tasks
    from (
      select x.id, sum((coalesce(x.seconds, 0) * p_worker.speed)::float8) - sum(x.charge::float8) correction,
        min(x.job_id) low, max(x.job_id) high, count(*)::int n, min(x.ord) ord
      from (select unnest(p_lease.accounts) id, unnest(p_lease.jobs) job_id, unnest(p_seconds) seconds,
        unnest(p_lease.charges) charge, generate_series(1, cardinality(p_lease.jobs)) ord) x
      group by 1 order by ord) a;
  end if;
  v_teams := array(select a.team_id from unnest(v_accounts) with ordinality u(id, ord) join account a on a.id = u.id
    order by u.ord);
  v_task_teams := array(select x.team from (
    select u.team, generate_series(1, u.n) from (select unnest(v_teams) team, unnest(v_tasks) n) u) x);
  if 0 = all (p_lease.tasks) then  -- of small jobs: one task of each, and no merge task
    v_jobs := p_lease.jobs;
    v_counts := array_fill(1, array[cardinality(v_jobs)]);
    v_ok_sums := p_oks;
    v_failed_sums := p_faileds;
    v_merged := array_fill(false, array[cardinality(v_jobs)]);
    v_costs := coalesce(v_costs, array(select (coalesce(u, 0) * p_worker.speed)::float8 from unnest(p_seconds) u));
    v_whole := not exists (select from job j where j.id = any(v_jobs) and j.id between v_low and v_high and j.merge);
  else
    -- A merge task is never leased with other tasks of its job.
    select array_agg(s.job_id), array_agg(case when s.task = j.tasks_total then 0 else s.n end),
      array_agg(case when s.task = j.tasks_total then 0 else s.ok end),
      array_agg(case when s.task = j.tasks_total then 0 else s.failed end), array_agg(s.cost),
      array_agg(s.task = j.tasks_total or j.reported), array_agg(s.ord),
      array_agg(s.ord) filter (where s.task = j.tasks_total), bool_and(not j.merge or j.reported)
    into v_jobs, v_counts, v_ok_sums, v_failed_sums, v_costs, v_merged, v_lasts, v_merges, v_whole
    from (
      select x.job_id, count(*)::int n, sum(x.ok) ok, sum(x.failed) failed,
        sum((coalesce(x.seconds, 0) * p_worker.speed)::float8) cost, max(x.task) task, max(x.ord) ord
      from (select unnest(p_lease.jobs) job_id, unnest(p_lease.tasks) task, unnest(p_oks) ok, unnest(p_faileds) failed,
        unnest(p_seconds) seconds, generate_series(1, cardinality(p_lease.jobs)) ord) x
      group by x.job_id order by ord) s
    cross join lateral (select y.tasks_total, y.merge, s.n > 1 and s.n = y.tasks_total
      and p_reports[s.ord] is not null reported from job y where y.id = s.job_id
      and y.id between v_low and v_high offset 0) j;
  end if;

  -- Most bytes are inserted before the class lock is taken.
  insert into result (job_id, seq, team_id, state, fence, worker_id, attempt, items_ok, items_failed, seconds, bytes,
    content, partial, finished_at)
  select s.job_id, s.task, s.team, 'done', p_lease.fence, p_worker.id,
    s.attempt, s.ok, s.failed, coalesce(s.seconds, 0) * p_worker.speed, coalesce(octet_length(s.content), 0), s.content,
    case when not v_whole then s.partial end, p_now
  from (
    select unnest(p_lease.jobs) job_id, unnest(p_lease.tasks) task, unnest(v_task_teams) team,
      unnest(p_lease.attempts) attempt, unnest(p_oks) ok, unnest(p_faileds) failed, unnest(p_seconds) seconds,
      unnest(p_contents) content, unnest(p_partials) partial, generate_series(1, cardinality(p_lease.jobs)) ord) s
  where v_merges is null or s.ord <> all(v_merges);

  perform lock_class(p_lease.class_id);
  -- A job being cancelled accepts no more results. Cancel sets the state under the class lock.
  if exists (select from job j where j.id = any(v_jobs) and j.id between v_low and v_high and j.state = 'cancelling')
    then
    delete from result r using unnest(p_lease.jobs, p_lease.tasks) s(job_id, task)
    where r.job_id = s.job_id and r.job_id between v_low and v_high and r.seq = s.task and r.fence = p_lease.fence;
    return false;
  end if;
  if v_merges is not null then
    perform rewrite_rows(array_agg(p_lease.jobs[m]), array_agg(p_lease.tasks[m]), array_agg(true),
      array_agg('done'::text), array_agg(p_contents[m]))
    from unnest(v_merges) m;
  end if;
  delete from lease where fence = p_lease.fence;

  perform correct_charges(p_lease.class_id, p_worker, v_accounts, v_corrections);
  v_finished := finish_jobs(p_lease.fence, v_jobs, v_counts, v_ok_sums, v_failed_sums, v_costs, v_merged,
    case when cardinality(v_jobs) = cardinality(p_lease.jobs) then p_partials
      else array(select case when o.n <= 1 then p_partials[o.ord] else p_reports[o.ord] end
      from unnest(v_lasts, v_counts) with ordinality o(ord, n, place) order by o.place) end, v_low, v_high, p_now);
  -- Team by team: a join's plan would depend on statistics, and compare each job with each.
  if cardinality(v_teams) = 1 then
    perform end_standing(v_teams[1], v_finished.ended, v_low, v_high);
  else
    perform end_standing(u.team_id, array_agg(u.id), v_low, v_high)
    from unnest(v_finished.teams, v_finished.ended) u(team_id, id) group by u.team_id;
  end if;
  if v_finished.failed is not null then
    perform note_standing(v_finished.failed);
  end if;
  perform announce_job_ends(v_finished.ended);
  perform notify_jobs(v_jobs);
  if v_finished.merging is not null then
    perform push_merges(v_finished.merging, p_now);
  end if;
  return true;
end
$$;
