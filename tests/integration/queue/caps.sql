-- What caps.py judges by, and how its workers work. Created in a database of its own for the test.
set search_path = plimsoll;

create table judged (claims bigint not null, tasks bigint not null, fullest numeric not null, worker_id int not null);
-- Counts the leases of every account with each that is written; nothing of the queue's own bookkeeping is believed.
create function judge() returns trigger language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_held record;
begin
  for v_held in
    select u.account_id, max(s.cap) cap, count(distinct l.worker_id) devices from lease l cross join unnest(l.accounts) u(account_id)
    join account_state s on s.account_id = u.account_id group by 1
  loop
    if v_held.devices > v_held.cap then
      raise exception 'account % holds % devices, and its cap is %', v_held.account_id, v_held.devices, v_held.cap using errcode = 'raise_exception';
    end if;
  end loop;
  update judged set claims = claims + 1, tasks = tasks + cardinality(new.jobs),
    fullest = greatest(fullest, (select count(distinct worker_id) from lease)) where worker_id = new.worker_id;
  return null;
end
$$;
create view passed as
  select u.account_id from lease l cross join unnest(l.accounts) u(account_id) join account_state s on s.account_id = u.account_id
  group by 1 having count(distinct l.worker_id) > max(s.cap);
create trigger judge after insert on lease for each row execute function judge();

create function complete_part(p_worker int, p_epoch int, l lease, p_from int, p_to int) returns void language plpgsql as $$
declare
  n constant int := p_to - p_from + 1;
begin
  perform complete_each(p_worker, p_epoch, l.fence, l.jobs[p_from:p_to], l.tasks[p_from:p_to], array_fill('done'::text, array[n]),
    array_fill('out'::bytea, array[n]), array_fill('{}'::bytea, array[n]), array_fill(1, array[n]), array_fill(0, array[n]), l.charges[p_from:p_to],
    array_fill(null::text, array[n]), array_fill(null::real, array[n]));
end
$$;

-- One worker tries so often to claim, a few tasks at a time, holds up to four leases, and completes them, whole or in parts, gives
-- them back or dies. Every step is a transaction of its own. The last of its leases go with the epoch.
create procedure work(p_device text, p_tries int) language plpgsql as $$
declare
  w record;
  v_held bigint[] := '{}';
  v_fence bigint;
  v_fate float8;
  l lease;
begin
  for v_try in 0 .. p_tries loop
    if w is null or v_fate between 0.05 and 0.06 then  -- also: it died, and what it held runs elsewhere
      select r.worker_id id, r.epoch into w
      from register_worker('node', p_device, 'cpu', '{test:1}', '{}', 20::smallint, 1, '{}', '{}') r;
      v_held := '{}';
      commit;
    end if;
    v_fate := null;
    if v_try % 16 = 15 then
      perform heartbeat(w.id, w.epoch, v_held, '{}', '{}');
      commit;
    end if;
    v_fence := null;
    if cardinality(v_held) < 4 then
      select max(c.fence) into v_fence
      from claim(w.id, w.epoch, (array[0.001, 0.1, 1.0])[1 + floor(random() * 3)], (array[1, 1, 2, 16])[1 + floor(random() * 4)]) c;
      v_held := array_remove(v_held || v_fence, null);
      commit;
    end if;
    continue when v_held = '{}' or v_fence is not null and random() < 0.4;
    select * into l from lease where fence = v_held[1];
    v_held := v_held[2:];
    v_fate := random();
    if v_fate < 0.05 then
      perform release_tasks(w.id, w.epoch, l.fence, l.jobs, l.tasks);
    elsif v_fate < 0.3 and cardinality(l.jobs) > 1 then
      perform complete_part(w.id, w.epoch, l, 2, cardinality(l.jobs));
      commit;
      perform complete_part(w.id, w.epoch, l, 1, 1);
    elsif v_fate >= 0.06 then
      perform complete_part(w.id, w.epoch, l, 1, cardinality(l.jobs));
    end if;
    commit;
  end loop;
  perform retire_worker(w.id, w.epoch);
end
$$;
