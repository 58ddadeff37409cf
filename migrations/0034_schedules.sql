-- Jobs that a team wants submitted again and again, at times that a cron expression names. When an expression is due is
-- serve's to say (server/schedules); here stands that each due time is answered once.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table schedule (
  id bigint generated always as identity primary key,
  team_id bigint not null references team on delete cascade,
  user_id bigint not null,  -- who saved it last: its jobs are theirs. They may leave: a schedule runs as its team
  name text not null check (length(name) between 1 and 100),
  spec json not null,  -- the job, as it was posted
  cron text not null check (length(cron) between 1 and 200),
  time_zone text not null check (length(time_zone) between 1 and 64),
  misfire text not null check (misfire in ('skip', 'once', 'all')),
  misfire_limit smallint not null check (misfire_limit between 1 and 100),
  overlap text not null check (overlap in ('allow', 'skip', 'cancel', 'queue')),
  paused_at timestamptz,
  next_at timestamptz,  -- the due time that is to be answered next; null: paused, or there is none
  claimed_until timestamptz,  -- until then one serve is at it
  version int not null default 1,  -- grows with every change by people
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (team_id, name),
  check (paused_at is null or next_at is null)
);
create index schedule_due on schedule (next_at) where next_at is not null;

-- What became of a due time: its key is what makes a job exist once.
create table schedule_run (
  schedule_id bigint not null references schedule on delete cascade,
  due_at timestamptz not null,
  team_id bigint not null,
  by_user bigint,  -- who asked for it to run now; null: its time came
  outcome text not null check (outcome in ('submitted', 'waiting', 'skipped', 'missed', 'failed')),
  job_id bigint,
  reason text,  -- why there is no job, for people
  missed int not null default 0,  -- due times before this one that were let go, because nobody was there
  decided_at timestamptz not null,
  open boolean not null,  -- its job may not have ended
  cancel boolean not null default false,  -- its job is to be cancelled: a later one took its place
  primary key (schedule_id, due_at),
  check ((job_id is not null) = (outcome = 'submitted')),
  check (not (open or cancel) or job_id is not null)
);
create index schedule_run_open on schedule_run (schedule_id) where open;
create index schedule_run_waiting on schedule_run (schedule_id, due_at) where outcome = 'waiting';
create index schedule_run_cancel on schedule_run (schedule_id) where cancel;

alter table job
  add column schedule_id bigint,  -- which schedule made it
  add column due_at timestamptz;  -- for when

do $$
declare
  v_table text;
  v_team constant text := $x$team_id = nullif(current_setting('app.team_id', true), '')::bigint$x$;
begin
  foreach v_table in array array['schedule', 'schedule_run'] loop
    execute format('alter table %I enable row level security, force row level security', v_table);
    execute format('create policy owner on %I to plimsoll_owner using (true) with check (true)', v_table);
    execute format('create policy queue on %I to plimsoll_queue using (true) with check (true)', v_table);
    execute format('create policy team on %1$I to plimsoll_app using (%2$s) with check (%2$s)', v_table, v_team);
  end loop;
end
$$;
grant select, insert, delete, update (user_id, name, spec, cron, time_zone, misfire, misfire_limit, overlap, paused_at, next_at,
  claimed_until, version, updated_at) on schedule to plimsoll_app;
grant select on schedule_run to plimsoll_app;
grant select, update on schedule to plimsoll_queue;
grant select, insert, update, delete on schedule_run to plimsoll_queue;

set local role plimsoll_queue;
set local search_path = plimsoll;

-- Whether a job of the schedule has not ended.
create function schedule_is_busy(p_schedule_id bigint) returns boolean language sql stable as $$
  select exists (select from schedule_run r join job j on j.id = r.job_id
    where r.schedule_id = p_schedule_id and r.open and j.finished_at is null)
$$;

