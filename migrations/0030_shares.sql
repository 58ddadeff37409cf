-- Shares that remember: what a team used counts, fading with a half-life, when it comes back after a pause of its own;
-- quotas of device-seconds; and holds, which stop claims for a team, a device class, a node or a device.
set local role plimsoll_owner;
set local search_path = plimsoll;

alter table device_class
  add half_life_seconds float8 not null default 604800 check (half_life_seconds >= 1),  -- in which what was used counts half
  add entry_limit_seconds float8 not null default 10 check (entry_limit_seconds >= 0);  -- how much later than the clock a heavy user starts at most; 0: history does not count

-- used: normalised device-seconds, faded until used_at. spent: the next task does not fit into the quota; nothing is
-- claimed until the period is over or the quota grows.
alter table account_state
  add used float8 not null default 0,
  add used_at timestamptz not null default '-infinity',
  add quota_seconds float8 check (quota_seconds > 0),  -- null: none
  add quota_period text not null default 'day' check (quota_period in ('hour', 'day', 'week', 'month')),
  add period_start timestamptz not null default '-infinity',
  add period_seconds float8 not null default 0,  -- charged since period_start
  add spent boolean not null default false;
drop index account_state_turn;
create index account_state_turn on account_state (class_id, vtime) where ready > 0 and slots < cap and not paused and not spent;
create index account_state_spent on account_state (class_id) where spent;

-- Somebody's word that nothing is claimed for a team or by devices. subject: the team's id, the class's name, the
-- node's name or the worker's id.
create table hold (
  id bigint generated always as identity primary key,
  scope text not null check (scope in ('team', 'device_class', 'node', 'device')),
  subject text not null,
  mode text not null check (mode in ('pause', 'drain')),
  reason text not null check (length(reason) between 1 and 500),
  by_admin boolean not null,  -- of the installation: a team cannot lift it
  user_id bigint not null,
  at timestamptz not null
);
create index hold_subject on hold (scope, subject);

create table team_limit (
  team_id bigint primary key references team on delete cascade,
  queued_jobs int check (queued_jobs >= 0)  -- that have not started; null: any number
);
alter table team_limit enable row level security, force row level security;
create policy owner on team_limit to plimsoll_owner using (true) with check (true);
create policy queue on team_limit to plimsoll_queue using (true) with check (true);
create policy team on team_limit for select to plimsoll_app using (team_id = nullif(current_setting('app.team_id', true), '')::bigint);
create policy queue on team for select to plimsoll_queue using (true);
create policy queue on app_user for select to plimsoll_queue using (true);

grant select on team, app_user to plimsoll_queue;
grant select, insert, update, delete on hold, team_limit to plimsoll_queue;
grant update on device_class to plimsoll_queue;
grant select on team_limit to plimsoll_app;

set local role plimsoll_queue;
set local search_path = plimsoll;

-- What is left of an amount after a time. Far back nothing is left: power() must not underflow.
create function faded(p_amount float8, p_at timestamptz, p_now timestamptz, p_half_life float8) returns float8 language sql immutable
return case when p_amount < 1e-9 or p_at = '-infinity' then 0
  else p_amount * power(2::float8, -least(200, greatest(0, extract(epoch from p_now - p_at)::float8) / p_half_life)) end;

-- Periods of quotas begin by the calendar, in UTC; weeks on Mondays.
create function quota_start(p_period text, p_now timestamptz) returns timestamptz language sql stable
return date_trunc(p_period, p_now, 'UTC');

-- Device-seconds charged in the quota's present period.
create function period_used(p_seconds float8, p_start timestamptz, p_period text, p_now timestamptz) returns float8 language sql stable
return case when p_start >= quota_start(p_period, p_now) then p_seconds else 0 end;

create or replace function lanes_of(p_teams bigint[], p_classes smallint[], p_kinds text[], p_kind_versions smallint[],
  p_capabilities text[], p_memory_buckets smallint[], p_models text[], p_priorities smallint[])
returns int[] language plpgsql as $$
declare
  v_lanes int[];
  v_missing boolean;
