-- The day of a time, counted from 1970-01-01 UTC: job IDs begin with it.
create or replace function day_of(p_at timestamptz) returns int language sql immutable
return (p_at at time zone 'UTC')::date - date '1970-01-01';
