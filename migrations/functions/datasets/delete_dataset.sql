-- Deletes a dataset with its texts immediately. Returns deleted, in_use (a job on it has not ended) or not_found.
create or replace function delete_dataset(p_team_id bigint, p_dataset_id bigint) returns text
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  perform assert_team(p_team_id);
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
