-- Filters that members saved. Run in a transaction that has set app.team_id.

-- name: saved_views.list
-- $1 team, $2 user. Index saved_view_name.
select id, page, name, query, created_at from plimsoll.saved_view
where team_id = $1::bigint and user_id = $2::bigint order by page, name;

-- name: saved_views.put
-- $1 team, $2 user, $3 page, $4 name, $5 query, $6 the member's limit. No row: the limit is reached.
insert into plimsoll.saved_view as v (team_id, user_id, page, name, query)
select $1::bigint, $2::bigint, $3::text, $4::text, $5::text
where (select count(*) from plimsoll.saved_view o
  where o.team_id = $1 and o.user_id = $2 and (o.page, o.name) is distinct from ($3, $4)) < $6::int
on conflict (team_id, user_id, page, name) do update set query = excluded.query
returning v.id, v.page, v.name, v.query, v.created_at;

-- name: saved_views.delete
-- $1 id, $2 user. No row: not found. Index saved_view_pkey.
delete from plimsoll.saved_view where id = $1::bigint and user_id = $2::bigint returning id;
