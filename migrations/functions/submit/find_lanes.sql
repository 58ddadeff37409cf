-- The device class and lane of each job of a submit, null if the lane does not exist yet, and whether any of the teams
-- may have a limit or a quota. One element per job, as in enqueue. If all jobs share a lane, it is looked up once.
-- Lanes are never deleted, so a caller that creates missing ones (ensure_lanes) need not look again. Index: lane's key.
create or replace function find_lanes(p_teams bigint[], p_device_classes text[], p_kinds text[],
  p_kind_versions smallint[], p_capabilities text[], p_memory_buckets smallint[], p_models text[],
  p_priorities smallint[], out classes smallint[], out lanes int[], out limited boolean)
language plpgsql as $$
begin
  if p_teams[1] = all (p_teams) and p_device_classes[1] = all (p_device_classes) and p_kinds[1] = all (p_kinds)
      and p_kind_versions[1] = all (p_kind_versions) and p_capabilities[1] = all (p_capabilities)
      and p_memory_buckets[1] = all (p_memory_buckets) and p_models[1] = all (p_models)
      and p_priorities[1] = all (p_priorities) then
    select array_fill(c.id, array[cardinality(p_teams)]), array_fill(l.id, array[cardinality(p_teams)]),
      t.team_id is not null
    into classes, lanes, limited
    from device_class c
    left join account a on a.team_id = p_teams[1] and a.class_id = c.id
    left join lane l on l.account_id = a.id and l.kind = p_kinds[1] and l.kind_version = p_kind_versions[1]
      and l.capability = p_capabilities[1] and l.memory_bucket = p_memory_buckets[1] and l.model = p_models[1]
      and l.priority = p_priorities[1]
    left join team_limit t on t.team_id = p_teams[1]
    where c.name = p_device_classes[1];
    return;
  end if;
  select array_agg(x.class_id), array_agg(x.lane_id), bool_or(x.limited) into classes, lanes, limited from (
    select c.id class_id, l.id lane_id, t.team_id is not null limited
    from generate_series(1, cardinality(p_teams)) i
    left join device_class c on c.name = p_device_classes[i]
    left join account a on a.team_id = p_teams[i] and a.class_id = c.id
    left join lane l on l.account_id = a.id and l.kind = p_kinds[i] and l.kind_version = p_kind_versions[i]
      and l.capability = p_capabilities[i] and l.memory_bucket = p_memory_buckets[i] and l.model = p_models[i]
      and l.priority = p_priorities[i]
    left join team_limit t on t.team_id = p_teams[i] order by i offset 0) x;
end
$$;
