-- The virtual time at which an account without ready tasks starts: the class's clock, so that idling earns no credit,
-- plus the larger of
-- - its lead: how far it was ahead of the clock (it got more than waiting accounts), which decays with the half-life;
--   and
-- - its decayed usage per weight in excess of the account whose turn is next, at most the class's entry limit.
-- With a limit of 0 history does not count: the lead stays as it is. The account whose turn is next is looked up only
-- if it can matter. Stable: it sees the accounts as they were before the calling statement.
create or replace function starting_vtime(p_class_id smallint, p_weight float8, p_vtime float8, p_used float8,
  p_used_at timestamptz, p_now timestamptz)
returns float8 language plpgsql stable as $$
declare
  v_clock float8;
  v_half_life float8;
  v_limit float8;
  v_lead float8;
  v_used float8;
begin
  select d.half_life_seconds, d.entry_limit_seconds, (select s.vclock from class_state s where s.class_id = d.id
    order by s.version desc limit 1)
  into strict v_half_life, v_limit, v_clock from device_class d where d.id = p_class_id;
  if v_limit = 0 then
    return greatest(p_vtime, v_clock);
  end if;
  v_lead := greatest(0, decayed(p_vtime - v_clock, p_used_at, p_now, v_half_life));
  v_used := decayed(p_used, p_used_at, p_now, v_half_life) / p_weight;
  if v_used > v_lead then
    v_lead := greatest(v_lead, least(v_limit, v_used - coalesce((
      select decayed(s.usage, s.decayed_at, p_now, v_half_life) / s.weight from account_state s
      where s.class_id = p_class_id and s.ready > 0 and s.slots < s.cap and not s.paused and not s.over_quota
        and s.vtime >= v_clock
      order by s.vtime limit 1), 'infinity')));
  end if;
  return v_clock + v_lead;
end
$$;
