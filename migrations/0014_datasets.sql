-- Uploaded input. A dataset is cut into chunks of whole records while it comes in; a job on it has one task
-- per chunk and shares the chunks, so that submitting copies no text.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table dataset (
  id bigint generated always as identity primary key,
  team_id bigint not null references team,
  user_id bigint not null,
  name text not null,
  format text not null check (format in ('csv', 'jsonl')),
  state text not null default 'uploading',
  error text,  -- why the upload failed, for people
  bytes_total bigint not null check (bytes_total > 0),
  bytes_received bigint not null default 0,  -- from here on an upload continues
  reading bytea,  -- where in a record and a chunk the upload stands; null at its start and its end
  columns text[] not null default '{}',
  records bigint not null default 0,
  records_failed bigint not null default 0,
  chunks int not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  touched_at timestamptz not null default clock_timestamp(),
  revision int not null default 1,
  constraint dataset_state check (state in ('uploading', 'ready', 'failed')),
  constraint dataset_received check (bytes_received <= bytes_total),
  constraint dataset_ready check (state <> 'ready' or (bytes_received = bytes_total and records > 0 and reading is null))
);
alter table dataset alter reading set storage external;
create index dataset_team on dataset (team_id, id);
create index dataset_idle on dataset (touched_at) where state = 'uploading';

create table dataset_chunk (
  dataset_id bigint not null references dataset on delete cascade,
  seq int not null,
  team_id bigint not null,
  first_record bigint not null,
  records int not null check (records > 0),
  failed int not null check (failed between 0 and records),  -- records that cannot be read
  bytes bigint not null,  -- of the raw records
  content bytea not null,  -- gzip of a block of raw records
  primary key (dataset_id, seq)
);
alter table dataset_chunk alter content set storage external;

alter table job add column dataset_id bigint;  -- its task n runs on the dataset's chunk n; null: tasks have inputs
create index job_dataset on job (dataset_id) where dataset_id is not null;

do $$
declare
  v_table text;
  v_team constant text := $x$team_id = nullif(current_setting('app.team_id', true), '')::bigint$x$;
begin
  foreach v_table in array array['dataset', 'dataset_chunk'] loop
    execute format('alter table %I enable row level security, force row level security', v_table);
    execute format('create policy owner on %I to plimsoll_owner using (true) with check (true)', v_table);
    execute format('create policy queue on %I to plimsoll_queue using (true) with check (true)', v_table);
    execute format('create policy team on %1$I to plimsoll_app using (%2$s) with check (%2$s)', v_table, v_team);
  end loop;
end
$$;
grant select, insert, update, delete on dataset to plimsoll_queue;
grant select on dataset_chunk to plimsoll_queue;
grant select, update on dataset to plimsoll_app;
grant select, insert, delete on dataset_chunk to plimsoll_app;

set local role plimsoll_queue;
set local search_path = plimsoll;

-- Announces an upload: created (with its id), or the limit of the team that it breaks: count, uploads, bytes.
create function create_dataset_v1(p_team_id bigint, p_user_id bigint, p_name text, p_format text, p_bytes bigint,
  p_most_datasets int, p_most_uploads int, p_most_bytes bigint)
returns table (outcome text, id bigint, bytes_left bigint)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_count bigint;
  v_uploads bigint;
  v_bytes bigint;
begin
  perform pg_advisory_xact_lock(1347176782, hashint8(p_team_id));  -- two announcements at once count each other
  select count(*), count(*) filter (where d.state = 'uploading'), coalesce(sum(d.bytes_total) filter (where d.state <> 'failed'), 0)
  into v_count, v_uploads, v_bytes from dataset d where d.team_id = p_team_id;
  outcome := case when v_count >= p_most_datasets then 'count' when v_uploads >= p_most_uploads then 'uploads'
    when v_bytes + p_bytes > p_most_bytes then 'bytes' else 'created' end;
  bytes_left := greatest(p_most_bytes - v_bytes, 0);
  if outcome = 'created' then
    insert into dataset (team_id, user_id, name, format, bytes_total) values (p_team_id, p_user_id, p_name, p_format, p_bytes)
    returning dataset.id into id;
  end if;
  return next;
