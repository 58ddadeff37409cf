-- Trigger: queues a webhook notice in the transaction that ends the job, so that the notice is as durable as the end.
create or replace function announce_job_end() returns trigger
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  insert into webhook_delivery (webhook_id, team_id, type, job_id, data, created_at, next_at)
  select w.id, w.team_id, 'job.finished', j.id, json_build_object('kind', j.kind, 'name', j.name, 'labels', j.labels,
    'state', new.data ->> 'state', 'items_total', j.items_total, 'items_failed', j.items_failed), new.at, new.at
  from webhook w join job j on j.id = new.job_id where w.team_id = new.team_id;
  return null;
end
$$;

create or replace trigger announce_job_end after insert on event for each row when (new.type = 'finished')
  execute function announce_job_end();
