-- Whether a hold applies to the worker's device, node or class.
create or replace function is_held(p_worker worker) returns boolean language plpgsql stable as $$
begin
  return exists (select from hold h where h.scope = 'device_class'
    and h.subject = (select c.name from device_class c where c.id = p_worker.class_id))
    or exists (select from hold h where h.scope = 'node' and h.subject = p_worker.node)
    or exists (select from hold h where h.scope = 'device' and h.subject = p_worker.id::text);
end
$$;