-- Schedules with something to do, for one serve: a due time has come (due_at), or a run that waited for an earlier job may
-- go now (waiting_at). busy: a job of it has not ended. Who claims and does not answer within p_lease has lost them.
create function claim_schedules_v1(p_limit int, p_lease interval, p_now timestamptz default clock_timestamp())
returns table (id bigint, version int, team_id bigint, user_id bigint, spec json, cron text, time_zone text, misfire text,
  misfire_limit smallint, overlap text, due_at timestamptz, waiting_at timestamptz, busy boolean, now timestamptz)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with waiting as (
    select r.schedule_id, min(r.due_at) due_at from schedule_run r where r.outcome = 'waiting' group by 1
  ), wanted as (
    (select s.id from schedule s where s.next_at <= p_now and coalesce(s.claimed_until <= p_now, true) order by s.next_at limit p_limit)
    union
    (select w.schedule_id from waiting w where not schedule_is_busy(w.schedule_id) limit p_limit)
  ), free as materialized (
    select s.id from schedule s where s.id in (select w.id from wanted w) and s.paused_at is null and coalesce(s.claimed_until <= p_now, true)
    order by s.id for update skip locked
  ), taken as (
    update schedule s set claimed_until = p_now + p_lease from free f where s.id = f.id returning s.*
  )
  select t.id, t.version, t.team_id, t.user_id, t.spec, t.cron, t.time_zone, t.misfire, t.misfire_limit, t.overlap,
    case when t.next_at <= p_now then t.next_at end, w.due_at, schedule_is_busy(t.id), p_now
  from taken t left join waiting w on w.schedule_id = t.id;
end
$$;

-- Answers one due time of a schedule, in one transaction: the job, the run that tells of it, and the next due time.
-- p_way: time (p_due_at was due; p_expected is the next_at that the caller saw, p_then becomes it), waiting (a run of that
-- due time waited for an earlier job), person (p_user_id wants it now, whatever else runs; p_due_at is null).
-- p_verdict: submit (the job of the arguments, as enqueue_v2 or, with p_dataset_id, enqueue_dataset_v2 takes it), busy (the
-- caller saw an earlier job and made no plan), failed, missed (p_reason says why).
-- outcome: submitted, waiting, skipped, missed, failed; replayed (the Idempotency-Key p_key was used before, with this
-- request), key_conflict (with another); changed: nothing was done, since somebody else answered, or things are not as the
-- caller saw them.
create function run_schedule_v1(p_schedule_id bigint, p_version int, p_way text, p_expected timestamptz, p_due_at timestamptz,
  p_then timestamptz, p_missed int, p_verdict text, p_reason text, p_user_id bigint, p_key text, p_fingerprint bytea,
  p_kind text, p_kind_version smallint, p_args json, p_name text, p_labels jsonb, p_priority smallint, p_device_class text,
  p_capability text, p_memory_bucket smallint, p_model text, p_timeout real, p_unique_key text,
  p_task_items int[], p_task_seconds real[], p_task_inputs bytea[],
  p_dataset_id bigint, p_record_seconds float8, p_byte_seconds float8, p_now timestamptz default clock_timestamp())
returns table (outcome text, job_id bigint, due_at timestamptz)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_schedule schedule;
  v_submitter bigint;
  v_busy boolean;
  v_waiting int;
  v_reason text := p_reason;
