-- What was used, by team, user, kind and hour. A completion notes only which jobs it touched, one row that nobody reads on
-- a hot path; a duty then counts what those jobs gained since they were counted last. So every device-second that was
-- charged is counted once, in whatever order transactions commit, and outlives the job it was charged for.
set local role plimsoll_owner;
set local search_path = plimsoll;

-- Written by whatever ends a lease, in its transaction. Read whole and deleted by the duty; in no order.
create table usage_touch (
  at timestamptz not null,
  jobs bigint[] not null
);
alter table usage_touch alter jobs set storage external;
alter table usage_touch set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);

-- What of a job has been counted.
create table usage_job (
  job_id bigint primary key,
  seconds float8 not null,
  tasks int not null,
  items bigint not null
) partition by range (job_id);

create table usage_hour (
  team_id bigint not null references team on delete cascade,
  hour timestamptz not null,  -- in which it began
  user_id bigint not null,
  kind text not null,
  seconds float8 not null,  -- measured, normalised device-seconds: what was charged
  tasks bigint not null,  -- that were done
  items bigint not null,  -- that were done
  jobs bigint not null,  -- that used a device for the first time
  primary key (team_id, hour, user_id, kind)
);
create index usage_hour_hour on usage_hour (hour);

alter table usage_hour enable row level security, force row level security;
create policy owner on usage_hour to plimsoll_owner using (true) with check (true);
create policy queue on usage_hour to plimsoll_queue using (true) with check (true);
create policy team on usage_hour for select to plimsoll_app using (team_id = nullif(current_setting('app.team_id', true), '')::bigint);
grant select, insert, update, delete on usage_touch, usage_job, usage_hour to plimsoll_queue;

-- As before, with one table more.
create or replace function ensure_partitions_v1(p_days_ahead int default 3, p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_made int := 0;
  v_day int;
  v_table text;
  v_name text;
begin
  perform pg_advisory_xact_lock(1347176781, 0);  -- two servers that start at once
  for v_day in day_of(p_now) .. day_of(p_now) + p_days_ahead loop
    foreach v_table in array array['job', 'task', 'result', 'attempt', 'event', 'report', 'job_label', 'usage_job'] loop
      v_name := v_table || '_' || v_day;
      continue when to_regclass('plimsoll.' || v_name) is not null;
      -- Made aside and then attached: the attach takes a weaker lock than PARTITION OF.
      execute format('create table %I (like %I including all) with (fillfactor = %s)',
        v_name, v_table, case v_table when 'job' then 80 else 100 end);  -- job rows are updated in place
      execute format('alter table %I enable row level security, force row level security', v_name);
      execute format('alter table %I attach partition %I for values from (%s) to (%s)',
        v_table, v_name, v_day::bigint << 40, (v_day + 1)::bigint << 40);
      v_made := v_made + 1;
    end loop;
  end loop;
  return v_made;
end
$$;

-- The days that there are.
do $$
declare
  v_day bigint;
begin
  for v_day in
    select substr(c.relname, 5)::bigint from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'job'::regclass
  loop
    execute format('create table %I (like usage_job including all)', 'usage_job_' || v_day);
    execute format('alter table %I enable row level security, force row level security', 'usage_job_' || v_day);
    execute format('alter table usage_job attach partition %I for values from (%s) to (%s)', 'usage_job_' || v_day, v_day << 40, (v_day + 1) << 40);
  end loop;
end
$$;
-- What was charged before is counted in the hour of the job's end.
insert into usage_touch (at, jobs) select coalesce(max(finished_at), now()), array_agg(id) from job
where charged_seconds > 0 or tasks_left < tasks_total group by date_trunc('hour', finished_at, 'UTC');

set local role plimsoll_queue;
set local search_path = plimsoll;

create function touch_usage() returns trigger language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  insert into usage_touch (at, jobs) values (clock_timestamp(), old.jobs);
  return null;
end
$$;
grant execute on function touch_usage to plimsoll_owner;
set local role plimsoll_owner;
create trigger touch_usage after delete or update of jobs on lease for each row execute function touch_usage();
set local role plimsoll_queue;

-- One counts at a time, and whoever removes jobs counts them first. A job row is not locked: what it gains later comes with
-- a touch of its own.
create function lock_usage() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1347176781, 100008);
end
$$;

-- Adds to their hours what the jobs (distinct; those that are gone are left out) gained. The caller holds the lock.
create function count_usage(p_jobs bigint[], p_ats timestamptz[]) returns void language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_low bigint;
  v_high bigint;
begin
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  with gain as materialized (
    select j.id, j.team_id, j.user_id, j.kind, date_trunc('hour', u.at, 'UTC') as hour, j.charged_seconds seconds,
      j.tasks_total - j.tasks_left - j.tasks_quarantined tasks, j.items_ok items, (o.job_id is null)::int first,
      j.charged_seconds - coalesce(o.seconds, 0) more_seconds,
      j.tasks_total - j.tasks_left - j.tasks_quarantined - coalesce(o.tasks, 0) more_tasks, j.items_ok - coalesce(o.items, 0) more_items
    from unnest(p_jobs, p_ats) u(id, at)
    cross join lateral (select * from job x where x.id = u.id and x.id between v_low and v_high offset 0) j
    left join lateral (select * from usage_job x where x.job_id = u.id and x.job_id between v_low and v_high offset 0) o on true
  ), counted as (
    insert into usage_job as o (job_id, seconds, tasks, items)
    select id, seconds, tasks, items from gain where more_seconds <> 0 or more_tasks <> 0 or more_items <> 0
    on conflict (job_id) do update set seconds = excluded.seconds, tasks = excluded.tasks, items = excluded.items
  )
  insert into usage_hour as h (team_id, hour, user_id, kind, seconds, tasks, items, jobs)
  select g.team_id, g.hour, g.user_id, g.kind, sum(more_seconds), sum(more_tasks), sum(more_items), sum(first)
  from gain g where more_seconds <> 0 or more_tasks <> 0 or more_items <> 0 group by 1, 2, 3, 4
  on conflict (team_id, hour, user_id, kind) do update set seconds = h.seconds + excluded.seconds, tasks = h.tasks + excluded.tasks,
    items = h.items + excluded.items, jobs = h.jobs + excluded.jobs;
