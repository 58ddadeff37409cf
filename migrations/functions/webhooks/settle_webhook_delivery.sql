-- Records the outcome of an attempt. p_status: of the response; p_error null: delivered; p_delay: until the next
-- attempt, null: none, the delivery failed. False if another attempt has begun meanwhile: that one's outcome counts.
create or replace function settle_webhook_delivery(p_id bigint, p_attempt smallint, p_status int, p_error text,
  p_delay interval, p_now timestamptz default clock_timestamp())
returns boolean language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  update webhook_delivery set status = p_status, error = p_error,
    state = case when p_error is null then 'delivered' when p_delay is null then 'failed' else 'pending' end,
    next_at = case when p_error is not null and p_delay is not null then p_now + p_delay else next_at end,
    ended_at = case when p_error is null or p_delay is null then p_now end
  where id = p_id and attempts = p_attempt and state = 'pending';
  return found;
end
$$;