begin
  due_at := coalesce(p_due_at, p_now);
  select * into v_schedule from schedule s where s.id = p_schedule_id for update;
  if not found or v_schedule.version <> p_version
    or p_way = 'time' and (v_schedule.paused_at is not null or v_schedule.next_at is distinct from p_expected)
    or p_way = 'waiting' and (v_schedule.paused_at is not null or not exists (
      select from schedule_run r where r.schedule_id = p_schedule_id and r.due_at = p_due_at and r.outcome = 'waiting'))
  then
    outcome := 'changed';
    return next;
    return;
  end if;
  if p_way = 'time' and exists (select from schedule_run r where r.schedule_id = p_schedule_id and r.due_at = p_due_at) then
    -- A clock that went back, or a zone that changed, brought a time back that was answered.
    update schedule s set next_at = p_then, claimed_until = null where s.id = p_schedule_id;
    outcome := 'changed';
    return next;
    return;
  end if;
  while p_way = 'person' and exists (select from schedule_run r where r.schedule_id = p_schedule_id and r.due_at = run_schedule_v1.due_at) loop
    due_at := due_at + interval '1 microsecond';
  end loop;
  v_submitter := coalesce(p_user_id, v_schedule.user_id);
  update schedule_run r set open = false, cancel = false where r.schedule_id = p_schedule_id and r.open
    and not exists (select from job j where j.id = r.job_id and j.finished_at is null);
  v_busy := exists (select from schedule_run r where r.schedule_id = p_schedule_id and r.open);
  select count(*) into v_waiting from schedule_run r where r.schedule_id = p_schedule_id and r.outcome = 'waiting';

  outcome := p_verdict;
  if p_verdict in ('submit', 'busy') and p_way = 'time' and v_schedule.overlap = 'skip' and v_busy then
    outcome := 'skipped';
    v_reason := 'An earlier job had not ended.';
  elsif p_verdict in ('submit', 'busy') and p_way = 'time' and v_schedule.overlap = 'queue' and (v_busy or v_waiting > 0) then
    outcome := case when v_waiting < 10 then 'waiting' else 'skipped' end;
    v_reason := case when v_waiting < 10 then 'An earlier job has not ended.' else 'Ten runs waited already.' end;
  elsif p_verdict = 'busy' or p_way = 'waiting' and v_busy then
    outcome := 'changed';
    update schedule s set claimed_until = null where s.id = p_schedule_id;
    return next;
    return;
  elsif p_verdict = 'submit' and p_dataset_id is null then
    select e.outcome, e.job_id into strict outcome, job_id
    from enqueue_v2(array[v_schedule.team_id], array[v_submitter], array[p_kind], array[p_kind_version], array[p_args], array[p_name],
      array[p_labels], array[p_priority], array[p_device_class], array[p_capability], array[p_memory_bucket], array[p_model], array[true],
      array[null::timestamptz], array[p_key], array[p_fingerprint], array[null::timestamptz], array[p_timeout], array[p_unique_key], false,
      array_fill(1, array[cardinality(p_task_items)]), p_task_items, p_task_seconds, p_task_inputs, p_now) e;
  elsif p_verdict = 'submit' then
    select e.outcome, e.job_id into strict outcome, job_id
    from enqueue_dataset_v2(v_schedule.team_id, v_submitter, p_kind, p_kind_version, p_args, p_name, p_labels, p_priority, p_device_class,
      p_capability, p_memory_bucket, p_model, p_key, p_fingerprint, null, null, p_timeout, p_unique_key, p_dataset_id, p_record_seconds,
      p_byte_seconds, p_now) e;
  end if;
  if outcome in ('replayed', 'key_conflict') then
    select coalesce(max(r.due_at), run_schedule_v1.due_at) into due_at from schedule_run r where r.schedule_id = p_schedule_id and r.job_id = run_schedule_v1.job_id;
    return next;
    return;
  elsif outcome = 'created' then
    outcome := 'submitted';
    update job j set schedule_id = p_schedule_id, due_at = run_schedule_v1.due_at where j.id = run_schedule_v1.job_id;
    update schedule_run r set cancel = true where r.schedule_id = p_schedule_id and r.open and v_schedule.overlap = 'cancel' and p_way = 'time';
  elsif outcome in ('unique_conflict', 'no_dataset', 'over_quota') then
    v_reason := case outcome when 'no_dataset' then 'There is no such dataset.' when 'over_quota' then 'A quota of the team refused it.'
      else 'Another job has its unique key and has not ended.' end;
    outcome := 'failed';
    job_id := null;
  end if;

  insert into schedule_run as r (schedule_id, due_at, team_id, by_user, outcome, job_id, reason, missed, decided_at, open)
  values (p_schedule_id, due_at, v_schedule.team_id, p_user_id, outcome, job_id, v_reason, p_missed, p_now, job_id is not null)
  on conflict on constraint schedule_run_pkey do update set outcome = excluded.outcome, job_id = excluded.job_id, reason = excluded.reason,
    decided_at = excluded.decided_at, open = excluded.open where r.outcome = 'waiting' and p_way = 'waiting';
  if not found then
    raise exception 'due time % of schedule % was answered before', due_at, p_schedule_id using errcode = 'unique_violation';
  end if;
  if p_way = 'time' then
    update schedule s set next_at = p_then where s.id = p_schedule_id;
  end if;
  update schedule s set claimed_until = null where s.id = p_schedule_id and p_way <> 'person';
  -- A history, not an archive.
  delete from schedule_run r where r.schedule_id = p_schedule_id and not r.open and r.outcome <> 'waiting' and r.due_at < (
    select x.due_at from schedule_run x where x.schedule_id = p_schedule_id order by x.due_at desc offset 200 limit 1);
  return next;
