-- The accounts that may share a claim, in turn order, and how many tasks of which lanes to examine: p_accounts of them,
-- or up to four times as many, until their tasks are enough for the claim. p_held: accounts whose leases the worker
-- holds; they may be served at their cap, because this device is one of their slots. Fields: versions/0001_baseline,
-- claim_turns.
--
-- The lanes of an account are in the order in which they are served, see claim. Accounts are found in order of
-- virtual time, from the class's clock on (index account_state_turn): first as many as share a claim if each has a
-- backlog, and only if their tasks are too few, all that may share it. The caller holds the class lock.
create or replace function read_turns(p_worker worker, p_bucket smallint, p_max_tasks int, p_models text[],
  p_clock float8, p_held int[], p_accounts int, p_now timestamptz)
returns claim_turns language plpgsql as $$
declare
  v_most constant int := greatest(p_accounts, least(4 * p_accounts, p_max_tasks));
  v_read int := least(v_most, p_accounts + p_accounts / 8);  -- how many may share it, of those read
  v_turn record;
  v_count int;
  v_examined int;
  v_left int;
  v_room int;
  v_horizon float8;
  v_spots tid[];
  v_ids int[];
  v_vtimes float8[];
  v_weights float8[];
  v_readys int[];
  v_quotas float8[];
  v_last_lanes int[];
  v_lanes int[];
  v_heads bigint[];
  v_counts int[];
begin
  loop
    v_count := 0;
    v_examined := 0;
    v_horizon := null;
    v_ids := '{}'::int[];
    v_last_lanes := '{}'::int[];
    v_lanes := '{}'::int[];
    v_heads := '{}'::bigint[];
    v_counts := '{}'::int[];
    for v_turn in
      select s.spot, s.account_id, s.vtime, s.weight, s.ready, count(*) over () n,
        s.quota_seconds - period_used(s.period_seconds, s.period_start, s.quota_period, p_now) quota_left, f.*
      from (
        (select z.ctid spot, z.* from account_state z
          where z.class_id = p_worker.class_id and z.ready > 0 and z.slots < z.cap and not z.paused and not z.over_quota
            and z.vtime >= p_clock
            and exists (select from lane l where l.id = any(z.lanes) and lane_fits(l, p_worker, p_bucket))
          order by z.vtime limit v_read + 1)
        union all  -- at its cap, but this device is one of its slots
        (select x.* from unnest(p_held) h(id)
          cross join lateral (
            select z.ctid spot, z.* from account_state z where z.account_id = h.id order by z.version desc limit 1) x
          where x.ready > 0 and x.slots >= x.cap and x.slots > 0 and not x.paused and not x.over_quota)) s
      cross join lateral served_lanes(s.lanes, s.heads, s.counts, p_worker, p_bucket, p_models, p_now) f
      order by s.vtime, s.account_id
    loop
      if v_count = v_read or v_count >= p_accounts and v_examined >= p_max_tasks then
        v_horizon := v_turn.vtime;
        exit;
      end if;
      v_count := v_count + 1;
      if v_count = 1 then
        v_room := case when v_turn.n < 2 then p_max_tasks
          else greatest(1, p_max_tasks / p_accounts, case when v_turn.n >= p_accounts
            then ceil(1.25 * p_max_tasks / p_accounts) else ceil(2.0 * p_max_tasks / v_turn.n) end)::int end;
      end if;
      v_spots[v_count] := v_turn.spot;
      v_ids[v_count] := v_turn.account_id;
      v_vtimes[v_count] := v_turn.vtime;
      v_weights[v_count] := v_turn.weight;
      v_readys[v_count] := v_turn.ready;
      v_quotas[v_count] := v_turn.quota_left;
      v_examined := v_examined + least(v_turn.waiting, v_room);
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
    exit when v_count < v_read or v_examined >= p_max_tasks or v_read = v_most;
    v_read := v_most;
  end loop;
  return (v_horizon, v_room, v_spots, v_ids, v_vtimes, v_weights, v_readys, v_quotas, v_last_lanes, v_lanes, v_heads,
    v_counts)::claim_turns;
end
$$;
