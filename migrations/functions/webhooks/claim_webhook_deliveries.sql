-- Duty, every second: due notices, at most p_limit and a few per webhook, so that a webhook that hangs delays no other.
-- If no outcome is recorded within p_lease, they count as lost and are sent again.
create or replace function claim_webhook_deliveries(p_limit int, p_lease interval, p_most_attempts int,
  p_now timestamptz default clock_timestamp())
returns table (id bigint, attempt smallint, type text, job_id bigint, data json, created_at timestamptz, url text,
  secret bytea)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with due as (
    select d.id, w.url, w.secret from webhook w cross join lateral (
      select x.id, x.next_at from webhook_delivery x
      where x.webhook_id = w.id and x.state = 'pending' and x.next_at <= p_now
      order by x.next_at limit 4 for update skip locked) d
    order by d.next_at limit p_limit
  ), taken as (
    update webhook_delivery d set attempts = d.attempts + (d.attempts < p_most_attempts)::int,
      next_at = p_now + p_lease,
      -- Its last attempt was lost, and with it the outcome.
      state = case when d.attempts < p_most_attempts then 'pending' else 'failed' end,
      ended_at = case when d.attempts < p_most_attempts then null else p_now end
    from due where d.id = due.id
    returning d.id, d.attempts, d.type, d.job_id, d.data, d.created_at, due.url, due.secret, d.state
  )
  select t.id, t.attempts, t.type, t.job_id, t.data, t.created_at, t.url, t.secret from taken t
    where t.state = 'pending';
end
$$;
