-- What the worker takes for a second that was estimated for a task of the kind ('waves:3'), as it last said; null: it
-- has run none of them yet.
create or replace function slowness(p_worker worker, p_kind text) returns float8 language sql stable
return (p_worker.telemetry -> 'slowness' ->> p_kind)::float8;
