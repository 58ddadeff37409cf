-- Stable, like everything it calls: otherwise the planner cannot inline it and plans it at every call.
-- needs: lease_ttl
create or replace function worker_is_alive(p_worker worker, p_epoch int, p_now timestamptz)
returns boolean language sql stable
return p_worker.epoch = p_epoch and p_worker.state = 'active' and p_worker.seen_at > p_now - lease_ttl();
