-- Stable, as what it consists of: otherwise the planner may not inline it and plans it anew at every call.
create or replace function lane_fits(p_lane lane, p_worker worker, p_bucket smallint)
returns boolean language sql stable
return p_lane.memory_bucket <= p_bucket and (p_lane.kind || ':' || p_lane.kind_version) = any(p_worker.kinds)
  and (p_lane.capability = '' or p_lane.capability = any(p_worker.capabilities));
