-- Device-seconds charged in the quota's current period.
-- needs: quota_start
create or replace function period_used(p_seconds float8, p_start timestamptz, p_period text, p_now timestamptz)
returns float8 language sql stable
return case when p_start >= quota_start(p_period, p_now) then p_seconds else 0 end;
