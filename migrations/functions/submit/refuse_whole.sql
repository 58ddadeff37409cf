-- Refuses a submit of all jobs or none, of which some cannot be stored: PLM03, with these as its detail. Arrays: see
-- enqueue.
create or replace function refuse_whole(p_ids bigint[], p_outcomes text[], p_refusals jsonb[]) returns void
language plpgsql as $$
begin
  raise exception 'not all jobs can be stored' using errcode = 'PLM03', detail = (
    select json_agg(json_strip_nulls(json_build_object('ord', u.ord, 'outcome', u.outcome, 'job_id', u.id::text,
      'refusal', u.refusal)) order by u.ord)::text
    from unnest(p_ids, p_outcomes, p_refusals) with ordinality u(id, outcome, refusal, ord)
    where u.outcome in ('key_conflict', 'unique_conflict', 'over_quota'));
end
$$;
