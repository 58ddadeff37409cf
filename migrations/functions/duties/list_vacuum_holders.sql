-- What blocked vacuum when watch_vacuum last ran, the longest first; seconds: for how long.
create or replace function list_vacuum_holders(p_now timestamptz default clock_timestamp())
returns table (holder text, detail text, since timestamptz, seconds float8)
language sql stable security definer set search_path = plimsoll, pg_temp
begin atomic
  select h.holder, h.detail, h.since, extract(epoch from p_now - h.since)::float8 from vacuum_horizon h
  order by h.since, h.holder;
end;
