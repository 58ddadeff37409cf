-- Gives the user in each team the role that belongs to it, or takes the user out where that is null; p_teams and
-- p_roles are zipped. unknown: the names that no team has, or an archived one; ownerless: the teams that would have
-- lost their last owner, and were left alone. Indexes team_name_key, membership_pkey.
create or replace function follow_mapping(p_user_id bigint, p_teams text[], p_roles text[], p_request_id text,
  p_now timestamptz, out unknown text[], out ownerless text[])
language plpgsql set search_path = plimsoll, pg_temp as $$
declare
  v_team bigint;
  v_action text;
begin
  unknown := '{}';
  ownerless := '{}';
  for i in 1 .. cardinality(p_teams) loop
    select t.id into v_team from team t where t.name = p_teams[i] and t.archived_at is null;
    if not found then
      unknown := unknown || p_teams[i];
      continue;
    end if;
    begin
      if p_roles[i] is null then
        v_action := 'member.remove';
        delete from membership m where m.team_id = v_team and m.user_id = p_user_id;
      else
        v_action := 'member.set';
        insert into membership as m (team_id, user_id, role) values (v_team, p_user_id, p_roles[i])
        on conflict (team_id, user_id) do update set role = excluded.role where m.role <> excluded.role;
      end if;
      if found then
        insert into audit_event (team_id, user_id, action, target, request_id, data, at)
        values (v_team, p_user_id, v_action, p_user_id::text, p_request_id,
          json_strip_nulls(json_build_object('role', p_roles[i], 'by', 'identity provider')), p_now);
      end if;
    exception when sqlstate 'PLM02' then
      ownerless := ownerless || p_teams[i];
    end;
  end loop;
end
$$;
