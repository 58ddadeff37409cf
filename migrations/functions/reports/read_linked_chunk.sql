-- One result chunk of the job that a link shows. No row: as for open_report_link, or the chunk does not exist.
-- Indexes report_link_hash_key, result_<day>_pkey.
create or replace function read_linked_chunk(p_hash bytea, p_seq int)
returns table (content bytea)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_job bigint;
begin
  perform set_config('app.report_link', encode(p_hash, 'hex'), true);
  select l.job_id into v_job from report_link l where l.hash = p_hash;
  return query
  select r.content from result r where r.job_id = v_job and r.seq = p_seq and r.state = 'done';
end
$$;
