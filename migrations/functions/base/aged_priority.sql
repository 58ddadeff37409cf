-- Order among a team's own tasks, so that none starves: a minute of waiting counts for a level. After 10 - priority
-- minutes a task stands with the team's most urgent ones, in the order of their age.
create or replace function aged_priority(p_priority smallint, p_since timestamptz, p_now timestamptz)
returns int language sql immutable
return least(10, p_priority + coalesce(floor(extract(epoch from p_now - p_since) / 60), 0))::int;
