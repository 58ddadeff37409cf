-- needs: find_invitation
-- Consumes the invitation whose secret has the SHA-256 p_hash: makes p_user_id a member, or, if that is null, a new
-- user with this name and address (null: none; an invitation to an address makes a user with that one). The user and
-- the team; outcome: 'accepted'; or else nothing was changed: 'unknown', 'address' (it is for another address) or
-- 'member' (the user is one). Nobody has verified that address, so others may have it, too. SQLSTATE 23505: the name is
-- taken, or looks like another. Locks the invitation. Indexes
-- invitation_hash_key, app_user_pkey, membership_pkey.
create or replace function accept_invitation(p_hash bytea, p_user_id bigint, p_name text, p_email text,
  p_request_id text, p_now timestamptz default clock_timestamp())
returns table (outcome text, user_id bigint, team_id bigint)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
declare
  v_offer record;
  v_user bigint := p_user_id;
begin
  perform from invitation i where i.hash = p_hash for update;
  select f.* into v_offer from find_invitation(p_hash, p_now) f;
  if v_offer.id is null then
    return query select 'unknown', null::bigint, null::bigint;
    return;
  end if;
  if p_user_id is null then
    insert into app_user (name, email) values (p_name, coalesce(v_offer.email, lower(p_email)))
    returning id into v_user;
    insert into audit_event (team_id, user_id, action, target, request_id, at)
    values (v_offer.team_id, v_user, 'user.create', v_user::text, p_request_id, p_now);
  elsif v_offer.email is not null and not exists (
      select from app_user u where u.id = p_user_id and u.email = v_offer.email) then
    return query select 'address', null::bigint, null::bigint;
    return;
  end if;
  insert into membership (team_id, user_id, role) values (v_offer.team_id, v_user, v_offer.role) on conflict do nothing;
  if not found then
    return query select 'member', null::bigint, null::bigint;
    return;
  end if;
  update invitation i set accepted_at = p_now where i.id = v_offer.id;
  insert into audit_event (team_id, user_id, action, target, request_id, data, at)
  values (v_offer.team_id, v_user, 'invitation.accept', v_offer.id::text, p_request_id,
    json_build_object('role', v_offer.role), p_now);
  return query select 'accepted', v_user, v_offer.team_id;
end
$$;
