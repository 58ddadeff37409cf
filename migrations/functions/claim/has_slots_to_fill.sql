-- Whether an account at its cap has ready tasks and already holds this device as one of its slots.
create or replace function has_slots_to_fill(p_worker worker) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from (
      select distinct unnest(l.holders) id from lease l
      where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence) h
    cross join lateral (select z.* from account_state z where z.account_id = h.id order by z.version desc limit 1) s
    where s.ready > 0 and s.slots >= s.cap and s.slots > 0 and not s.paused and not s.over_quota);
end
$$;
