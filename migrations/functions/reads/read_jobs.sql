-- The given jobs, if the caller's team owns them, each with the schedule that created it. Runs with the caller's
-- rights, so row-level security applies. A function, because its plan is cached: planning is expensive under row-level
-- security and would cost several times as much as reading a job. The plan suits tables of any size, and the range of
-- IDs limits it to the partitions of their days.
create or replace function read_jobs(p_jobs bigint[])
returns table (id bigint, team_id bigint, user_id bigint, submitter_name text, kind text, kind_version smallint,
  name text, labels jsonb, device_class text, priority smallint, state text, args json, items_total bigint,
  items_done bigint, items_failed bigint, tasks_total int, tasks_done int, tasks_failed int, retries int,
  last_error text, error text,
  unique_key text, created_at timestamptz, run_at timestamptz, deadline timestamptz, timeout_seconds real,
  started_at timestamptz, finished_at timestamptz, revision int, schedule_id bigint, schedule_name text,
  due_at timestamptz, tokens_done bigint)
language plpgsql stable set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_low bigint;
  v_high bigint;
begin
  select min(u.id), max(u.id) into v_low, v_high from unnest(p_jobs) u(id);
  return query
  select j.id, j.team_id, j.user_id, (select u.name from app_user u where u.id = j.user_id), j.kind, j.kind_version,
    j.name, j.labels, j.device_class, j.priority, j.state, j.args, j.items_total,
    case when j.state in ('running', 'cancelling')
      then least(j.items_total, j.items_ok + j.items_failed + job_progress(j.id)) else j.items_ok + j.items_failed end,
    j.items_failed, j.tasks_total, j.tasks_total - j.tasks_left,
    j.tasks_quarantined, j.retries, j.last_error, j.error, j.unique_key, j.created_at,
    j.run_at, j.deadline, j.timeout_seconds, j.started_at, j.finished_at, j.revision,
    j.schedule_id, case when j.schedule_id is not null then (select s.name from schedule s where s.id = j.schedule_id)
      end, j.due_at, j.tokens_done
  from unnest(p_jobs) u(id)
  cross join lateral (select * from job x where x.id = u.id and x.id between v_low and v_high offset 0) j;
end
$$;
