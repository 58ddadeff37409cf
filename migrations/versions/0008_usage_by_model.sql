-- Usage is counted by model, too: by that of a job's lane, which names the files and the form.
set local role plimsoll_owner;
set local search_path = plimsoll;

alter table usage_hour add column model text not null default '';  -- of the job's lane; empty: none
alter table usage_hour drop constraint usage_hour_pkey;
alter table usage_hour add primary key (team_id, hour, user_id, kind, model);
-- Its answer has a column more.
drop function if exists read_usage(bigint, timestamptz, timestamptz, text[], int);
