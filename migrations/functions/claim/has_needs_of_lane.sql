-- Whether a worker has the memory and capabilities that a lane's tasks need. A lane may need several capabilities,
-- separated by commas.
create or replace function has_needs_of_lane(p_lane lane, p_worker worker, p_bucket smallint)
returns boolean language sql stable
return p_lane.memory_bucket <= p_bucket
  and (p_lane.capability = '' or string_to_array(p_lane.capability, ',') <@ p_worker.capabilities);