begin
  for i in 1 .. 2 loop
    select array_agg(l.id order by k.ord), bool_or(l.id is null) into v_lanes, v_missing
    from unnest(p_teams, p_classes, p_kinds, p_kind_versions, p_capabilities, p_memory_buckets, p_models, p_priorities)
      with ordinality k(team_id, class_id, kind, kind_version, capability, memory_bucket, model, priority, ord)
    left join account a on a.team_id = k.team_id and a.class_id = k.class_id
    left join lane l on l.account_id = a.id and l.kind = k.kind and l.kind_version = k.kind_version
      and l.capability = k.capability and l.memory_bucket = k.memory_bucket and l.model = k.model and l.priority = k.priority;
    exit when not v_missing;
    with made as (
      insert into account (team_id, class_id) select distinct t, c from unnest(p_teams, p_classes) k(t, c)
      on conflict do nothing returning id, class_id, team_id)
    insert into account_state (account_id, class_id, paused)  -- a team on hold is on hold wherever it comes
    select id, class_id, exists (select from hold h where h.scope = 'team' and h.subject = team_id::text) from made;
    insert into lane (account_id, kind, kind_version, capability, memory_bucket, model, priority)
    select distinct a.id, k.kind, k.kind_version, k.capability, k.memory_bucket, k.model, k.priority
    from unnest(p_teams, p_classes, p_kinds, p_kind_versions, p_capabilities, p_memory_buckets, p_models, p_priorities)
      k(team_id, class_id, kind, kind_version, capability, memory_bucket, model, priority)
    join account a on a.team_id = k.team_id and a.class_id = k.class_id
    on conflict do nothing;
  end loop;
  return v_lanes;
end
$$;

-- Tells the accounts that their lanes (distinct) got tasks, the first at seq p_firsts. An account that had none starts
-- at the class's virtual clock: nobody saves up credit while idle. It starts later than that
-- - by its lead: how far it was ahead of the clock (it got more than who waited), which fades with the half-life, or
-- - by what it used per weight, faded, beyond the account whose turn is next, at most by the class's entry limit,
-- whichever is more. With a limit of 0 history does not count: the lead stays as it is.
create function account_add_ready(p_class_id smallint, p_lanes int[], p_firsts bigint[], p_counts int[], p_now timestamptz)
returns void language plpgsql as $$
declare
  v_clock constant float8 := class_clock(p_class_id);
  v_class device_class;
  v_next float8;
begin
  select * into strict v_class from device_class where id = p_class_id;
  select faded(s.used, s.used_at, p_now, v_class.half_life_seconds) / s.weight into v_next from account_state s
  where s.class_id = p_class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.spent and s.vtime >= v_clock
  order by s.vtime limit 1;
  with added as materialized (
    select l.account_id, u.lane_id, u.first, u.n
    from unnest(p_lanes, p_firsts, p_counts) u(lane_id, first, n) join lane l on l.id = u.lane_id
  ), old as materialized (
    select s.*, a.n from (select account_id, sum(n)::int n from added group by 1) a
    cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = a.account_id order by z.version desc limit 1) s
  ), merged as (
    select o.account_id, array_agg(x.lane_id) lanes, array_agg(x.head) heads, array_agg(x.n) counts
    from old o cross join lateral (
      select coalesce(c.lane_id, a.lane_id) lane_id, coalesce(c.head, a.first - 1) head, coalesce(c.n, 0) + coalesce(a.n, 0) n
      from unnest(o.lanes, o.heads, o.counts) c(lane_id, head, n)
      full join (select * from added where added.account_id = o.account_id) a on a.lane_id = c.lane_id) x
    group by o.account_id
  )
  update account_state t set version = o.version + 1, ready = o.ready + o.n,
    lanes = m.lanes, heads = m.heads, counts = m.counts,
    vtime = case when o.ready > 0 then o.vtime when v_class.entry_limit_seconds = 0 then greatest(o.vtime, v_clock) else v_clock + greatest(0,
      faded(o.vtime - v_clock, o.used_at, p_now, v_class.half_life_seconds),
      least(v_class.entry_limit_seconds, faded(o.used, o.used_at, p_now, v_class.half_life_seconds) / o.weight - coalesce(v_next, 'infinity'))) end
  from old o join merged m using (account_id)
  where t.ctid = o.spot;
end
$$;

-- Puts tasks at the end of their lanes. The caller holds the class lock.
create or replace function push(p_class_id smallint, p_lanes int[], p_jobs bigint[], p_tasks int[], p_ests real[],
  p_attempts smallint[], p_crashes smallint[], p_now timestamptz) returns void language plpgsql as $$
declare
  v_lanes int[];
  v_firsts bigint[];
  v_counts int[];
  v_low bigint;
  v_high bigint;
begin
  if coalesce(cardinality(p_lanes), 0) = 0 then
    return;
  end if;
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  with added as (
    insert into ready (lane_id, seq, job_id, task, est_seconds, attempt, crashes, since)
    select u.lane_id, nextval('ready_seq'), u.job_id, u.task, u.est, u.attempt, u.crashes, p_now
    from unnest(p_lanes, p_jobs, p_tasks, p_ests, p_attempts, p_crashes) u(lane_id, job_id, task, est, attempt, crashes)
    returning lane_id, seq, job_id
  ), jobs as (
    update job j set ready_first = coalesce(j.ready_first, r.first), ready_last = r.last
    from (select job_id, min(seq) first, max(seq) last from added group by 1) r
    where j.id = r.job_id and j.id = any(p_jobs) and j.id between v_low and v_high
  )
  select array_agg(lane_id), array_agg(first), array_agg(n) into v_lanes, v_firsts, v_counts
  from (select lane_id, min(seq) first, count(*)::int n from added group by 1) x;
  perform account_add_ready(p_class_id, v_lanes, v_firsts, v_counts, p_now);
  perform pg_notify('plimsoll_ready', name) from device_class where id = p_class_id;
