-- Duty, every second: schedules with something to do, for one server: a due time has come (due_at), or a run that
-- waited for an earlier job may start (waiting_at). Archived teams are skipped. busy: a job of it has not ended. A
-- server that does not respond within p_lease loses them.
create or replace function claim_schedules(p_limit int, p_lease interval, p_now timestamptz default clock_timestamp())
returns table (id bigint, version int, team_id bigint, user_id bigint, spec json, cron text, time_zone text,
  misfire text, misfire_limit smallint, overlap text, due_at timestamptz, waiting_at timestamptz, busy boolean,
  now timestamptz)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with waiting as (
    select r.schedule_id, min(r.due_at) due_at from schedule_run r where r.outcome = 'waiting' group by 1
  ), wanted as (
    (select s.id from schedule s where s.next_at <= p_now and coalesce(s.claimed_until <= p_now, true)
      order by s.next_at limit p_limit)
    union
    (select w.schedule_id from waiting w where not schedule_is_busy(w.schedule_id) limit p_limit)
  ), free as materialized (
    select s.id from schedule s where s.id in (select w.id from wanted w) and s.paused_at is null
      and coalesce(s.claimed_until <= p_now, true)
      and not exists (select from team t where t.id = s.team_id and t.archived_at is not null)
    order by s.id for update skip locked
  ), taken as (
    update schedule s set claimed_until = p_now + p_lease from free f where s.id = f.id returning s.*
  )
  select t.id, t.version, t.team_id, t.user_id, t.spec, t.cron, t.time_zone, t.misfire, t.misfire_limit, t.overlap,
    case when t.next_at <= p_now then t.next_at end, w.due_at, schedule_is_busy(t.id), p_now
  from taken t left join waiting w on w.schedule_id = t.id;
end
$$;
