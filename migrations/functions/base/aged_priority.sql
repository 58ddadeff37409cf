-- The order among a team's own tasks, such that none starves: each minute of waiting adds one level. After 10 -
-- priority minutes a task ranks with the team's most urgent ones, in order of age.
create or replace function aged_priority(p_priority smallint, p_since timestamptz, p_now timestamptz)
returns int language sql immutable
return least(10, p_priority + coalesce(floor(extract(epoch from p_now - p_since) / 60), 0))::int;
