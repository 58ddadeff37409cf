-- Every job leaves an audit row, however it came into being, as every other write does.
set local role plimsoll_owner;
set local search_path = plimsoll;

create function audit_submits() returns trigger language plpgsql
security definer set search_path = plimsoll, pg_temp as $$
begin
  insert into audit_event (team_id, user_id, at, action, target)
  select team_id, user_id, created_at, 'job.create', id::text from made;
  return null;
end
$$;
create trigger audit_submits after insert on job referencing new table as made
  for each statement execute function audit_submits();
