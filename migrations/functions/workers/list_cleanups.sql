-- The last cleanup request to each device. result: as the worker reported it.
create or replace function list_cleanups()
returns table (worker_id int, asked_by text, asked_at timestamptz, ended_at timestamptz, result json)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select c.worker_id, u.name, c.asked_at, c.ended_at, c.result from device_cleanup c
  left join app_user u on u.id = c.user_id;
end;
