-- Reserves the unique keys of jobs to submit (p_unique_keys, one element per job, null: no key) whose p_outcomes say
-- created. Returns outcomes with unique_conflict, and IDs of the unfinished jobs that hold the key, where it is taken;
-- the idempotency key (p_keys) of such a job is released, because no job is created.
--
-- New keys are inserted, the others locked, in one order for all callers; only a later statement, which sees what their
-- last holders committed, shows which of them are free.
create or replace function reserve_unique_keys(p_teams bigint[], p_unique_keys text[], p_keys text[], p_ids bigint[],
  p_outcomes text[], p_now timestamptz, out outcomes text[], out ids bigint[])
language plpgsql as $$
begin
  insert into unique_key (team_id, key, job_id, taken_at)
  select distinct on (u.team_id, u.key) u.team_id, u.key, u.id, p_now
  from unnest(p_teams, p_unique_keys, p_ids, p_outcomes) with ordinality u(team_id, key, id, outcome, ord)
  where u.key is not null and u.outcome = 'created' order by u.team_id, u.key, u.ord
  on conflict do nothing;
  perform from unique_key k
  where (k.team_id, k.key) in (select u.team_id, u.key from unnest(p_teams, p_unique_keys) u(team_id, key))
  order by k.team_id, k.key for update;
  update unique_key k set job_id = f.id, taken_at = p_now
  from (
    select distinct on (u.team_id, u.key) u.team_id, u.key, u.id
    from unnest(p_teams, p_unique_keys, p_ids, p_outcomes) with ordinality u(team_id, key, id, outcome, ord)
    where u.key is not null and u.outcome = 'created' order by u.team_id, u.key, u.ord) f
  where k.team_id = f.team_id and k.key = f.key and k.job_id <> all(p_ids)
    and not exists (select from job j where j.id = k.job_id and j.finished_at is null);
  delete from idempotency_key i
  using unnest(p_teams, p_unique_keys, p_ids, p_outcomes) u(team_id, key, id, outcome), unique_key k
  where u.outcome = 'created' and k.team_id = u.team_id and k.key = u.key and k.job_id <> u.id
    and i.team_id = u.team_id and i.job_id = u.id and i.key = any(p_keys);
  select array_agg(case when k.job_id <> u.id then 'unique_conflict' else u.outcome end order by u.ord),
    array_agg(coalesce(k.job_id, u.id) order by u.ord)
  into outcomes, ids
  from unnest(p_teams, p_unique_keys, p_ids, p_outcomes) with ordinality u(team_id, key, id, outcome, ord)
  left join unique_key k on u.outcome = 'created' and k.team_id = u.team_id and k.key = u.key;
end
$$;
