-- The IDs of the lanes with the given keys, in order. Creates missing accounts and lanes; keys that already have their
-- lane are neither looked up nor inserted again.
create or replace function ensure_lanes(p_teams bigint[], p_classes smallint[], p_kinds text[],
  p_kind_versions smallint[], p_capabilities text[], p_memory_buckets smallint[], p_models text[],
  p_priorities smallint[])
returns int[] language plpgsql as $$
declare
  v_lanes int[];
begin
  for attempt in 1 .. 2 loop
    v_lanes := array(
      select coalesce(v_lanes[i], (select l.id from account a join lane l on l.account_id = a.id
        where a.team_id = p_teams[i] and a.class_id = p_classes[i] and l.kind = p_kinds[i]
          and l.kind_version = p_kind_versions[i]
          and l.capability = p_capabilities[i] and l.memory_bucket = p_memory_buckets[i] and l.model = p_models[i]
          and l.priority = p_priorities[i]))
      from generate_series(1, cardinality(p_teams)) i order by i);
    exit when array_position(v_lanes, null) is null;
    with made as (
      insert into account (team_id, class_id)
      select distinct t, c from unnest(p_teams, p_classes) with ordinality k(t, c, place) where v_lanes[place] is null
      on conflict do nothing returning id, class_id, team_id)
    insert into account_state (account_id, class_id, paused)  -- a hold of a team applies to accounts created later
    select id, class_id, exists (select from hold h where h.scope = 'team' and h.subject = team_id::text) from made;
    insert into lane (account_id, kind, kind_version, capability, memory_bucket, model, priority)
    select distinct a.id, k.kind, k.kind_version, k.capability, k.memory_bucket, k.model, k.priority
    from unnest(p_teams, p_classes, p_kinds, p_kind_versions, p_capabilities, p_memory_buckets, p_models,
      p_priorities) with ordinality
      k(team_id, class_id, kind, kind_version, capability, memory_bucket, model, priority, place)
    join account a on a.team_id = k.team_id and a.class_id = k.class_id
    where v_lanes[k.place] is null
    on conflict do nothing;
  end loop;
  return v_lanes;
end
$$;
