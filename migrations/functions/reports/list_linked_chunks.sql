-- The result chunks of the job that a link shows, as results.chunks lists them. No row: as for open_report_link.
-- Indexes report_link_hash_key, result_<day>_pkey, task_<day>_pkey.
create or replace function list_linked_chunks(p_hash bytea)
returns table (seq int, state text, first_item bigint, items int, bytes int, error text, gzip_size bytea)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_job bigint;
begin
  perform set_config('app.report_link', encode(p_hash, 'hex'), true);
  select l.job_id into v_job from report_link l where l.hash = p_hash;
  return query
  select r.seq, r.state, coalesce(t.first_item, 0), coalesce(t.items, j.items_total::int), r.bytes, r.error,
    substring(r.content from r.bytes - 3)
  from result r join job j on j.id = v_job left join task t on t.job_id = v_job and t.seq = r.seq
  where r.job_id = v_job and case when t.items is null then r.seq = 0 and j.items_total > 0 else t.items > 0 end
  order by r.seq;
end
$$;
