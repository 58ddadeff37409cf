-- Queues the webhook notices of those of the jobs that have just ended, in the transaction that ends them, so that a
-- notice is as durable as the end.
create or replace function announce_job_ends(p_jobs bigint[]) returns void language plpgsql as $$
declare
  v_low bigint;
  v_high bigint;
begin
  if not exists (select from webhook) then
    return;
  end if;
  select min(id), max(id) into v_low, v_high from unnest(p_jobs) u(id);
  insert into webhook_delivery (webhook_id, team_id, type, job_id, data, created_at, next_at)
  select w.id, w.team_id, 'job.finished', j.id, json_build_object('kind', j.kind, 'name', j.name, 'labels', j.labels,
    'state', j.state, 'items_total', j.items_total, 'items_failed', j.items_failed), j.finished_at, j.finished_at
  from unnest(p_jobs) u(id)
  cross join lateral (select * from job x where x.id = u.id and x.id between v_low and v_high
    and x.finished_at is not null offset 0) j
  join webhook w on w.team_id = j.team_id and j.labels @> w.labels;
end
$$;
