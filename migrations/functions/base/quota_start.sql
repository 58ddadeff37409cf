-- Start of a quota period: by the calendar in UTC; weeks begin on Monday.
create or replace function quota_start(p_period text, p_now timestamptz) returns timestamptz language sql stable
return date_trunc(p_period, p_now, 'UTC');
