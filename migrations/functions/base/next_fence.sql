-- The fence of a new lease. It grows with every claim, and ends with the claim's time in microseconds (modulo 2^20): a
-- crash of the database may forget the last claims and submits and set their sequences back, and a lease that a worker
-- still believes in must not equal a later one of another job with the same ID.
create or replace function next_fence(p_now timestamptz) returns bigint language sql volatile
return (nextval('fence_seq') << 20) | ((date_part('epoch', p_now) * 1000000)::bigint & ((1 << 20) - 1));
