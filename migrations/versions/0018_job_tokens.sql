-- What models have read for a job.
set local role plimsoll_owner;
set local search_path = plimsoll;

alter table job add column tokens_done bigint not null default 0;
-- Its result has a column more.
drop function if exists read_jobs(bigint[]);
