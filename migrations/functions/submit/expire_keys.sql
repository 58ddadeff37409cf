-- Duty, hourly: deletes unique keys whose jobs have ended, and expired idempotency keys and answers, at most p_limit of
-- each. Returns the number of idempotency keys. Allows an hour's grace, because a concurrent submit that takes over a
-- key is not visible yet.
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