end
$$;

-- Charges become what was measured, and a slot is given back with the last lease of an account on its worker.
-- A correction fades, and counts in the quota's period, with the charge that it corrects.
-- The caller holds the class lock and has updated the lease.
create or replace function account_settle(p_class_id smallint, p_worker worker, p_lease_accounts int[], p_accounts int[], p_corrections float8[])
returns void language plpgsql as $$
declare
  v_clock constant float8 := class_clock(p_class_id);
  v_lowest float8;
begin
  with correction as materialized (
    select account_id, sum(seconds) seconds from unnest(p_accounts, p_corrections) c(account_id, seconds) group by 1
  ), held as materialized (
    select distinct u.account_id from lease l cross join unnest(l.accounts) u(account_id)
    where l.worker_id = p_worker.id and l.fence >= p_worker.oldest_fence
  ), old as materialized (
    select s.*, coalesce(c.seconds, 0) more, s.vtime + coalesce(c.seconds, 0) / s.weight corrected, (h.account_id is null)::int gone,
      s.spent and s.period_seconds + coalesce(c.seconds, 0) >= s.quota_seconds still_spent,
      s.ready > 0 and (s.spent or s.slots >= s.cap and s.slots - (h.account_id is null)::int < s.cap) opens
    from (select distinct unnest(p_lease_accounts) account_id) a
    left join correction c on c.account_id = a.account_id left join held h on h.account_id = a.account_id
    cross join lateral (select z.ctid spot, z.* from account_state z where z.account_id = a.account_id order by z.version desc limit 1) s
  ), changed as (
    update account_state t set version = o.version + 1, slots = o.slots - o.gone,
      used = greatest(0, o.used + o.more), period_seconds = greatest(0, o.period_seconds + o.more), spent = coalesce(o.still_spent, false),
      vtime = case when o.opens then greatest(o.corrected, v_clock) else o.corrected end
    from old o where t.ctid = o.spot
    returning t.vtime, t.ready > 0 and t.slots < t.cap and not t.paused and not t.spent is_open
  )
  select min(vtime) filter (where is_open) into v_lowest from changed;
  if v_lowest < v_clock then
    update class_state c set version = n.version + 1, vclock = v_lowest
    from (select o.ctid spot, o.version from class_state o where o.class_id = p_class_id order by o.version desc limit 1) n
    where c.ctid = n.spot;
  end if;
end
$$;

-- Sets a team's share of a device class, whole. Null: no cap, no quota.
create function set_share_v1(p_team_id bigint, p_device_class text, p_weight float8, p_cap int, p_quota_seconds float8, p_quota_period text)
returns void language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  perform set_account_v1(p_team_id, p_device_class, p_weight, coalesce(p_cap, 1000000), null);
  update account_state t set version = o.version + 1, quota_seconds = p_quota_seconds, quota_period = coalesce(p_quota_period, 'day'),
    -- Another period is counted anew, in the same one what was charged stays.
    period_seconds = case when o.quota_period = coalesce(p_quota_period, 'day') then o.period_seconds else 0 end, spent = false
  from (select z.ctid spot, z.* from account a join device_class c on c.id = a.class_id cross join lateral (
      select y.ctid, y.* from account_state y where y.account_id = a.id order by y.version desc limit 1) z
    where a.team_id = p_team_id and c.name = p_device_class) o
  where t.ctid = o.spot;
end
$$;

create function set_team_limit_v1(p_team_id bigint, p_queued_jobs int) returns void
language sql security definer set search_path = plimsoll, pg_temp
begin atomic
  insert into team_limit (team_id, queued_jobs) values (p_team_id, p_queued_jobs)
  on conflict (team_id) do update set queued_jobs = excluded.queued_jobs;
end;

-- Null keeps a value. Answers whether there is such a class.
create function set_device_class_v1(p_device_class text, p_half_life_seconds float8, p_entry_limit_seconds float8) returns boolean
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  update device_class set half_life_seconds = coalesce(p_half_life_seconds, half_life_seconds),
    entry_limit_seconds = coalesce(p_entry_limit_seconds, entry_limit_seconds) where name = p_device_class;
  return found;
end
$$;

-- Accounts whose quota's period is over may be served again. Answers how many.
create function renew_quotas_v1(p_now timestamptz default clock_timestamp()) returns int
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_class device_class;
  v_count int;
