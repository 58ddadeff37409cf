-- Refuses, with PLM04, a call for a team other than the transaction's (app.team_id, or one of app.teams), so that a
-- wrong argument cannot cross teams. Every function that takes a team and runs with its owner's rights calls it first.
-- Null (all teams) requires a transaction across teams (app.system). Roles that may act as plimsoll_queue, such as the
-- migrator's, name no team and are exempt.
create or replace function assert_team(p_team_id bigint) returns void language plpgsql stable as $$
begin
  perform assert_teams(array[p_team_id]);
end
$$;
