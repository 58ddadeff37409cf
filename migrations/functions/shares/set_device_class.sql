-- Sets the half-life of past usage, in seconds, and the largest delay, in seconds, of an account with recent usage;
-- null keeps the current value. Returns whether the class exists.
create or replace function set_device_class(p_device_class text, p_half_life_seconds float8,
  p_entry_limit_seconds float8) returns boolean
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  update device_class set half_life_seconds = coalesce(p_half_life_seconds, half_life_seconds),
    entry_limit_seconds = coalesce(p_entry_limit_seconds, entry_limit_seconds) where name = p_device_class;
  return found;
end
$$;
