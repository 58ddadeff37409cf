-- The state of the job and, once it has ended, its results with their contents: a row each, or one without a seq.
-- No row: the job does not exist or is another team's. Indexes job_<day>_pkey, result_<day>_pkey.
create or replace function read_end(p_job bigint)
returns table (job_state text, job_error text, seq int, state text, error text, content bytea)
language plpgsql stable set search_path = plimsoll, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
begin
  return query
  select j.state, j.error, r.seq, r.state, r.error, r.content
  from job j left join result r on r.job_id = p_job and j.finished_at is not null where j.id = p_job;
end
$$;
