-- Labels as rows, so that a page of the jobs with a label costs the page: under row-level security no index over jsonb
-- helps, because its operators may tell what they saw of others' rows (they are not leakproof), while = of text may not.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table job_label (
  job_id bigint not null,
  team_id bigint not null,
  key text collate "C" not null,
  value text collate "C" not null,
  primary key (job_id, key)
) partition by range (job_id);
create index job_label_value on job_label (team_id, key, value, job_id);
create index job_label_key on job_label (team_id, key, job_id);

alter table job_label enable row level security, force row level security;
create policy owner on job_label to plimsoll_owner using (true) with check (true);
create policy team on job_label for select to plimsoll_app using (team_id = nullif(current_setting('app.team_id', true), '')::bigint);
create policy queue on job_label to plimsoll_queue using (true) with check (true);
grant select, insert, delete on job_label to plimsoll_queue;
grant select on job_label to plimsoll_app;

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
    foreach v_table in array array['job', 'task', 'result', 'attempt', 'event', 'report', 'job_label'] loop
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

-- As before, with one table more.
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
    begin
      perform set_config('lock_timeout', '50ms', true);
      foreach v_table in array array['job', 'task', 'result', 'attempt', 'event', 'report', 'job_label'] loop
        execute format('drop table %I', v_table || '_' || v_day);
      end loop;
      outcome := 'dropped';
    exception when lock_not_available then
      outcome := 'busy';
    end;
    return next;
    return;
  end loop;
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
    execute format('create table %I (like job_label including all)', 'job_label_' || v_day);
    execute format('alter table %I enable row level security, force row level security', 'job_label_' || v_day);
    execute format('alter table job_label attach partition %I for values from (%s) to (%s)', 'job_label_' || v_day, v_day << 40, (v_day + 1) << 40);
  end loop;
end
$$;
insert into job_label (job_id, team_id, key, value)
select j.id, j.team_id, l.key, l.value from job j cross join lateral jsonb_each_text(j.labels) l;

-- Labels follow their job through every function that writes one. A job without labels pays nothing.
set local role plimsoll_queue;
create function keep_labels() returns trigger language plpgsql security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  if tg_op <> 'INSERT' then
    delete from job_label where job_id = old.id;
  end if;
  if tg_op <> 'DELETE' then
    insert into job_label (job_id, team_id, key, value)
    select new.id, new.team_id, l.key, l.value from jsonb_each_text(new.labels) l;
  end if;
  return null;
end
$$;
grant execute on function keep_labels to plimsoll_owner;
set local role plimsoll_owner;
create trigger labels_of_new after insert on job for each row when (new.labels <> '{}') execute function keep_labels();
create trigger labels_of_changed after update of labels on job for each row
  when (new.labels is distinct from old.labels) execute function keep_labels();
create trigger labels_of_deleted after delete on job for each row when (old.labels <> '{}') execute function keep_labels();
