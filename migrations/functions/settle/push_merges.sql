-- Starts the merges of jobs whose last task has ended. Lanes are looked up once for all jobs that share one; a merge is
-- estimated from its number of tasks. The caller holds the lock of the jobs' own class; host, where merges run, is
-- last.
create or replace function push_merges(p_jobs bigint[], p_now timestamptz) returns void language plpgsql as $$
declare
  v_host smallint;
  v_low bigint;
  v_high bigint;
  v_jobs bigint[];  -- these and the two below have one element per job
  v_tasks int[];
  v_places int[];  -- index of its lane among those below
  v_teams bigint[];
  v_kinds text[];
  v_kind_versions smallint[];
  v_priorities smallint[];
  v_lanes int[];
begin
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  select id into strict v_host from device_class where name = 'host';
  select array_agg(x.id order by x.ord), array_agg(x.tasks_total order by x.ord), array_agg(x.place order by x.ord),
    array_agg(x.team_id order by x.place) filter (where x.n = 1),
    array_agg(x.kind order by x.place) filter (where x.n = 1),
    array_agg(x.kind_version order by x.place) filter (where x.n = 1),
    array_agg(x.priority order by x.place) filter (where x.n = 1)
  into v_jobs, v_tasks, v_places, v_teams, v_kinds, v_kind_versions, v_priorities
  from (
    select u.ord, j.*, dense_rank() over (order by j.team_id, j.kind, j.kind_version, j.priority)::int place,
      row_number() over (partition by j.team_id, j.kind, j.kind_version, j.priority) n
    from unnest(p_jobs) with ordinality u(id, ord)
    cross join lateral (select x.id, x.team_id, x.kind, x.kind_version, x.priority, x.tasks_total from job x
      where x.id = u.id and x.id between v_low and v_high offset 0) j) x;
  perform lock_class(v_host);
  v_lanes := ensure_lanes(v_teams, array_fill(v_host, array[cardinality(v_teams)]), v_kinds, v_kind_versions,
    array_fill(''::text, array[cardinality(v_teams)]), array_fill(0::smallint, array[cardinality(v_teams)]),
    array_fill(''::text, array[cardinality(v_teams)]), v_priorities);
  perform push_ready(v_host, array_agg(v_lanes[j.place]), array_agg(j.id), array_agg(j.tasks),
    array_agg((0.001::float8 + 0.0002::float8 * j.tasks)::real),
    array_agg(1::smallint), array_agg(0::smallint), p_now)
  from unnest(v_jobs, v_tasks, v_places) j(id, tasks, place);
end
$$;
