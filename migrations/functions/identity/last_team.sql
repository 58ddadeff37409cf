-- The team that the user was in last, of those that are not archived; null: in no team. Indexes membership_member,
-- session_member.
create or replace function last_team(p_user_id bigint) returns bigint
language sql stable set search_path = plimsoll, pg_temp as $$
  select m.team_id from membership m join team t on t.id = m.team_id
  where m.user_id = p_user_id and t.archived_at is null
  order by (select max(s.id) from session s where s.user_id = m.user_id and s.team_id = m.team_id) desc nulls last,
    m.team_id
  limit 1
$$;
