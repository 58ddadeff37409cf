-- Pauses the accounts of a team, or resumes them where they were, or at the clock if that is ahead.
create or replace function pause_accounts(p_team text) returns void language plpgsql as $$
begin
  update account_state t set version = o.version + 1, vtime = greatest(o.vtime, class_clock(o.class_id)),
    paused = exists (select from hold h where h.scope = 'team' and h.subject = p_team)
  from (select z.ctid spot, z.* from account a cross join lateral (
      select y.ctid, y.* from account_state y where y.account_id = a.id order by y.version desc limit 1) z
    where a.team_id = p_team::bigint) o
  where t.ctid = o.spot;
end
$$;
