-- Duty, every 10 minutes: deletes uploads that have been idle for p_idle_hours, with their chunks. Returns the number;
-- call again while it is not 0.
create or replace function expire_uploads(p_idle_hours int, p_limit int default 10,
  p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_count int;
begin
  delete from dataset where id in (
    select d.id from dataset d where d.state = 'uploading'
      and d.touched_at <= p_now - make_interval(hours => p_idle_hours)
    order by d.touched_at limit p_limit for update skip locked);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
