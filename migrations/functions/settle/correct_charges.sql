-- Corrects charges to what was measured, and returns a device slot with an account's last lease on a worker. A
-- correction decays, and counts in the quota's period, like the charge that it corrects. p_accounts are distinct. The
-- caller holds the class lock and has updated the lease.
create or replace function correct_charges(p_class_id smallint, p_worker worker, p_accounts int[],
  p_corrections float8[]) returns void language plpgsql as $$
declare
  v_lowest float8;
begin
  with old as materialized (
    select s.*, c.seconds more, s.vtime + c.seconds / s.weight corrected, (not h.held)::int gone,
      s.over_quota and s.period_seconds + c.seconds >= s.quota_seconds still_over,
      s.ready > 0 and (s.over_quota or s.slots >= s.cap and s.slots - (not h.held)::int < s.cap) opens
    from unnest(p_accounts, p_corrections) c(account_id, seconds)
    cross join lateral (select exists (select from lease l
      where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence and c.account_id = any(l.holders)) held) h
    cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = c.account_id
      order by z.version desc limit 1) s
  ), changed as (
    update account_state t set version = o.version + 1, slots = o.slots - o.gone, usage = greatest(0, o.usage + o.more),
      period_seconds = greatest(0, o.period_seconds + o.more), over_quota = coalesce(o.still_over, false),
      vtime = case when o.opens then greatest(o.corrected, class_clock(p_class_id)) else o.corrected end
    from old o where t.ctid = o.spot
    returning t.vtime, t.ready > 0 and t.slots < t.cap and not t.paused and not t.over_quota is_open
  )
  select min(vtime) filter (where is_open) into v_lowest from changed;
  if v_lowest is not null then
    update class_state c set version = n.version + 1, vclock = v_lowest
    from (select o.ctid spot, o.version, o.vclock from class_state o where o.class_id = p_class_id
      order by o.version desc limit 1) n
    where c.ctid = n.spot and n.vclock > v_lowest;
  end if;
end
$$;
