-- Serialises counting; whoever deletes jobs counts them first. Job rows are not locked: later usage adds its own touch.
create or replace function lock_usage() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1347176781, 100008);
end
$$;
