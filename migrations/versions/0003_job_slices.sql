-- A chunk of a dataset may be too much work for one task: then several run on it.
set local role plimsoll_owner;
set local search_path = plimsoll;

alter table job add column slices int not null default 1;  -- tasks of each chunk of its dataset
alter table job add constraint job_slices check (slices >= 1);
-- Its result has two more columns.
drop function if exists read_claimed_chunks(int, int, bigint);
