-- assert_team for several teams at once. Checks the role that the client logged in as or set, not the function's owner.
create or replace function assert_teams(p_teams bigint[]) returns void language plpgsql stable as $$
declare
  v_named constant text := nullif(current_setting('app.team_id', true), '');
begin
  if v_named::bigint = all (p_teams)
    or p_teams <@ nullif(current_setting('app.teams', true), '')::bigint[]
    or current_setting('app.system', true) = 'on'
    or pg_has_role(coalesce(nullif(current_setting('role'), 'none')::name, session_user), 'plimsoll_queue', 'member')
  then
    return;
  end if;
  raise exception 'a call for team % in a transaction of %', array_to_string(p_teams, ', ', 'all'),
    coalesce('team ' || v_named, 'teams ' || nullif(current_setting('app.teams', true), ''), 'no team')
    using errcode = 'PLM04';
end
$$;
