-- Holds begin and end under the locks of all classes, because a worker of any class may claim in another.
create or replace function lock_all_classes() returns void language plpgsql as $$
declare
  v_class smallint;
begin
  for v_class in select c.id from device_class c order by c.id loop
    perform lock_class(v_class);
  end loop;
end
$$;
