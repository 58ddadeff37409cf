-- Decides which of the jobs to submit exceed their team's quotas, and why. Returns p_outcomes with over_quota instead
-- of created for these, and the refusal of each job; null: none. Refused jobs do not count, and their idempotency keys
-- (p_keys) are released. One element per job, except p_task_jobs and p_task_seconds, as in enqueue.
--   {"quota": "queued_jobs", "used": 10, "limit": 10}: jobs of the team that have not started
--   {"quota": "jobs_per_minute", "used": 58, "limit": 60, "needed": 3, "renews_at": "…"}: jobs of the last minute,
--    and this is the third of the call; from renews_at on it would be accepted
--   {"quota": "device_seconds", "used": 3600.0, "limit": 3600.0, "needed": 1.5, "device_class": "gpu", "period": "day",
--    "renews_at": "…"}: a job that may start now is estimated to take more than what is left of the period, or any
--    job more than the whole quota
-- Locks the limits of the teams, in one order for all callers, so that limits are exact.
create or replace function refuse_over_quota(p_teams bigint[], p_classes smallint[], p_keys text[], p_ids bigint[],
  p_outcomes text[], p_run_ats timestamptz[], p_task_jobs int[], p_task_seconds real[], p_now timestamptz,
  out outcomes text[], out refusals jsonb[])
language plpgsql as $$
begin
  outcomes := p_outcomes;
  refusals := array_fill(null::jsonb, array[cardinality(p_teams)]);
  perform from team_limit l
  where l.team_id = any(p_teams) and (l.queued_jobs is not null or l.jobs_per_minute is not null)
  order by l.team_id for update;
  if not found and not exists (
      select from unnest(p_teams, p_classes) u(team_id, class_id)
      join account a on a.team_id = u.team_id and a.class_id = u.class_id
      cross join lateral (
        select s.quota_seconds from account_state s where s.account_id = a.id order by s.version desc limit 1) s
      where s.quota_seconds is not null) then
    return;
  end if;
  select array_agg(case
      when u.outcome <> 'created' then null
      when q.needed > s.quota_seconds or coalesce(u.run_at <= p_now, true) and s.used + q.needed > s.quota_seconds then
        jsonb_build_object('quota', 'device_seconds', 'used', s.used, 'limit', s.quota_seconds, 'needed', q.needed,
          'device_class', c.name, 'period', s.quota_period,
          'renews_at', quota_start(s.quota_period, p_now) + ('1 ' || s.quota_period)::interval)
      when n.queued + u.place > n.queued_jobs then
        jsonb_build_object('quota', 'queued_jobs', 'used', n.queued, 'limit', n.queued_jobs)
      when u.place > n.jobs_left then
        jsonb_build_object('quota', 'jobs_per_minute', 'used', ceil(n.jobs_per_minute - n.jobs_left),
          'limit', n.jobs_per_minute, 'needed', u.place,
          'renews_at', p_now + make_interval(secs => (u.place - n.jobs_left) * 60 / n.jobs_per_minute))
    end order by u.ord) into refusals
  from (
    select g.*, count(*) filter (where g.outcome = 'created') over (partition by g.team_id order by g.ord) place
    from unnest(p_teams, p_classes, p_outcomes, p_run_ats) with ordinality g(team_id, class_id, outcome, run_at, ord)) u
  join device_class c on c.id = u.class_id
  left join (
    select t.job, sum(greatest(t.seconds, 1e-4)::float8) needed
    from unnest(p_task_jobs, p_task_seconds) t(job, seconds) group by 1) q on q.job = u.ord
  left join lateral (
    select x.quota_seconds, x.quota_period,
      period_used(x.period_seconds, x.period_start, x.quota_period, p_now) used
    from account a
    cross join lateral (
      select * from account_state y where y.account_id = a.id order by y.version desc limit 1) x
    where a.team_id = u.team_id and a.class_id = u.class_id) s on true
  left join (
    select l.team_id, l.queued_jobs, l.jobs_per_minute, submits_left(l, p_now) jobs_left, (
      select count(*) from (
        select from job_standing s join job j on j.id = s.job_id
        where s.team_id = l.team_id and s.standing = 'unfinished' and j.started_at is null
        limit coalesce(l.queued_jobs, 0)) open) queued
    from team_limit l where l.team_id = any(p_teams)) n on n.team_id = u.team_id;
  update team_limit l set jobs_left = submits_left(l, p_now) - u.jobs, jobs_left_at = p_now
  from (
    select g.team_id, count(*) jobs from unnest(p_teams, p_outcomes, refusals) g(team_id, outcome, refusal)
    where g.outcome = 'created' and g.refusal is null group by 1) u
  where l.team_id = u.team_id and l.jobs_per_minute is not null;
  delete from idempotency_key i using unnest(p_teams, p_ids, refusals) u(team_id, id, refusal)
  where u.refusal is not null and i.team_id = u.team_id and i.job_id = u.id and i.key = any(p_keys);
  select array_agg(case when u.refusal is null then u.outcome else 'over_quota' end order by u.ord) into outcomes
  from unnest(p_outcomes, refusals) with ordinality u(outcome, refusal, ord);
end
$$;