end
$$;

-- Removes a dataset with its texts at once: deleted, in_use (a job on it has not ended), not_found.
create function delete_dataset_v1(p_team_id bigint, p_dataset_id bigint) returns text
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  perform from dataset where id = p_dataset_id and team_id = p_team_id for update;
  if not found then
    return 'not_found';
  elsif exists (select from job where dataset_id = p_dataset_id and finished_at is null) then
    return 'in_use';
  end if;
  delete from dataset where id = p_dataset_id;
  return 'deleted';
end
$$;

-- Submits a job on a dataset: as enqueue_v1, with a task per chunk whose estimate is the chunk's records and
-- bytes at the given prices. One short transaction: no text is copied. outcome also: no_dataset (it went meanwhile).
create function enqueue_dataset_v1(p_team_id bigint, p_user_id bigint, p_kind text, p_kind_version smallint, p_args json, p_name text,
  p_labels jsonb, p_priority smallint, p_device_class text, p_capability text, p_memory_bucket smallint, p_model text,
  p_key text, p_fingerprint bytea, p_dataset_id bigint, p_record_seconds float8, p_byte_seconds float8,
  p_now timestamptz default clock_timestamp())
returns table (job_id bigint, outcome text, created_at timestamptz)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_records int[];
  v_seconds real[];
begin
  -- A deletion waits for this, and then sees the job.
  perform from dataset d where d.id = p_dataset_id and d.team_id = p_team_id and d.state = 'ready' for key share;
  if not found then
    return query select null::bigint, 'no_dataset', null::timestamptz;
    return;
  end if;
  select array_agg(c.records order by c.seq), array_agg((c.records * p_record_seconds + c.bytes * p_byte_seconds)::real order by c.seq)
  into strict v_records, v_seconds from dataset_chunk c where c.dataset_id = p_dataset_id;
  select e.job_id, e.outcome, e.created_at into strict job_id, outcome, created_at
  from enqueue_v1(array[p_team_id], array[p_user_id], array[p_kind], array[p_kind_version], array[p_args], array[p_name], array[p_labels],
    array[p_priority], array[p_device_class], array[p_capability], array[p_memory_bucket], array[p_model], array[true], array[null::timestamptz],
    array[p_key], array[p_fingerprint], array_fill(1, array[cardinality(v_records)]), v_records, v_seconds,
    array_fill(null::bytea, array[cardinality(v_records)]), p_now) e;
  if outcome = 'created' then
    update job j set dataset_id = p_dataset_id where j.id = job_id;
  end if;
  return next;
end
$$;

-- The inputs of a lease's tasks that run on chunks of datasets: a worker asks for them when a claim brought
-- tasks without an input.
create function claimed_chunks_v1(p_worker_id int, p_epoch int, p_fence bigint)
returns table (job_id bigint, task int, input bytea)
language plpgsql stable security definer set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_lease lease;
  v_low bigint;
  v_high bigint;
begin
  select * into v_lease from lease l where l.fence = p_fence and l.worker_id = p_worker_id and l.epoch = p_epoch;
  select min(u.id), max(u.id) into v_low, v_high from unnest(v_lease.jobs) u(id);
  return query
  select u.job_id, u.task, c.content from unnest(v_lease.jobs, v_lease.tasks) u(job_id, task)
  join job j on j.id = u.job_id and j.id between v_low and v_high
  join dataset_chunk c on c.dataset_id = j.dataset_id and c.seq = u.task;
end
$$;

-- Forgets uploads that nobody continues, with what they brought. Answers how many.
create function expire_uploads_v1(p_idle_hours int, p_limit int default 10, p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_count int;
begin
  delete from dataset where id in (
    select d.id from dataset d where d.state = 'uploading' and d.touched_at <= p_now - make_interval(hours => p_idle_hours)
    order by d.touched_at limit p_limit for update skip locked);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

grant execute on function create_dataset_v1, delete_dataset_v1, enqueue_dataset_v1, expire_uploads_v1 to plimsoll_app;
grant execute on function claimed_chunks_v1 to plimsoll_worker;
