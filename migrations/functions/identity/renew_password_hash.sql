-- Stores the hash p_hash of the same password at other costs, in place of p_present; does nothing if the user has
-- another hash by now. Locks the password. Index user_password_pkey.
create or replace function renew_password_hash(p_user_id bigint, p_present text, p_hash text) returns void
language sql security definer set search_path = plimsoll, pg_temp as $$
  update user_password p set hash = p_hash where p.user_id = p_user_id and p.hash = p_present
$$;
