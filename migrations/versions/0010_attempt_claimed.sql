-- The time of the claim of an attempt that did not end its task, which gives its duration.
set local role plimsoll_owner;
set local search_path = plimsoll;

alter table attempt add column claimed_at timestamptz;  -- null: from before this version
