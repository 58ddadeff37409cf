-- Declares an upload of p_bytes. outcome: created (with its ID), or the team limit that it would exceed: count
-- (p_max_datasets), uploads (p_max_uploads), bytes (p_max_bytes; bytes_left is what the team may still store). The
-- steps of the upload are plain statements in the server's queries.
create or replace function create_dataset(p_team_id bigint, p_user_id bigint, p_name text, p_format text,
  p_bytes bigint, p_max_datasets int, p_max_uploads int, p_max_bytes bigint)
returns table (outcome text, id bigint, bytes_left bigint)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_count bigint;
  v_uploads bigint;
  v_bytes bigint;
begin
  perform assert_team(p_team_id);
  perform pg_advisory_xact_lock(1347176782, hashint8(p_team_id));  -- concurrent declarations count each other
  select count(*), count(*) filter (where d.state = 'uploading'),
    coalesce(sum(d.bytes_total) filter (where d.state <> 'failed'), 0)
  into v_count, v_uploads, v_bytes from dataset d where d.team_id = p_team_id;
  outcome := case when v_count >= p_max_datasets then 'count' when v_uploads >= p_max_uploads then 'uploads'
    when v_bytes + p_bytes > p_max_bytes then 'bytes' else 'created' end;
  bytes_left := greatest(p_max_bytes - v_bytes, 0);
  if outcome = 'created' then
    insert into dataset (team_id, user_id, name, format, bytes_total)
      values (p_team_id, p_user_id, p_name, p_format, p_bytes)
    returning dataset.id into id;
  end if;
  return next;
end
$$;
