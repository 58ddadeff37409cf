-- Asks a device to free what it keeps between tasks. outcome: asked; waiting (the previous request is not answered yet
-- and covers this one); gone (no live worker). No row: the device does not exist.
create or replace function request_cleanup(p_node text, p_device text, p_user_id bigint,
  p_now timestamptz default clock_timestamp())
returns table (outcome text) language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_worker worker;
  v_asked int;
begin
  select * into v_worker from worker w where w.node = p_node and w.device = p_device;
  if not found then
    return;
  end if;
  if not worker_is_alive(v_worker, v_worker.epoch, p_now) then
    return query select 'gone';
    return;
  end if;
  delete from device_cleanup c where c.worker_id = v_worker.id and c.ended_at is not null;
  insert into device_cleanup (worker_id, user_id, asked_at) values (v_worker.id, p_user_id, p_now)
  on conflict (worker_id) do nothing;
  get diagnostics v_asked = row_count;
  perform pg_notify('plimsoll_worker', v_worker.id::text);
  return query select case v_asked when 1 then 'asked' else 'waiting' end;
end
$$;
