-- Settles tasks whose worker did not report them.
create or replace function settle_unheard(p_fence bigint, p_positions int[], p_outcome text, p_error text,
  p_now timestamptz)
returns void language plpgsql as $$
declare
  v_count constant int := cardinality(p_positions);
begin
  if v_count > 0 then
    perform settle(p_fence, p_positions, array_fill(p_outcome, array[v_count]), null, null, null, null, null,
      array_fill(p_error, array[v_count]), null, p_now);
  end if;
end
$$;
