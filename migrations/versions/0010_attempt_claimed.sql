-- When an attempt that did not end its task was claimed: with its end, how long it took.
set local role plimsoll_owner;
set local search_path = plimsoll;

alter table attempt add column claimed_at timestamptz;  -- null: from before this version
