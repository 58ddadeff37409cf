-- The accounts that may share a claim, at most p_accounts, in turn order, and how many tasks of which of their lanes to
-- examine. p_held: accounts whose leases the worker holds; they may be served at their cap, because this device is one
-- of their slots. Fields: versions/0001_baseline, claim_turns.
--
-- The lanes of an account are in the order in which they are served, see claim. Accounts are found in order of
-- virtual time, from the class's clock on (index account_state_turn). The caller holds the class lock.
create or replace function read_turns(p_worker worker, p_bucket smallint, p_max_tasks int, p_models text[],
  p_clock float8, p_held int[], p_accounts int, p_now timestamptz)
returns claim_turns language plpgsql as $$
declare
  v_turn record;
  v_count int := 0;
  v_left int;
  v_room int;
  v_horizon float8;
  v_spots tid[];
  v_ids int[] := '{}';
  v_vtimes float8[];
  v_weights float8[];
  v_readys int[];
  v_quotas float8[];
  v_last_lanes int[] := '{}';
  v_lanes int[] := '{}';
  v_heads bigint[] := '{}';
  v_counts int[] := '{}';
begin
  for v_turn in
    select x.spot, x.account_id, x.vtime, x.weight, x.ready,
      x.quota_seconds - period_used(x.period_seconds, x.period_start, x.quota_period, p_now) quota_left,
      least(p_accounts, x.n)::int accounts, f.*
    from (
      select t.*, count(*) over () n from (
        (select s.ctid spot, s.* from account_state s
          where s.class_id = p_worker.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.over_quota
            and s.vtime >= p_clock
            and exists (
              select from unnest(s.lanes) u(id) join lane l on l.id = u.id where lane_fits(l, p_worker, p_bucket))
          order by s.vtime limit p_accounts + 1)
        union all  -- at its cap, but this device is one of its slots
        (select s.* from unnest(p_held) h(id)
          cross join lateral (
            select z.ctid spot, z.* from account_state z where z.account_id = h.id order by z.version desc limit 1) s
          where s.ready > 0 and s.slots >= s.cap and s.slots > 0 and not s.paused and not s.over_quota)) t
      order by t.vtime, t.account_id limit p_accounts + 1) x
    cross join lateral (
      -- If all lanes of an account are equal, it does not matter how long their heads have waited.
      select array_agg(o.id) lanes, array_agg(o.head) heads, array_agg(o.n) counts, sum(o.n)::int waiting
      from (
        select w.id, w.head, w.n from (
          select l.id, u.head, u.n, l.priority, l.model = any(p_models) resident,
            min(l.priority) over () < max(l.priority) over ()
              or bool_or(l.model = any(p_models)) over () <> bool_and(l.model = any(p_models)) over () mixed,
            bool_or(l.model = any(p_models)) over () <> bool_and(l.model = any(p_models)) over () choice
          from unnest(x.lanes, x.heads, x.counts) u(id, head, n) join lane l on l.id = u.id
          where lane_fits(l, p_worker, p_bucket)) w
        left join lateral (
          select r.since from ready r
          where w.mixed and r.lane_id = w.id and r.seq > w.head order by r.seq limit 1) h on true
        order by case when w.mixed then aged_priority(w.priority, h.since, p_now) end desc,
          case when w.choice then h.since - case when w.resident then interval '1 minute' else interval '0' end end,
          w.head, w.id) o) f
    order by x.vtime, x.account_id
  loop
    if v_count = p_accounts then
      v_horizon := v_turn.vtime;
      exit;
    end if;
    v_count := v_count + 1;
    v_spots[v_count] := v_turn.spot;
    v_ids[v_count] := v_turn.account_id;
    v_vtimes[v_count] := v_turn.vtime;
    v_weights[v_count] := v_turn.weight;
    v_readys[v_count] := v_turn.ready;
    v_quotas[v_count] := v_turn.quota_left;
    v_room := case v_turn.accounts when 1 then p_max_tasks
      else greatest(1, p_max_tasks / p_accounts, case v_turn.accounts
        when p_accounts then ceil(1.25 * p_max_tasks / p_accounts)
        else ceil(2.0 * p_max_tasks / v_turn.accounts) end)::int end;
    if v_turn.waiting > v_room then
      v_left := v_room;
      for i in 1 .. cardinality(v_turn.lanes) loop
        exit when v_left <= 0;
        v_lanes := v_lanes || v_turn.lanes[i];
        v_heads := v_heads || v_turn.heads[i];
        v_counts := v_counts || least(v_left, v_turn.counts[i]);
        v_left := v_left - v_turn.counts[i];
      end loop;
    else
      v_lanes := v_lanes || v_turn.lanes;
      v_heads := v_heads || v_turn.heads;
      v_counts := v_counts || v_turn.counts;
    end if;
    v_last_lanes[v_count] := cardinality(v_lanes);
  end loop;
  return (v_horizon, v_room, v_spots, v_ids, v_vtimes, v_weights, v_readys, v_quotas, v_last_lanes, v_lanes, v_heads,
    v_counts)::claim_turns;
end
$$;
