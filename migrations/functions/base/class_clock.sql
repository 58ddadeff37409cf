-- The virtual clock of a device class: a lower bound on the virtual time of every account that could run.
create or replace function class_clock(p_class_id smallint) returns float8 language plpgsql stable as $$
begin
  return (select vclock from class_state where class_id = p_class_id order by version desc limit 1);
end
$$;
