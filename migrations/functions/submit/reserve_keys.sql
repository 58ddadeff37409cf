-- Reserves the idempotency keys of jobs to submit, for 48 h; one element per job, null: no key. Returns, per job, the
-- outcome (created, replayed, key_conflict: see enqueue), the ID of the job that has the key, and when it was
-- submitted; for a job without a key, its own. Keys are locked in one order for all callers, and wait for other submits
-- of the same key: the caller must hold no class lock.
create or replace function reserve_keys(p_teams bigint[], p_keys text[], p_fingerprints bytea[], p_ids bigint[],
  p_now timestamptz, out outcomes text[], out ids bigint[], out created timestamptz[])
language plpgsql as $$
begin
  delete from idempotency_key k using unnest(p_teams, p_keys) u(team_id, key)
  where k.team_id = u.team_id and k.key = u.key and k.expires_at <= p_now;
  insert into idempotency_key (team_id, key, fingerprint, job_id, created_at, expires_at)
  select distinct on (u.team_id, u.key) u.team_id, u.key, u.fingerprint, u.id, p_now, p_now + interval '48 hours'
  from unnest(p_teams, p_keys, p_fingerprints, p_ids) with ordinality u(team_id, key, fingerprint, id, ord)
  where u.key is not null order by u.team_id, u.key, u.ord
  on conflict do nothing;
  select array_agg(case when k.key is null or k.job_id = u.id then 'created'
      when k.fingerprint = u.fingerprint then 'replayed' else 'key_conflict' end order by u.ord),
    array_agg(coalesce(k.job_id, u.id) order by u.ord), array_agg(coalesce(k.created_at, p_now) order by u.ord)
  into outcomes, ids, created
  from unnest(p_teams, p_keys, p_fingerprints, p_ids) with ordinality u(team_id, key, fingerprint, id, ord)
  left join idempotency_key k on k.team_id = u.team_id and k.key = u.key;
end
$$;
