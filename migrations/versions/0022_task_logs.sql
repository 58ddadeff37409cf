-- What workers wrote about attempts. The rest of a job's log is read from attempts, results and leases.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table task_log (
  job_id bigint not null,
  seq int not null,
  fence bigint not null,  -- of the attempt
  n int not null,  -- from 1 within the attempt; 1001: how its worker process ended
  team_id bigint not null,
  attempt smallint not null,
  level smallint not null check (level between 1 and 3),  -- info, warning, error
  at timestamptz not null,
  text text not null check (length(text) <= 500),
  primary key (job_id, seq, fence, n)
) partition by range (job_id);

alter table task_log enable row level security, force row level security;
create policy owner on task_log to plimsoll_owner using (true) with check (true);
create policy queue on task_log to plimsoll_queue using (true) with check (true);
create policy team on task_log for select to plimsoll_app
  using (team_id = nullif(current_setting('app.team_id', true), '')::bigint);

-- The days that exist; ensure_partitions creates the following ones.
do $$
declare
  v_name text;
  v_day int;
begin
  for v_day in select substr(c.relname, 5)::int from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'job'::regclass loop
    v_name := 'task_log_' || v_day;
    execute format('create table %I (like task_log including all) with (fillfactor = 100)', v_name);
    execute format('alter table %I enable row level security, force row level security', v_name);
    execute format('alter table task_log attach partition %I for values from (%s) to (%s)',
      v_name, v_day::bigint << 40, (v_day + 1)::bigint << 40);
  end loop;
end
$$;

-- Where a worker process that ended left its attempts: rare, and read when the next one registers.
create index attempt_lost on attempt (worker_id, at) where outcome = 'worker_lost';
