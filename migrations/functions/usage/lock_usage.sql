-- One counts at a time, and whoever removes jobs counts them first. A job row is not locked: what it gains later comes
-- with a touch of its own.
create or replace function lock_usage() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1347176781, 100008);
end
$$;
