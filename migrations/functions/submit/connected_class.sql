-- The first of these classes ("gpu,cpu,host") with a connected device that accepts work; none: the last.
-- needs: lease_ttl
create or replace function connected_class(p_classes text, p_now timestamptz default clock_timestamp())
returns text language sql stable security definer set search_path = plimsoll, pg_temp as $$
  select coalesce(
    (select u.name from unnest(string_to_array(p_classes, ',')) with ordinality u(name, place)
     where exists (select from worker w join device_class c on c.id = w.class_id
       where c.name = u.name and w.state = 'active' and w.seen_at > p_now - lease_ttl())
     order by u.place limit 1),
    split_part(p_classes, ',', -1))
$$;
