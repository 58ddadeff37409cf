-- Whether the workers of a node have nothing to do: in their classes, no task is ready (of a team that may run),
-- leased, or due within a minute. False for a node without workers.
-- needs: lease_ttl
create or replace function node_is_idle(p_node text, p_now timestamptz default clock_timestamp())
returns boolean language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select coalesce(not bool_or(
    exists (select from account_state s
      where s.class_id = c.class_id and s.ready > 0 and s.cap > 0 and not s.paused and not s.over_quota)
    or exists (select from lease l where l.class_id = c.class_id)
    or exists (select from scheduled d
      where d.class_id = c.class_id and d.run_at < p_now + interval '1 minute')), false)
  from (select distinct w.class_id from worker w
    where w.node = p_node and w.state = 'active' and w.seen_at > p_now - lease_ttl()) c;
end;