begin
  for v_class in select c.* from device_class c where exists (select from account_state s where s.class_id = c.id and s.spent
      and s.period_start < quota_start(s.quota_period, p_now)) order by c.id limit 1 loop
    perform lock_class(v_class.id);
    update account_state s set version = s.version + 1, spent = false, vtime = greatest(s.vtime, class_clock(v_class.id))
    where s.class_id = v_class.id and s.spent and s.period_start < quota_start(s.quota_period, p_now);
    get diagnostics v_count = row_count;
    perform pg_notify('plimsoll_ready', v_class.name);
    return v_count;
  end loop;
  return 0;
end
$$;

-- The locks under which a hold begins and ends: whoever claims has either committed before, or sees it.
create function lock_held_classes(p_scope text, p_subject text) returns void language plpgsql as $$
declare
  v_class smallint;
begin
  for v_class in select c.id from device_class c
    where case p_scope when 'device_class' then c.name = p_subject
      when 'device' then c.id = (select w.class_id from worker w where w.id = p_subject::int) else true end order by c.id loop
    perform lock_class(v_class);
  end loop;
end
$$;

-- Puts the accounts of a team on hold, or lets them go on where they stand, or at the clock if that is ahead.
create function pause_accounts(p_team text) returns void language plpgsql as $$
begin
  update account_state t set version = o.version + 1, vtime = greatest(o.vtime, class_clock(o.class_id)),
    paused = exists (select from hold h where h.scope = 'team' and h.subject = p_team)
  from (select z.ctid spot, z.* from account a cross join lateral (
      select y.ctid, y.* from account_state y where y.account_id = a.id order by y.version desc limit 1) z
    where a.team_id = p_team::bigint) o
  where t.ctid = o.spot;
end
$$;

-- From the commit on nothing is claimed for the team or by the devices; what runs goes on to its end. Answers the
-- hold's id; null: there is no such team, class, node or device.
create function hold_v1(p_scope text, p_subject text, p_mode text, p_reason text, p_by_admin boolean, p_user_id bigint,
  p_now timestamptz default clock_timestamp()) returns bigint
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_id bigint;
begin
  if not (case p_scope
      when 'team' then exists (select from team where id = p_subject::bigint)
      when 'device_class' then exists (select from device_class where name = p_subject)
      when 'node' then exists (select from worker where node = p_subject)
      when 'device' then exists (select from worker where id = p_subject::int) else false end) then
    return null;
  end if;
  perform lock_held_classes(p_scope, p_subject);
  insert into hold (scope, subject, mode, reason, by_admin, user_id, at)
  values (p_scope, p_subject, p_mode, p_reason, p_by_admin, p_user_id, p_now) returning id into v_id;
  if p_scope = 'team' then
    perform pause_accounts(p_subject);
  end if;
  return v_id;
end
$$;

-- Lifts a hold: of the team p_team_id that a member made, or, with null, any. Answers whether there was one.
create function resume_v1(p_hold_id bigint, p_team_id bigint) returns boolean
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_hold hold;
begin
  select * into v_hold from hold where id = p_hold_id
    and (p_team_id is null or (scope = 'team' and subject = p_team_id::text and not by_admin));
  if not found then
    return false;
  end if;
  perform lock_held_classes(v_hold.scope, v_hold.subject);
  delete from hold where id = p_hold_id;
  if v_hold.scope = 'team' then
    perform pause_accounts(v_hold.subject);
  end if;
  perform pg_notify('plimsoll_ready', name) from device_class;
  return true;
end
$$;

-- The holds that concern a team: all of devices, and of teams its own; with null, all. running: tasks that still run
-- there.
create function holds_v1(p_team_id bigint)
returns table (id bigint, scope text, subject text, team_name text, node text, device text, mode text, reason text, by_admin boolean,
  by_name text, at timestamptz, running bigint)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select h.id, h.scope, h.subject, t.name, coalesce(w.node, case h.scope when 'node' then h.subject end), w.device, h.mode, h.reason, h.by_admin,
    u.name, h.at,
    (select count(*) from lease l cross join lateral unnest(l.accounts) x(account_id) join worker v on v.id = l.worker_id
        join device_class c on c.id = l.class_id join account a on a.id = x.account_id
      where case h.scope when 'team' then a.team_id::text = h.subject when 'device_class' then c.name = h.subject
        when 'node' then v.node = h.subject else v.id::text = h.subject end)
  from hold h left join team t on h.scope = 'team' and t.id::text = h.subject
    left join worker w on h.scope = 'device' and w.id::text = h.subject left join app_user u on u.id = h.user_id
  where p_team_id is null or h.scope <> 'team' or h.subject = p_team_id::text
  order by h.at desc, h.id desc;
end;

grant execute on function set_share_v1, set_team_limit_v1, set_device_class_v1, renew_quotas_v1, hold_v1, resume_v1, holds_v1 to plimsoll_app;
