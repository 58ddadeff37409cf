-- Stops or allows new claims of a worker; the response to its heartbeat says so. Returns whether the worker exists.
create or replace function drain_worker(p_worker_id int, p_drain boolean) returns boolean
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  update worker set state = case when p_drain then 'draining' else 'active' end
  where id = p_worker_id and state in ('active', 'draining');
  perform pg_notify('plimsoll_worker', p_worker_id::text) where found;
  return found;
end
$$;
