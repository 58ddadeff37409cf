-- Locks a device class until the end of the transaction. Everything in ready, account_state, class_state and lane is
-- read and written under this lock. Lock order: worker row, lease rows by fence, class locks (host last), job rows, the
-- rest.
create or replace function lock_class(p_class_id smallint) returns void language plpgsql as $$
begin
  -- The next statement must see what the previous holder of the lock committed.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'queue functions need transaction isolation read committed'
      using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(1347176781, p_class_id);
end
$$;
