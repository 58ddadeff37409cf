-- Duty: which of these objects of the object store no row names. Their names are datasets/<dataset>/… and
-- results/<job>/<task>/…; others are nobody's here, and are not returned. Indexes dataset_chunk_pkey and
-- result_<day>_pkey.
create or replace function unnamed_objects(p_names text[]) returns table (name text)
language plpgsql stable security definer set search_path = plimsoll, pg_temp as $$
declare
  v_mark constant text := 'plimsoll-object:';  -- see server/postgres/pool/contents.cpp
begin
  return query
  with objects as materialized (
    select n, convert_to(v_mark || n, 'UTF8') as head, split_part(n, '/', 2)::bigint as owner,
      split_part(n, '/', 3) as task
    from unnest(p_names) n where n ~ '^(datasets/[0-9]{1,18}|results/[0-9]{1,18}/[0-9]{1,9})/[0-9a-f-]+$'
  ), named as materialized (
    -- A dataset's objects do not tell which chunks they are: each dataset is read once.
    select substring(c.content for octet_length(c.content) - 4) as head
    from (select distinct o.owner from objects o where o.n like 'datasets/%') d
    join dataset_chunk c on c.dataset_id = d.owner and octet_length(c.content) < 256
  )
  select o.n from objects o
  where o.n like 'datasets/%' and not exists (select from named m where m.head = o.head)
    or o.n like 'results/%' and not exists (select from result r where r.job_id = o.owner and r.seq = o.task::int
      and substring(r.content for octet_length(o.head)) = o.head);
end
$$;
