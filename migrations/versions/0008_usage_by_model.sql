-- Usage is also counted by the model of a job's lane, which names the files and the form.
set local role plimsoll_owner;
set local search_path = plimsoll;

alter table usage_hour add column model text not null default '';  -- of the job's lane; empty: none
alter table usage_hour drop constraint usage_hour_pkey;
alter table usage_hour add primary key (team_id, hour, user_id, kind, model);
-- Its result has another column.
drop function if exists read_usage(bigint, timestamptz, timestamptz, text[], int);
