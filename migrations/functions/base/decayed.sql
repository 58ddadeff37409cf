-- The rest of an amount after exponential decay; 0 for times long ago, because power() must not underflow.
create or replace function decayed(p_amount float8, p_at timestamptz, p_now timestamptz, p_half_life float8)
returns float8 language sql immutable
return case when p_amount < 1e-9 or p_at = '-infinity' then 0
  else p_amount * power(2::float8, -least(200, greatest(0, date_part('epoch', p_now - p_at)) / p_half_life))
  end;
