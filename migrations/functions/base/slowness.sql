-- Seconds that the worker takes per estimated second for tasks of the kind ('waves:3'), as last reported; null: it has
-- not run any yet.
create or replace function slowness(p_worker worker, p_kind text) returns float8 language sql stable
return (p_worker.telemetry -> 'slowness' ->> p_kind)::float8;
