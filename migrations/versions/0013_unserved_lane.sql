-- Lanes whose model is no longer on any worker.
set local role plimsoll_owner;
set local search_path = plimsoll;

-- Any worker of the class may run its tasks (mark_unserved).
alter table lane add column unserved boolean not null default false;
create index lane_unserved on lane (id) where unserved;
