-- What it took to score the team's texts of the last 7 days. Run in a transaction that has set app.team_id.

-- name: records.sentiment_speed.list
-- By the model, as usage names it: empty for VADER. Counted, so nothing is put or removed. $1 limit.
select u.model as name, json_build_object('seconds', u.seconds, 'texts', u.items) as data
from plimsoll.read_usage(nullif(current_setting('app.team_id', true), '')::bigint, clock_timestamp() - interval '7 days',
  clock_timestamp(), array['kind', 'model'], $1::int) u
where u.kind = 'sentiment' and u.items > 0
order by u.model;
