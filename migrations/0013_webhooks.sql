-- Completion notices: whom a team wants told when its jobs end, and every notice that went out.
set local role plimsoll_owner;
set local search_path = plimsoll;

create table webhook (
  id bigint generated always as identity primary key,
  team_id bigint not null references team on delete cascade,
  user_id bigint not null,  -- who made it
  name text not null check (length(name) between 1 and 64),
  url text not null check (length(url) between 1 and 2000),
  secret bytea not null check (octet_length(secret) = 32),  -- signs the notices, so it is kept as it is
  created_at timestamptz not null default clock_timestamp()
);
create index webhook_team on webhook (team_id, id);

-- One notice, sent until it arrives or is given up. Its id is the receiver's to tell repeats by.
create table webhook_delivery (
  id bigint generated always as identity primary key,
  webhook_id bigint not null references webhook on delete cascade,
  team_id bigint not null,
  type text not null check (type in ('job.finished', 'webhook.test')),
  job_id bigint,  -- null: a test
  data json not null,  -- what the job was like when it ended: it may be deleted before the notice goes out
  created_at timestamptz not null default clock_timestamp(),
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts smallint not null default 0,
  next_at timestamptz not null default clock_timestamp(),  -- of the next attempt; while one runs: when it counts as lost
  status int,  -- of the last answer
  error text,  -- why the last attempt failed
  ended_at timestamptz
);
create index webhook_delivery_due on webhook_delivery (webhook_id, next_at) where state = 'pending';
create index webhook_delivery_recent on webhook_delivery (webhook_id, id);
create index webhook_delivery_age on webhook_delivery (created_at);

do $$
declare
  v_table text;
  v_team constant text := $x$team_id = nullif(current_setting('app.team_id', true), '')::bigint$x$;
begin
  foreach v_table in array array['webhook', 'webhook_delivery'] loop
    execute format('alter table %I enable row level security, force row level security', v_table);
    execute format('create policy owner on %I to plimsoll_owner using (true) with check (true)', v_table);
    execute format('create policy queue on %I to plimsoll_queue using (true) with check (true)', v_table);
    execute format('create policy team on %1$I to plimsoll_app using (%2$s) with check (%2$s)', v_table, v_team);
  end loop;
end
$$;
-- The secret goes in and never comes out again, but to who sends.
grant select (id, team_id, user_id, name, url, created_at), insert, delete on webhook to plimsoll_app;
grant select on webhook_delivery to plimsoll_app;
grant insert (webhook_id, team_id, type, data) on webhook_delivery to plimsoll_app;
grant select on webhook to plimsoll_queue;
grant select, insert, update, delete on webhook_delivery to plimsoll_queue;

set local role plimsoll_queue;
set local search_path = plimsoll;

-- In the transaction that ends the job: a notice is as durable as the end that it tells of.
create function announce_job_end() returns trigger
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
begin
  insert into webhook_delivery (webhook_id, team_id, type, job_id, data, created_at, next_at)
  select w.id, w.team_id, 'job.finished', j.id, json_build_object('kind', j.kind, 'name', j.name, 'labels', j.labels,
    'state', new.data ->> 'state', 'items_total', j.items_total, 'items_failed', j.items_failed), new.at, new.at
  from webhook w join job j on j.id = new.job_id where w.team_id = new.team_id;
  return null;
end
$$;

-- The notices that are due, at most p_limit and a few of each webhook, so that one that hangs holds up no other.
-- They count as lost when no outcome is recorded within p_lease: then they are sent again.
create function claim_webhook_deliveries_v1(p_limit int, p_lease interval, p_most_attempts int,
  p_now timestamptz default clock_timestamp())
returns table (id bigint, attempt smallint, type text, job_id bigint, data json, created_at timestamptz, url text, secret bytea)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with due as (
    select d.id, w.url, w.secret from webhook w cross join lateral (
      select x.id, x.next_at from webhook_delivery x
      where x.webhook_id = w.id and x.state = 'pending' and x.next_at <= p_now
      order by x.next_at limit 4 for update skip locked) d
    order by d.next_at limit p_limit
  ), taken as (
    update webhook_delivery d set attempts = d.attempts + (d.attempts < p_most_attempts)::int, next_at = p_now + p_lease,
      -- Its last attempt was lost, and with it what came of it.
      state = case when d.attempts < p_most_attempts then 'pending' else 'failed' end,
      ended_at = case when d.attempts < p_most_attempts then null else p_now end
    from due where d.id = due.id
    returning d.id, d.attempts, d.type, d.job_id, d.data, d.created_at, due.url, due.secret, d.state
  )
  select t.id, t.attempts, t.type, t.job_id, t.data, t.created_at, t.url, t.secret from taken t where t.state = 'pending';
end
$$;

-- What came of an attempt: p_error null: delivered. p_delay: until the next attempt; null: none, it is given up.
-- False when another attempt has begun meanwhile: that one's outcome counts.
create function settle_webhook_delivery_v1(p_id bigint, p_attempt smallint, p_status int, p_error text, p_delay interval,
  p_now timestamptz default clock_timestamp())
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

create function forget_webhook_deliveries_v1(p_keep_days int, p_limit int default 10000, p_now timestamptz default clock_timestamp())
returns int language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_count int;
begin
  delete from webhook_delivery where id in (
    select d.id from webhook_delivery d where d.created_at < p_now - make_interval(days => p_keep_days) limit p_limit);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

grant execute on function claim_webhook_deliveries_v1, settle_webhook_delivery_v1, forget_webhook_deliveries_v1 to plimsoll_app;

set local role plimsoll_owner;
create trigger announce_job_end after insert on event for each row when (new.type = 'finished')
  execute function announce_job_end();
