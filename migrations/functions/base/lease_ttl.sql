-- A lease is valid while its worker was seen within this time, by the database's clock.
create or replace function lease_ttl() returns interval language sql immutable return interval '15 seconds';
