-- Somebody asks a device to let go of what its worker keeps between tasks: weights, arenas, programs, idle buffers.
set local role plimsoll_owner;
set local search_path = plimsoll;

-- The last request for each device. It stands until the worker tells what became of it, also over a restart.
create table device_cleanup (
  worker_id int primary key references worker on delete cascade,
  id bigint generated always as identity,
  user_id bigint not null,
  asked_at timestamptz not null,
  ended_at timestamptz,  -- null: the worker has not told yet
  result json
);
grant select, insert, update, delete on device_cleanup to plimsoll_queue;

set local role plimsoll_queue;
set local search_path = plimsoll;

-- outcome: 'asked' · 'waiting' (the one before is not done yet, and stands for this one) · 'gone' (no worker lives
-- there). No row: there is no such device.
create function ask_cleanup_v1(p_node text, p_device text, p_user_id bigint, p_now timestamptz default clock_timestamp())
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

-- The last request for each device. result: what the worker told.
create function device_cleanups_v1()
returns table (worker_id int, asked_by text, asked_at timestamptz, ended_at timestamptz, result json)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select c.worker_id, u.name, c.asked_at, c.ended_at, c.result from device_cleanup c left join app_user u on u.id = c.user_id;
end;

-- As heartbeat_v1; cleanup: the request that this device has to answer, or null.
create function heartbeat_v2(p_worker_id int, p_epoch int, p_fences bigint[], p_progress_jobs bigint[], p_progress_items int[],
  p_telemetry json default null, p_now timestamptz default clock_timestamp())
returns table (alive boolean, draining boolean, stale_fences bigint[], cancelled_jobs bigint[], cleanup bigint)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  return query
  select h.alive, h.draining, h.stale_fences, h.cancelled_jobs,
    (select c.id from device_cleanup c where c.worker_id = p_worker_id and c.ended_at is null and h.alive)
  from heartbeat_v1(p_worker_id, p_epoch, p_fences, p_progress_jobs, p_progress_items, p_telemetry, p_now) h;
end
$$;

-- false: the worker is known under another epoch by now, or somebody asked anew.
create function report_cleanup_v1(p_worker_id int, p_epoch int, p_cleanup bigint, p_result json, p_now timestamptz default clock_timestamp())
returns boolean language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  update device_cleanup c set ended_at = p_now, result = p_result
  where c.worker_id = p_worker_id and c.id = p_cleanup and c.ended_at is null
    and exists (select from worker w where w.id = p_worker_id and w.epoch = p_epoch);
  return found;
end
$$;

grant execute on function ask_cleanup_v1, device_cleanups_v1 to plimsoll_app;
grant execute on function heartbeat_v2, report_cleanup_v1 to plimsoll_worker;
