-- Those of an account's lanes whose tasks the worker may run, in the order in which they are served, see claim. If all
-- are equal, it does not matter how long their heads have waited. Every lane has ready tasks, after its head.
create or replace function order_lanes(inout lanes int[], inout heads bigint[], inout counts int[], p_worker worker,
  p_bucket smallint, p_models text[], p_now timestamptz)
language plpgsql stable as $$
begin
  select array_agg(o.id), array_agg(o.head), array_agg(o.n) into lanes, heads, counts from (
    select u.id, u.head, u.n
    from (
      select l.id, k.head, k.n, l.priority, l.model = any(p_models) resident,
        min(l.priority) over () < max(l.priority) over ()
          or bool_or(l.model = any(p_models)) over () <> bool_and(l.model = any(p_models)) over () mixed,
        bool_or(l.model = any(p_models)) over () <> bool_and(l.model = any(p_models)) over () choice
      from unnest(lanes, heads, counts) k(id, head, n) join lane l on l.id = k.id
      where lane_fits(l, p_worker, p_bucket)) u
    left join lateral (
      select r.since from ready r
      where u.mixed and r.lane_id = u.id and r.seq > u.head order by r.seq limit 1) h on true
    order by case when u.mixed then aged_priority(u.priority, h.since, p_now) end desc,
      case when u.choice then h.since - case when u.resident then interval '1 minute' else interval '0' end end,
      u.head, u.id) o;
end
$$;
