-- The accounts that may share a claim, in turn order, and how many tasks of which lanes to examine: p_accounts of them,
-- or up to four times as many, until their tasks are enough for the claim. p_held: accounts whose leases the worker
-- holds; they may be served at their cap, because this device is one of their slots. Fields: versions/0001_baseline,
-- claim_turns.
--
-- The lanes of an account are in the order in which they are served, see claim. Accounts are found in order of
-- virtual time, from the class's clock on (index account_state_turn), and read one at a time. The caller holds the
-- class lock.
create or replace function read_turns(p_worker worker, p_bucket smallint, p_max_tasks int, p_models text[],
  p_clock float8, p_held int[], p_accounts int, p_now timestamptz)
returns claim_turns language plpgsql as $$
declare
  v_most constant int := greatest(p_accounts, least(4 * p_accounts, p_max_tasks));
  v_accounts tid[];  -- in turn order, one more than may share the claim
  v_turns cursor for
    select c.spot, s.account_id, s.vtime, s.weight, s.ready,
      s.quota_seconds - period_used(s.period_seconds, s.period_start, s.quota_period, p_now) quota_left, f.*
    from unnest(v_accounts) c(spot) join account_state s on s.ctid = c.spot
    cross join lateral (
      select array_agg(o.id) lanes, array_agg(o.head) heads, array_agg(o.n) counts,
        coalesce(sum(o.n), 0)::int waiting,
        min(o.priority) < max(o.priority) or bool_or(o.resident) <> bool_and(o.resident) mixed
      from (
        select l.id, u.head, u.n, l.priority, l.model = any(p_models) resident
        from (select unnest(s.lanes) id, unnest(s.heads) head, unnest(s.counts) n) u join lane l on l.id = u.id
        where lane_fits(l, p_worker, p_bucket) order by u.head, l.id) o) f;
  v_sharing int;
  v_count int := 0;
  v_examined int := 0;
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
  select array_agg(x.spot order by x.vtime, x.account_id), least(p_accounts, count(*)) into v_accounts, v_sharing from (
    (select s.ctid spot, s.vtime, s.account_id from account_state s
      where s.class_id = p_worker.class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.over_quota
        and s.vtime >= p_clock
        and exists (select from lane l where l.id = any(s.lanes) and lane_fits(l, p_worker, p_bucket))
      order by s.vtime limit v_most + 1)
    union all  -- at its cap, but this device is one of its slots
    (select s.spot, s.vtime, s.account_id from unnest(p_held) h(id)
      cross join lateral (
        select z.ctid spot, z.* from account_state z where z.account_id = h.id order by z.version desc limit 1) s
      where s.ready > 0 and s.slots >= s.cap and s.slots > 0 and not s.paused and not s.over_quota)) x;
  v_room := case when v_sharing < 2 then p_max_tasks
    else greatest(1, p_max_tasks / p_accounts, case v_sharing
      when p_accounts then ceil(1.25 * p_max_tasks / p_accounts) else ceil(2.0 * p_max_tasks / v_sharing) end)::int end;
  for v_turn in v_turns loop
    if v_count = v_most or v_count >= p_accounts and v_examined >= p_max_tasks then
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
    v_examined := v_examined + least(v_turn.waiting, v_room);
    if v_turn.mixed then  -- otherwise their order is that of their heads
      select o.lanes, o.heads, o.counts into v_turn.lanes, v_turn.heads, v_turn.counts
      from order_lanes(v_turn.lanes, v_turn.heads, v_turn.counts, p_worker, p_bucket, p_models, p_now) o;
    end if;
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
