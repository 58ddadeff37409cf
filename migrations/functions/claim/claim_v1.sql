-- As claim_v2, for a worker that says nothing of models.
create or replace function claim_v1(p_worker_id int, p_epoch int, p_max_seconds float8 default 0.25, p_max_tasks int default 64,
  p_memory_bucket smallint default null, p_now timestamptz default clock_timestamp())
returns table (fence bigint, job_id bigint, task int, attempt smallint, is_merge boolean, kind text, kind_version smallint,
  args json, first_item bigint, items int, est_seconds real, input bytea, partials bytea[], summary json)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  return query select c.fence, c.job_id, c.task, c.attempt, c.is_merge, c.kind, c.kind_version, c.args, c.first_item, c.items, c.est_seconds,
    c.input, c.partials, c.summary from claim_v2(p_worker_id, p_epoch, p_max_seconds, p_max_tasks, p_memory_bucket, '{}', p_now) c;
end
$$;
