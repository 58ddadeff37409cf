-- Tasks in the queue by class and state, for monitoring and autoscaling, at most every few seconds. state: waiting (for
-- a start time or a retry; counted up to 10,000, because there may be a million), ready, leased. seconds: of the
-- class's normal device, by the kinds' estimates; an account's ready tasks count like its first ones, waiting ones not
-- at all. Reads counters and ten tasks per account, and leases (at most two per worker).
create or replace function queue_depth()
returns table (device_class text, state text, tasks bigint, seconds float8)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  with ready_tasks as (
    select s.class_id, sum(s.ready)::bigint tasks, sum(s.ready * first_ones.est_seconds) seconds
    from account_state s cross join lateral (
      select avg(few.est_seconds) est_seconds from (
        select r.est_seconds from unnest(s.lanes, s.heads) u(lane_id, head) cross join lateral (
          select r.est_seconds from ready r where r.lane_id = u.lane_id and r.seq > u.head order by r.seq limit 10) r
        limit 10) few) first_ones
    where s.ready > 0 group by 1),
  leased as (
    select l.class_id, sum(cardinality(l.jobs)) tasks,
      sum((select sum(x.charge) from unnest(l.charges) x(charge))) seconds
    from lease l group by 1),
  waiting as (
    select c.id class_id, (select count(*) from (select from scheduled s where s.class_id = c.id limit 10000) few) tasks
    from device_class c)
  select c.name, d.state, coalesce(d.tasks, 0), coalesce(d.seconds, 0)
  from device_class c left join ready_tasks r on r.class_id = c.id left join leased l on l.class_id = c.id
    left join waiting w on w.class_id = c.id
    cross join lateral (values ('waiting', w.tasks, 0), ('ready', r.tasks, r.seconds), ('leased', l.tasks, l.seconds))
      d(state, tasks, seconds)
  order by c.id, d.state;
end;
