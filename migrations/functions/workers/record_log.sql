-- Keeps what a worker wrote about tasks of a lease that it holds; about any other, nothing. One element per task, all
-- distinct. p_lines: [[number from 1, level, age in seconds, text], …]. A line that is known is not changed, so calls
-- may be repeated. At most 60 lines of an attempt and 500 characters of a line. Takes no locks: a transaction that
-- records outcomes does so after this. Index task_log_<day>_pkey.
create or replace function record_log(p_worker_id int, p_epoch int, p_fence bigint, p_jobs bigint[], p_tasks int[],
  p_lines json[], p_now timestamptz default clock_timestamp())
returns void language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_lease lease;
begin
  select * into v_lease from lease where fence = p_fence and worker_id = p_worker_id and epoch = p_epoch;
  if not found then
    return;
  end if;
  -- In order, so that a repeated call at the same time waits instead of deadlocking.
  insert into task_log (job_id, seq, fence, n, team_id, attempt, level, at, text)
  select t.job_id, t.task, p_fence, (l.line ->> 0)::int, a.team_id, v_lease.attempts[t.pos],
    least(3, greatest(1, (l.line ->> 1)::int)),
    greatest(v_lease.claimed_at, p_now - make_interval(secs => greatest(0, (l.line ->> 2)::float8))),
    left(l.line ->> 3, 500)
  from unnest(p_jobs, p_tasks, p_lines, lease_positions(p_jobs, p_tasks, v_lease.jobs, v_lease.tasks))
      t(job_id, task, lines, pos)
    cross join lateral (select x.team_id from account x where x.id = v_lease.accounts[t.pos] offset 0) a
    cross join lateral json_array_elements(t.lines) l(line)
  where t.pos is not null and (l.line ->> 0)::int between 1 and 60
  order by t.job_id, t.task, 4
  on conflict (job_id, seq, fence, n) do nothing;
  perform notify_jobs(array(select distinct j from unnest(p_jobs) j));
end
$$;
