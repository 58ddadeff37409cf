-- Tells the accounts that their lanes (distinct) got tasks, the first at seq p_firsts, which may be behind the lane's
-- head: others drew their numbers later and were claimed meanwhile. The head then moves back. Returns whether one of
-- the lanes was empty: only then can an idle worker have found nothing before and something now. Workers were notified
-- of tasks that already wait in a lane when these arrived, and claim again whenever they have capacity. The caller
-- holds the class lock.
--
-- An account that had nothing ready starts at starting_vtime. A single lane, as in most submits and every merge, takes
-- a shorter path to the same row.
create or replace function add_ready(p_class_id smallint, p_lanes int[], p_firsts bigint[], p_counts int[],
  p_now timestamptz)
returns boolean language plpgsql as $$
declare
  v_old record;
  v_place int;
  v_opened boolean;
begin
  if cardinality(p_lanes) = 1 then
    select s.* into v_old from lane l
    cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = l.account_id
      order by z.version desc limit 1) s
    where l.id = p_lanes[1];
    v_place := array_position(v_old.lanes, p_lanes[1]);
    v_opened := v_place is null;
    v_place := coalesce(v_place, cardinality(v_old.lanes) + 1);
    v_old.lanes[v_place] := p_lanes[1];
    v_old.heads[v_place] := least(v_old.heads[v_place], p_firsts[1] - 1);
    v_old.counts[v_place] := coalesce(v_old.counts[v_place], 0) + p_counts[1];
    if v_old.ready = 0 then
      v_old.vtime := starting_vtime(p_class_id, v_old.weight, v_old.vtime, v_old.usage, v_old.decayed_at, p_now);
    end if;
    update account_state set version = v_old.version + 1, ready = v_old.ready + p_counts[1], lanes = v_old.lanes,
      heads = v_old.heads, counts = v_old.counts, vtime = v_old.vtime
    where ctid = v_old.spot;
    return v_opened;
  end if;
  with changed as (
    update account_state t set version = o.version + 1, ready = o.ready + m.more, lanes = m.lanes, heads = m.heads,
      counts = m.counts, vtime = case when o.ready > 0 then o.vtime
        else starting_vtime(p_class_id, o.weight, o.vtime, o.usage, o.decayed_at, p_now) end
    from (
      select l.account_id, array_agg(u.lane_id) lanes, array_agg(u.first) firsts, array_agg(u.n) counts
      from unnest(p_lanes, p_firsts, p_counts) u(lane_id, first, n) join lane l on l.id = u.lane_id group by 1) x
    cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = x.account_id
      order by z.version desc limit 1) o
    cross join lateral (
      select sum(a.more)::int more, array_agg(a.lane_id) lanes, array_agg(a.head) heads, array_agg(a.n) counts,
        bool_or(a.opened) opened
      from (
        select c.lane_id, least(c.head, x.firsts[c.place] - 1) head, c.n + coalesce(x.counts[c.place], 0) n,
          x.counts[c.place] more, false opened
        from (
          select k.*, array_position(x.lanes, k.lane_id) place
          from unnest(o.lanes, o.heads, o.counts) k(lane_id, head, n)) c
        union all
        select k.lane_id, k.first - 1, k.n, k.n, true
        from unnest(x.lanes, x.firsts, x.counts) k(lane_id, first, n) where k.lane_id <> all (o.lanes)) a) m
    where t.ctid = o.spot returning m.opened
  )
  select bool_or(c.opened) into v_opened from changed c;
  return v_opened;
end
$$;
