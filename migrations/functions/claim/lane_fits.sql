-- Whether a worker may run a lane's tasks. A lane may need several capabilities, separated by commas. Stable, like
-- everything it calls: otherwise the planner cannot inline it and plans it at every call.
create or replace function lane_fits(p_lane lane, p_worker worker, p_bucket smallint)
returns boolean language sql stable
return p_lane.memory_bucket <= p_bucket and (p_lane.kind || ':' || p_lane.kind_version) = any(p_worker.kinds)
  and (p_lane.capability = '' or string_to_array(p_lane.capability, ',') <@ p_worker.capabilities);
