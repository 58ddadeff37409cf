-- A completed merge task may return rows: they replace those of the job's last task, which were incomplete because they
-- depend on other tasks. The arrays are those of settle.
create or replace function rewrite_rows(p_jobs bigint[], p_tasks int[], p_merges boolean[], p_next_states text[],
  p_contents bytea[])
returns void language plpgsql as $$
declare
  v_low bigint;
  v_high bigint;
begin
  select min(s.job_id), max(s.job_id) into v_low, v_high
  from unnest(p_jobs, p_merges, p_next_states, p_contents) s(job_id, is_merge, next_state, content)
  where s.is_merge and s.next_state = 'done' and s.content is not null;
  if v_low is null then
    return;
  end if;
  update result r set content = s.content, bytes = octet_length(s.content)
  from unnest(p_jobs, p_tasks, p_merges, p_next_states, p_contents) s(job_id, task, is_merge, next_state, content)
  where s.is_merge and s.next_state = 'done' and s.content is not null
    and r.job_id = s.job_id and r.job_id between v_low and v_high and r.seq = s.task - 1 and r.state = 'done';
end
$$;
