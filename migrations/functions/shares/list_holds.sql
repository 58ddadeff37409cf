-- The holds that concern a team: all holds of devices, and its own; null: all. running: tasks still running there; for
-- a class, those of its lanes and those on its devices.
-- needs: assert_team
create or replace function list_holds(p_team_id bigint)
returns table (id bigint, scope text, subject text, team_name text, node text, device text, mode text, reason text,
  by_admin boolean, by_name text, at timestamptz, running bigint)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select assert_team(p_team_id);
  select h.id, h.scope, h.subject, t.name, coalesce(w.node, case h.scope when 'node' then h.subject end), w.device,
    h.mode, h.reason, h.by_admin, u.name, h.at,
    (select count(*) from lease l cross join lateral unnest(l.accounts) x(account_id)
      join worker v on v.id = l.worker_id join account a on a.id = x.account_id
      where case h.scope when 'team' then a.team_id::text = h.subject
        when 'device_class' then exists (
          select from device_class c where c.name = h.subject and c.id in (l.class_id, v.class_id))
        when 'node' then v.node = h.subject else v.id::text = h.subject end)
  from hold h left join team t on h.scope = 'team' and t.id::text = h.subject
    left join worker w on h.scope = 'device' and w.id::text = h.subject left join app_user u on u.id = h.user_id
  where p_team_id is null or h.scope <> 'team' or h.subject = p_team_id::text order by h.at desc, h.id desc;
end;
