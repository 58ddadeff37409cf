-- The device classes: settings, and their queued and running tasks. devices: seen within the lease time. waiting: for a
-- start time or a retry, counted up to 10,000.
-- needs: lease_ttl
create or replace function list_device_classes(p_now timestamptz default clock_timestamp())
returns table (device_class text, half_life_seconds float8, entry_limit_seconds float8, devices bigint, ready bigint,
  running bigint, waiting bigint)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select c.name, c.half_life_seconds, c.entry_limit_seconds,
    (select count(*) from worker w
      where w.class_id = c.id and w.state = 'active' and w.seen_at > p_now - lease_ttl()),
    (select coalesce(sum(s.ready), 0)::bigint from account_state s where s.class_id = c.id),
    (select coalesce(sum(cardinality(l.jobs)), 0)::bigint from lease l where l.class_id = c.id),
    (select count(*) from (select from scheduled s where s.class_id = c.id limit 10000) few)
  from device_class c order by c.id;
end;
