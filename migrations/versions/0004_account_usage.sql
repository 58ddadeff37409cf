-- Renames columns of account_state to the field's terms; their contents stay the same.
set local role plimsoll_owner;
set local search_path = plimsoll;

alter table account_state rename column used to usage;
alter table account_state rename column used_at to decayed_at;
alter table account_state rename column spent to over_quota;
alter index account_state_spent rename to account_state_over_quota;
drop function if exists faded(float8, timestamptz, timestamptz, float8);
-- Its result names the column.
drop function if exists divide_claim(
  float8, int, int, boolean, claim_turns, int[], real[], smallint[], float8, boolean);
