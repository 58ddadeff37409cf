-- Duty, every second: due notices, at most p_limit. p_under_way: the caller's notices whose attempt has not ended; with
-- them a webhook has at most 4, and a team at most 8 and half of the free places; teams with few come first. So
-- receivers that hang delay nobody else's notices: those of eight teams leave seven of 32 places. If no outcome is
-- recorded within p_lease, an attempt counts as lost and its notice is sent again.
create or replace function claim_webhook_deliveries(p_limit int, p_lease interval, p_max_attempts int,
  p_under_way bigint[], p_now timestamptz default clock_timestamp())
returns table (id bigint, attempt smallint, type text, job_id bigint, data json, created_at timestamptz, url text,
  format text, secret bytea)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with busy as materialized (
    select d.webhook_id, d.team_id from webhook_delivery d where d.id = any(p_under_way)
  ), hooks as (
    select w.id, w.team_id, w.url, w.format, w.secret,
      greatest(0, 4 - (select count(*) from busy b where b.webhook_id = w.id)) as room,
      (select count(*) from busy b where b.team_id = w.team_id) as of_team
    from webhook w
  ), candidates as (
    select d.id, d.next_at, w.url, w.format, w.secret,
      w.of_team + row_number() over (partition by w.team_id order by d.next_at) as place
    from hooks w cross join lateral (
      select x.id, x.next_at from webhook_delivery x
      where x.webhook_id = w.id and x.state = 'pending' and x.next_at <= p_now
      order by x.next_at limit w.room for update skip locked) d
  ), ranked as (
    select c.*, row_number() over (order by c.place, c.next_at) as rank from candidates c
  ), due as (
    select f.id, f.url, f.format, f.secret from ranked f where f.place <= 8 and 2 * f.place <= p_limit - f.rank + 1
  ), taken as (
    update webhook_delivery d set attempts = d.attempts + (d.attempts < p_max_attempts)::int,
      next_at = p_now + p_lease,
      -- Its last attempt was lost, and with it the outcome.
      state = case when d.attempts < p_max_attempts then 'pending' else 'failed' end,
      ended_at = case when d.attempts < p_max_attempts then null else p_now end
    from due where d.id = due.id
    returning d.id, d.attempts, d.type, d.job_id, d.data, d.created_at, due.url, due.format, due.secret, d.state
  )
  select t.id, t.attempts, t.type, t.job_id, t.data, t.created_at, t.url, t.format, t.secret from taken t
    where t.state = 'pending';
end
$$;
