-- Trigger: maintains labels as rows, whichever function writes the job. A job without labels costs nothing.
create or replace function keep_labels() returns trigger
language plpgsql security definer set search_path = plimsoll, pg_temp
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

create or replace trigger labels_of_new after insert on job for each row when (new.labels <> '{}')
  execute function keep_labels();
create or replace trigger labels_of_changed after update of labels on job for each row
  when (new.labels is distinct from old.labels) execute function keep_labels();
create or replace trigger labels_of_deleted after delete on job for each row when (old.labels <> '{}')
  execute function keep_labels();
