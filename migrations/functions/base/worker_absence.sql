-- A worker seen within this time, by the database's clock, may come back: what it had is not given up.
create or replace function worker_absence() returns interval language sql immutable return interval '1 hour';
