-- Corrects charges to what was measured, and returns a device slot with an account's last lease on a worker. A
-- correction decays, and counts in the quota's period, like the charge that it corrects. p_accounts are distinct. The
-- caller holds the class lock and has updated the lease.
create or replace function correct_charges(p_class_id smallint, p_worker worker, p_accounts int[],
  p_corrections float8[]) returns void language plpgsql as $$
declare
  v_lowest float8;
begin
  with changed as (
    update account_state t set version = t.version + 1, slots = t.slots - c.gone, usage = greatest(0, t.usage + c.more),
      period_seconds = greatest(0, t.period_seconds + c.more),
      over_quota = coalesce(t.over_quota and t.period_seconds + c.more >= t.quota_seconds, false),
      vtime = case when t.ready > 0 and (t.over_quota or t.slots >= t.cap and t.slots - c.gone < t.cap)
        then greatest(t.vtime + c.more / t.weight, class_clock(p_class_id)) else t.vtime + c.more / t.weight end
    from (
      select u.more, (u.account_id <> all (array(select unnest(l.holders) from lease l
          where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence)))::int gone,
        (select z.ctid from account_state z where z.account_id = u.account_id order by z.version desc limit 1) spot
      from (select unnest(p_accounts) account_id, unnest(p_corrections) more) u offset 0) c
    where t.ctid = c.spot
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
