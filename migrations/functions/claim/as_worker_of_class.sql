-- The worker as a helper of another class: as if it were a device of that class, for the kinds that it helps with.
create or replace function as_worker_of_class(p_worker worker, p_class_id smallint)
returns worker language plpgsql stable as $$
begin
  p_worker.class_id := p_class_id;
  p_worker.kinds := p_worker.helps;
  return p_worker;
end
$$;
