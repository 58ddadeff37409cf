-- As register_worker_v1; p_helps: those of p_kinds of which this worker also runs tasks of other classes.
create or replace function register_worker_v2(p_node text, p_device text, p_device_class text, p_kinds text[], p_capabilities text[],
  p_memory_bucket smallint, p_speed real, p_info json, p_helps text[], p_now timestamptz default clock_timestamp())
returns table (worker_id int, epoch int) language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  select r.worker_id, r.epoch into worker_id, epoch
  from register_worker_v1(p_node, p_device, p_device_class, p_kinds, p_capabilities, p_memory_bucket, p_speed, p_info, p_now) r;
  if worker_id is not null then
    update worker w set helps = p_helps where w.id = worker_id;
    return next;
  end if;
end
$$;
