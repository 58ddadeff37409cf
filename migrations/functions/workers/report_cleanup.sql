-- A worker's answer to a cleanup request: p_result has kept_bytes, freed_bytes. False: the worker has another epoch by
-- now, or another request was made.
create or replace function report_cleanup(p_worker_id int, p_epoch int, p_cleanup bigint, p_result json,
  p_now timestamptz default clock_timestamp())
returns boolean language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  update device_cleanup c set ended_at = p_now, result = p_result
  where c.worker_id = p_worker_id and c.id = p_cleanup and c.ended_at is null
    and exists (select from worker w where w.id = p_worker_id and w.epoch = p_epoch);
  return found;
end
$$;