end
$$;

-- Counts what completions touched; answers how many touches it took, p_limit while there may be more.
create function fold_usage_v1(p_limit int default 1000) returns int
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_touches int;
  v_jobs bigint[];
  v_ats timestamptz[];
begin
  perform lock_usage();
  with taken as materialized (
    delete from usage_touch where ctid = any(array(select ctid from usage_touch limit p_limit)) returning at, jobs
  ), touched as (
    select u.id, max(t.at) at from taken t cross join unnest(t.jobs) u(id) group by 1
  )
  select (select count(*) from taken), array_agg(id), array_agg(at) into v_touches, v_jobs, v_ats from touched;
  perform count_usage(v_jobs, v_ats);
  return v_touches;
end
$$;

-- As before, but what the job used is counted first, and its times go with it.
create or replace function delete_job_v1(p_team_id bigint, p_job_id bigint) returns text
language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_job job;
begin
  select * into v_job from job where id = p_job_id and team_id = p_team_id for update;
  if not found then
    return 'not_found';
  elsif v_job.finished_at is null then
    return 'unfinished';
  end if;
  perform lock_usage();
  perform count_usage(array[p_job_id], array[v_job.finished_at]);
  delete from usage_job where job_id = p_job_id;
  delete from overdue where job_id = p_job_id;
  delete from result where job_id = p_job_id;
  delete from report where job_id = p_job_id;
  delete from attempt where job_id = p_job_id;
  delete from event where job_id = p_job_id;
  delete from task where job_id = p_job_id;
  delete from job where id = p_job_id;
  perform notify_jobs(array[p_job_id]);
  return 'deleted';
end
$$;

-- Forgets hours before the last p_keep_days days.
create function forget_usage_v1(p_keep_days int, p_now timestamptz default clock_timestamp()) returns int
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_count int;
begin
  delete from usage_hour where hour < date_trunc('day', p_now, 'UTC') - make_interval(days => p_keep_days);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

-- What was used in the hours from p_from (inclusive) to p_to, of one team or (null) of all, summed over what p_by does not
-- name: hour, day or month (by the calendar in UTC; one of them at most), team, user, kind. What it does not name is null.
create function usage_v1(p_team_id bigint, p_from timestamptz, p_to timestamptz, p_by text[], p_limit int)
returns table (start timestamptz, team_id bigint, team_name text, user_id bigint, user_name text, kind text,
  seconds float8, tasks bigint, items bigint, jobs bigint)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  with summed as (
    select case when 'hour' = any(p_by) then h.hour when 'day' = any(p_by) then date_trunc('day', h.hour, 'UTC')
        when 'month' = any(p_by) then date_trunc('month', h.hour, 'UTC') end start,
      case when 'team' = any(p_by) then h.team_id end team_id, case when 'user' = any(p_by) then h.user_id end user_id,
      case when 'kind' = any(p_by) then h.kind end kind,
      sum(h.seconds) seconds, sum(h.tasks)::bigint tasks, sum(h.items)::bigint items, sum(h.jobs)::bigint jobs
    from usage_hour h
    where h.hour >= p_from and h.hour < p_to and (p_team_id is null or h.team_id = p_team_id) group by 1, 2, 3, 4
  )
  select s.start, s.team_id, t.name, s.user_id, u.name, s.kind, s.seconds, s.tasks, s.items, s.jobs
  from summed s left join team t on t.id = s.team_id left join app_user u on u.id = s.user_id
  order by s.start, s.seconds desc, s.team_id, s.user_id, s.kind limit p_limit;
end;

-- For retention, which the owner of the tables runs.
grant execute on function lock_usage, fold_usage_v1 to plimsoll_owner;
grant execute on function fold_usage_v1, forget_usage_v1, usage_v1 to plimsoll_app;

set local role plimsoll_owner;
set local search_path = plimsoll;
create index overdue_job on overdue (job_id);

-- As before; what the day's jobs used is counted first, and rows elsewhere that name them go with them.
create or replace function retention_v1(p_keep_days int, p_now timestamptz default clock_timestamp())
returns table (day date, outcome text) language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_day int;
  v_table text;
begin
  for v_day in
    select substr(c.relname, 5)::int d from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'job'::regclass and substr(c.relname, 5)::int < day_of(p_now) - p_keep_days order by d
  loop
    day := date '1970-01-01' + v_day;
    -- Through the parent: it has the policy that lets this role see rows.
    if exists (select from job where finished_at is null
        and id >= v_day::bigint << 40 and id < (v_day + 1)::bigint << 40) then
      outcome := 'unfinished';
      return next;
      continue;
    end if;
    while fold_usage_v1(1000) = 1000 loop
    end loop;
    begin
      perform set_config('lock_timeout', '50ms', true);
      foreach v_table in array array['job', 'task', 'result', 'attempt', 'event', 'report', 'job_label', 'usage_job'] loop
        execute format('drop table %I', v_table || '_' || v_day);
      end loop;
      outcome := 'dropped';
      delete from overdue where job_id >= v_day::bigint << 40 and job_id < (v_day + 1)::bigint << 40;
    exception when lock_not_available then
      outcome := 'busy';
    end;
    return next;
    return;
  end loop;
end
$$;
grant delete on overdue to plimsoll_owner;