end
$$;

-- Cancels one job that a later one of its schedule took the place of; call again while it answers a row. Apart from
-- run_schedule_v1, because a cancel's locks come before those of a submit.
create function cancel_overlapped_v1(p_now timestamptz default clock_timestamp())
returns table (job_id bigint, outcome text) language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_run schedule_run;
begin
  select * into v_run from schedule_run r where r.cancel limit 1 for update skip locked;
  if found then
    job_id := v_run.job_id;
    outcome := cancel_v1(v_run.team_id, v_run.job_id, p_now);
    update schedule_run r set cancel = false where r.schedule_id = v_run.schedule_id and r.due_at = v_run.due_at;
    return next;
  end if;
end
$$;

grant execute on function claim_schedules_v1, run_schedule_v1, cancel_overlapped_v1 to plimsoll_app;

set local role plimsoll_owner;
set local search_path = plimsoll;

-- As jobs_v1, and which schedule made them.
create function jobs_v2(p_jobs bigint[])
returns table (id bigint, team_id bigint, user_id bigint, submitter_name text, kind text, kind_version smallint, name text, labels jsonb,
  priority smallint, state text, args json, items_total bigint, items_done bigint, items_failed bigint, tasks_total int, tasks_done int,
  tasks_failed int, retries int, last_error text, error text, unique_key text, created_at timestamptz,
  run_at timestamptz, deadline timestamptz, timeout_seconds real, started_at timestamptz, finished_at timestamptz, revision int,
  schedule_id bigint, schedule_name text, due_at timestamptz)
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
  select j.id, j.team_id, j.user_id, (select u.name from app_user u where u.id = j.user_id), j.kind, j.kind_version, j.name, j.labels,
    j.priority, j.state, j.args, j.items_total,
    case when j.state in ('running', 'cancelling')
      then least(j.items_total, j.items_ok + j.items_failed + job_progress_v1(j.id)) else j.items_ok + j.items_failed end,
    j.items_failed, j.tasks_total, j.tasks_total - j.tasks_left,
    j.tasks_quarantined, j.retries, j.last_error, j.error, j.unique_key, j.created_at,
    j.run_at, j.deadline, j.timeout_seconds, j.started_at, j.finished_at, j.revision,
    j.schedule_id, case when j.schedule_id is not null then (select s.name from schedule s where s.id = j.schedule_id) end, j.due_at
  from unnest(p_jobs) u(id)
  cross join lateral (select * from job x where x.id = u.id and x.id between v_low and v_high offset 0) j;
end
$$;
grant execute on function jobs_v2 to plimsoll_app;
