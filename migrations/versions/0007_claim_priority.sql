-- Claims also return the priority of each job.
set local role plimsoll_owner;
set local search_path = plimsoll;

drop function if exists claim(int, int, float8, int, smallint, text[], timestamptz);
drop function if exists claim_elsewhere(int, int, float8, int, smallint, timestamptz);
drop function if exists leased_jobs(bigint[], int[], smallint[], real[]);
