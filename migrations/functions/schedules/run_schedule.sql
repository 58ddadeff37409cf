-- Handles one due time of a schedule in one transaction: the job, the record of the run, and the next due time. p_way:
-- time (p_due_at was due; p_expected is the next_at that the caller saw, p_then replaces it), waiting (a run of that
-- due time waited for an earlier job), person (p_user_id wants it now, whatever else runs; p_due_at is null).
-- p_verdict: submit (the job of the arguments, as in enqueue or, with p_dataset_id, enqueue_dataset), busy (the caller
-- saw an earlier job and made no plan), failed, missed (p_reason says why). A due time of a job on
-- "new:NAME" is skipped if an earlier run had the dataset. Runs of a disabled owner fail. outcome: submitted, waiting,
-- skipped, missed, failed; replayed (the Idempotency-Key p_key was used before, with this request), key_conflict (with
-- another one); changed: nothing was done, because another server handled it, or the schedule differs from what the
-- caller saw.
create or replace function run_schedule(p_schedule_id bigint, p_version int, p_way text, p_expected timestamptz,
  p_due_at timestamptz, p_then timestamptz, p_missed int, p_verdict text, p_reason text, p_user_id bigint, p_key text,
  p_fingerprint bytea, p_kind text, p_kind_version smallint, p_args json, p_name text, p_labels jsonb,
  p_priority smallint, p_device_class text, p_capability text, p_memory_bucket smallint, p_model text, p_timeout real,
  p_unique_key text, p_task_items int[], p_task_seconds real[], p_task_inputs bytea[], p_dataset_id bigint,
  p_record_seconds float8, p_byte_seconds float8, p_now timestamptz default clock_timestamp())
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
  due_at := coalesce(p_due_at, date_trunc('milliseconds', p_now));
  select * into v_schedule from schedule s where s.id = p_schedule_id for update;
  if found then
    if p_way = 'person' then
      perform assert_team(v_schedule.team_id);
    end if;
    -- The due time may belong to any team: from here on, the transaction has the schedule's team.
    perform set_config('app.team_id', v_schedule.team_id::text, true);
  end if;
  if v_schedule.id is null or v_schedule.version <> p_version
    or p_way = 'time' and (v_schedule.paused_at is not null or v_schedule.next_at is distinct from p_expected)
    or p_way = 'waiting' and (v_schedule.paused_at is not null or not exists (
      select from schedule_run r where r.schedule_id = p_schedule_id and r.due_at = p_due_at and r.outcome = 'waiting'))
  then
    outcome := 'changed';
    return next;
    return;
  end if;
  if p_way = 'time' and exists (select from schedule_run r where r.schedule_id = p_schedule_id and r.due_at = p_due_at)
    then
    -- A clock that went back, or a changed zone, repeated a due time that was already handled.
    update schedule s set next_at = p_then, claimed_until = null where s.id = p_schedule_id;
    outcome := 'changed';
    return next;
    return;
  end if;
  while p_way = 'person' and exists (
    select from schedule_run r where r.schedule_id = p_schedule_id and r.due_at = run_schedule.due_at) loop
    due_at := due_at + interval '1 millisecond';  -- as the API tells times, which name runs there
  end loop;
  v_submitter := coalesce(p_user_id, v_schedule.user_id);
  perform set_config('app.audit', jsonb_build_object('schedule', v_schedule.name)::text, true);
  update schedule_run r set open = false, cancel = false where r.schedule_id = p_schedule_id and r.open
    and not exists (select from job j where j.id = r.job_id and j.finished_at is null);
  v_busy := exists (select from schedule_run r where r.schedule_id = p_schedule_id and r.open);
  select count(*) into v_waiting from schedule_run r where r.schedule_id = p_schedule_id and r.outcome = 'waiting';

  outcome := p_verdict;
  if p_verdict in ('submit', 'busy') and p_way <> 'person'
    and exists (select from app_user u where u.id = v_schedule.user_id and u.disabled_at is not null) then
    outcome := 'failed';
    v_reason := 'Its owner is disabled: whoever saves the schedule takes it over.';
  -- Inside a text, the quotes would be escaped. A job's arguments name the version that it had, whether it reads the
  -- dataset chunk by chunk or was planned on the whole of it.
  elsif p_verdict = 'submit' and p_way = 'time' and v_schedule.spec::text ~ '"dataset"\s*:\s*"new:' and exists (
    select from schedule_run r join job j on j.id = r.job_id
    where r.schedule_id = p_schedule_id and j.args ->> 'dataset' = p_args ->> 'dataset') then
    outcome := 'skipped';
    v_reason := 'The dataset has no new version.';
  elsif p_verdict in ('submit', 'busy') and p_way = 'time' and v_schedule.overlap = 'skip' and v_busy then
    outcome := 'skipped';
    v_reason := 'An earlier job had not finished.';
  elsif p_verdict in ('submit', 'busy') and p_way = 'time' and v_schedule.overlap = 'queue'
    and (v_busy or v_waiting > 0) then
    outcome := case when v_waiting < 10 then 'waiting' else 'skipped' end;
    v_reason := case when v_waiting < 10 then 'An earlier job has not finished.'
      else 'Ten runs were already waiting.' end;
  elsif p_verdict = 'busy' or p_way = 'waiting' and v_busy then
    outcome := 'changed';
    update schedule s set claimed_until = null where s.id = p_schedule_id;
    return next;
    return;
  elsif p_verdict = 'submit' and p_dataset_id is null then
    select e.outcome, e.job_id into strict outcome, job_id
    from enqueue(array[v_schedule.team_id], array[v_submitter], array[p_kind], array[p_kind_version], array[p_args],
      array[p_name], array[p_labels], array[p_priority], array[p_device_class], array[p_capability],
      array[p_memory_bucket], array[p_model], array[cardinality(p_task_items) > 1], array[null::timestamptz],
      array[p_key], array[p_fingerprint], array[null::timestamptz], array[p_timeout], array[p_unique_key], false,
      array_fill(1, array[cardinality(p_task_items)]), p_task_items, p_task_seconds, p_task_inputs, p_now) e;
  elsif p_verdict = 'submit' then
    select e.outcome, e.job_id into strict outcome, job_id
    from enqueue_dataset(v_schedule.team_id, v_submitter, p_kind, p_kind_version, p_args, p_name, p_labels, p_priority,
      p_device_class, p_capability, p_memory_bucket, p_model, p_key, p_fingerprint, null, null, p_timeout, p_unique_key,
      p_dataset_id, p_record_seconds, p_byte_seconds, p_now) e;
  end if;
  if outcome in ('replayed', 'key_conflict') then
    select coalesce(max(r.due_at), run_schedule.due_at) into due_at from schedule_run r
      where r.schedule_id = p_schedule_id and r.job_id = run_schedule.job_id;
    return next;
    return;
  elsif outcome = 'created' then
    outcome := 'submitted';
    update job j set schedule_id = p_schedule_id, due_at = run_schedule.due_at where j.id = run_schedule.job_id;
    update schedule_run r set cancel = true where r.schedule_id = p_schedule_id and r.open
      and v_schedule.overlap = 'cancel' and p_way = 'time';
  elsif outcome in ('unique_conflict', 'no_dataset', 'over_quota') then
    v_reason := case outcome
      when 'no_dataset' then 'The dataset was not found.'
      when 'over_quota' then 'The job would exceed a quota of the team.'
      else 'Another job with the same unique key has not finished.' end;
    outcome := 'failed';
    job_id := null;
  end if;

  insert into schedule_run as r (schedule_id, due_at, team_id, by_user, outcome, job_id, reason, missed, decided_at,
    open)
  values (p_schedule_id, due_at, v_schedule.team_id, p_user_id, outcome, job_id, v_reason, p_missed, p_now,
    job_id is not null)
  on conflict on constraint schedule_run_pkey do update set outcome = excluded.outcome, job_id = excluded.job_id,
    reason = excluded.reason, decided_at = excluded.decided_at, open = excluded.open
  where r.outcome = 'waiting' and p_way = 'waiting';
  if not found then
    raise exception 'due time % of schedule % has already been handled', due_at, p_schedule_id
      using errcode = 'unique_violation';
  end if;
  if p_way = 'time' then
    update schedule s set next_at = p_then where s.id = p_schedule_id;
  end if;
  update schedule s set claimed_until = null where s.id = p_schedule_id and p_way <> 'person';
  -- Keep the latest runs only.
  delete from schedule_run r where r.schedule_id = p_schedule_id and not r.open and r.outcome <> 'waiting'
    and r.due_at < (
      select x.due_at from schedule_run x
      where x.schedule_id = p_schedule_id order by x.due_at desc offset 200 limit 1);
  return next;
end
$$;
