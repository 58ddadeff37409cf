-- Writes the audit row of each user's submits: of the jobs for which p_new is true. One element per job, as in enqueue.
-- Those of one user, as in most calls, need no sort: their IDs grow.
create or replace function audit_submits(p_teams bigint[], p_users bigint[], p_ids bigint[], p_new boolean[],
  p_now timestamptz) returns void language plpgsql as $$
declare
  v_count constant int := cardinality(p_ids);
begin
  if p_teams[1] = all (p_teams) and p_users[1] = all (p_users) and true = all (p_new) then
    insert into audit_event (team_id, user_id, at, action, first_job, last_job, target, data)
    values (p_teams[1], p_users[1], p_now, 'job.create', p_ids[1], nullif(p_ids[v_count], p_ids[1]),
      case v_count when 1 then p_ids[1]::text end,
      case v_count when 1 then coalesce(nullif(current_setting('app.audit', true), ''), '{}')::jsonb
        else jsonb_build_object('jobs', to_jsonb(p_ids::text[])) end);
    return;
  end if;
  insert into audit_event (team_id, user_id, at, action, first_job, last_job, target, data)
  select u.team_id, u.user_id, p_now, 'job.create', min(u.id), nullif(max(u.id), min(u.id)),
    case count(*) when 1 then min(u.id)::text end,
    case count(*) when 1 then coalesce(nullif(current_setting('app.audit', true), ''), '{}')::jsonb
      else jsonb_build_object('jobs', jsonb_agg(u.id::text order by u.id)) end
  from unnest(p_teams, p_users, p_ids, p_new) u(team_id, user_id, id, is_new) where u.is_new group by 1, 2 order by 5;
end
$$;
