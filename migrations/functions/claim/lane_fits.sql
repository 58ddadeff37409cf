-- Whether a worker may run a lane's tasks: it has what they need, or no worker has. Stable, like everything it calls:
-- otherwise the planner cannot inline it and plans it at every call.
-- needs: has_needs_of_lane
create or replace function lane_fits(p_lane lane, p_worker worker, p_bucket smallint)
returns boolean language sql stable
return (p_lane.kind || ':' || p_lane.kind_version) = any(p_worker.kinds)
  and (p_lane.unserved or has_needs_of_lane(p_lane, p_worker, p_bucket));
