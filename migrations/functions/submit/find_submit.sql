-- The job that a submit with this Idempotency-Key created. same: with this fingerprint. No row: the key was not used,
-- or has expired.
-- needs: assert_team
create or replace function find_submit(p_team_id bigint, p_key text, p_fingerprint bytea,
  p_now timestamptz default clock_timestamp())
returns table (job_id bigint, same boolean) language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select assert_team(p_team_id);
  select k.job_id, k.fingerprint = p_fingerprint from idempotency_key k
  where k.team_id = p_team_id and k.key = p_key and k.expires_at > p_now;
end;
