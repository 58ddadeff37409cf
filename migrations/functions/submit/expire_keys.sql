-- Duty, hourly: removes unique keys whose jobs have ended, and idempotency keys and kept answers past their time, at
-- most p_limit of each. Answers how many idempotency keys. An hour's grace: a submit that takes a key over at this
-- moment is not seen.
create or replace function expire_keys(p_limit int default 10000, p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_count int;
begin
  delete from idempotency_key where (team_id, key) in (
    select k.team_id, k.key from idempotency_key k where k.expires_at <= p_now order by k.expires_at limit p_limit);
  get diagnostics v_count = row_count;
  delete from kept_answer where (team_id, key) in (
    select k.team_id, k.key from kept_answer k where k.expires_at <= p_now order by k.expires_at limit p_limit);
  delete from unique_key k where k.taken_at <= p_now - interval '1 hour'
    and not exists (select from job j where j.id = k.job_id and j.finished_at is null);
  return v_count;
end
$$;
