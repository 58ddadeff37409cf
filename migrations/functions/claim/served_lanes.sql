-- Those of an account's lanes whose tasks the worker may run, in the order in which they are served, see claim, and how
-- many tasks wait in them. If all lanes are equal, it does not matter how long their heads have waited. Every lane has
-- ready tasks, after its head. One row; the planner inlines it.
-- needs: aged_priority, lane_fits
create or replace function served_lanes(p_lanes int[], p_heads bigint[], p_counts int[], p_worker worker,
  p_bucket smallint, p_models text[], p_now timestamptz)
returns table (lanes int[], heads bigint[], counts int[], waiting int)
language sql stable
begin atomic
  select array_agg(o.id), array_agg(o.head), array_agg(o.n), coalesce(sum(o.n), 0)::int from (
    select u.id, u.head, u.n
    from (
      select l.id, k.head, k.n, l.priority, l.model = any(p_models) resident,
        min(l.priority) over () < max(l.priority) over ()
          or bool_or(l.model = any(p_models)) over () <> bool_and(l.model = any(p_models)) over () mixed,
        bool_or(l.model = any(p_models)) over () <> bool_and(l.model = any(p_models)) over () choice
      from (select unnest(p_lanes) id, unnest(p_heads) head, unnest(p_counts) n) k
      cross join lateral (
        select x.id, x.priority, x.model from lane x where x.id = k.id and lane_fits(x, p_worker, p_bucket) offset 0) l
      ) u
    left join lateral (
      select r.since from ready r
      where u.mixed and r.lane_id = u.id and r.seq > u.head order by r.seq limit 1) h on true
    order by case when u.mixed then aged_priority(u.priority, h.since, p_now) end desc,
      case when u.choice then h.since - case when u.resident then interval '1 minute' else interval '0' end end,
      u.head, u.id) o;
end;
