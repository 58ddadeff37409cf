-- claim_webhook_deliveries knows which attempts its caller has under way.
set local role plimsoll_owner;
set local search_path = plimsoll;

drop function if exists claim_webhook_deliveries(int, interval, int, timestamptz);
