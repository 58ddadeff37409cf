-- Like lock_class, without waiting: false if another transaction holds the lock.
create or replace function try_lock_class(p_class_id smallint) returns boolean language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'queue functions need transaction isolation read committed'
      using errcode = 'invalid_transaction_state';
  end if;
  return pg_try_advisory_xact_lock(1347176781, p_class_id);
end
$$;
