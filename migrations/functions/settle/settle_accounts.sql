-- Corrects charges to what was measured, and returns a device slot with an account's last lease on the worker. The
-- caller holds the class lock and has updated the lease.
create or replace function settle_accounts(p_class_id smallint, p_worker worker, p_lease_accounts int[],
  p_accounts int[], p_costs float8[], p_charges real[])
returns void language plpgsql as $$
declare
  v_accounts int[];
  v_corrections float8[];
begin
  select array_agg(x.account_id), array_agg(x.seconds) into v_accounts, v_corrections from (
    select c.account_id, sum(c.seconds) seconds from (
      select unnest(p_accounts) account_id, unnest(p_costs) - unnest(p_charges) seconds
      union all select distinct unnest(p_lease_accounts), 0) c group by 1) x;
  perform correct_charges(p_class_id, p_worker, v_accounts, v_corrections);
end
$$;
