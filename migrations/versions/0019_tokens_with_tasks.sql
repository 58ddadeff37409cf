-- Tokens are told with the tasks that they were read for.
set local role plimsoll_owner;
set local search_path = plimsoll;

drop function if exists count_tokens(int, int, bigint, bigint);
drop function if exists complete(int, int, bigint, bigint[], int[], bytea[], bytea[], int[], int[], real[], text[],
  text[], real[], timestamptz);
