-- Counts an attempt to give a password before it is checked, so that attempts at the same time count, too.
-- p_name: the email address or name of a user; null: the password of p_user_id is asked for. p_address: the client.
-- One row. wait_s > 0: seconds until an attempt is accepted; this one was not counted, and nothing else is returned.
-- Otherwise hash is what the password must match, null without a user who has one and may sign in; team_id is the team
-- that the user was in last, null without one; name and source identify the count, which a right password deletes.
-- After five attempts each must wait: one second, then twice as long each time, five minutes at most. A day without
-- attempts ends that. A network from which the user has signed in counts by itself, so that strangers do not lock the
-- user out; names that nobody has count in the same way.
-- Indexes app_user_email, app_user_name, session_member, password_attempt_pkey. Locks the count.
create or replace function begin_password_attempt(p_name text, p_user_id bigint, p_address inet,
  p_now timestamptz default clock_timestamp())
returns table (wait_s int, user_id bigint, team_id bigint, hash text, name bytea, source text)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_network constant cidr := network(set_masklen(p_address, case family(p_address) when 4 then 32 else 64 end));
  v_user bigint := p_user_id;
  v_name bytea;
  v_source text := '';
begin
  -- The server's reads share its connections: behind an attempt, they would wait for the disk. A crash of the database
  -- forgets the attempts of its last second.
  perform assert_team(null), set_config('synchronous_commit', 'off', true);
  if p_user_id is null then
    -- Whose address is verified comes before those who only name it.
    select u.id into v_user from app_user u where u.email = lower(p_name) order by u.email_verified desc, u.id limit 1;
    if not found then
      select u.id into v_user from app_user u where u.name = p_name and coalesce(u.service_team_id, 0) = 0;
    end if;
  end if;
  v_name := sha256(convert_to(
    case when p_user_id is null then 'name ' || lower(p_name) else 'user ' || p_user_id end, 'UTF8'));
  if exists (select from session s where s.user_id = v_user and s.address <<= v_network) then
    v_source := v_network::text;
  end if;

  insert into password_attempt as a (name, source, attempts, last_at) values (v_name, v_source, 1, p_now)
  on conflict (name, source) do update set last_at = p_now,
    attempts = case when a.last_at < p_now - interval '1 day' then 1 else least(a.attempts + 1, 1000) end
  -- Of attempts at once, one may come before the other's p_now.
  where password_delay(a.attempts) = interval '0' or a.last_at + password_delay(a.attempts) <= p_now;
  if not found then
    update password_attempt a set told = true where a.name = v_name and a.source = v_source and not a.told;
    if found and v_user is not null then
      insert into audit_event (user_id, action, target, address, at)
      values (v_user, 'password.delay', v_user::text, p_address, p_now);
    end if;
    return query
    select greatest(1, ceil(extract(epoch from a.last_at + password_delay(a.attempts) - p_now)))::int, null::bigint,
      null::bigint, null::text, a.name, a.source
    from password_attempt a where a.name = v_name and a.source = v_source;
    return;
  end if;

  return query
  select 0, u.id, last_team(u.id), p.hash, v_name, v_source
  from (values (v_user)) asked(id) left join app_user u on u.id = asked.id and u.disabled_at is null
    left join user_password p on p.user_id = u.id;
end
$$;
