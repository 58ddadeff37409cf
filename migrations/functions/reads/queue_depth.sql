-- Tasks in the queue by class and state, for monitoring, at most every few seconds. state: waiting (for a start time or
-- a retry; counted up to 10,000, because there may be a million), ready, leased. Reads counters (one row per account)
-- and leases (at most two per worker).
create or replace function queue_depth()
returns table (device_class text, state text, tasks bigint)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  with ready_tasks as (select s.class_id, sum(s.ready)::bigint tasks from account_state s group by 1),
  leased as (select l.class_id, sum(cardinality(l.jobs)) tasks from lease l group by 1),
  waiting as (
    select c.id class_id, (select count(*) from (select from scheduled s where s.class_id = c.id limit 10000) few) tasks
    from device_class c)
  select c.name, d.state, coalesce(d.tasks, 0)
  from device_class c left join ready_tasks r on r.class_id = c.id left join leased l on l.class_id = c.id
    left join waiting w on w.class_id = c.id
    cross join lateral (values ('waiting', w.tasks), ('ready', r.tasks), ('leased', l.tasks)) d(state, tasks)
  order by c.id, d.state;
end;
