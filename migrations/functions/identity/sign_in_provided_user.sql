-- needs: last_team, follow_mapping, follow_admin_groups
-- Signs in the user of p_subject at p_issuer, for whom an identity provider vouches; the caller that gets the row may
-- open a session. An unknown subject becomes, with p_link, the user whose verified address is p_email (null: none), and
-- whatever could act for that user until then ends: sessions, password, second factor, tokens, links. Else it becomes,
-- with p_create, a new user with that address, verified, and the first of p_names that nobody has. Then the mapping
-- is followed: see follow_mapping, and for p_admin (null: groups do not decide who is a system admin)
-- follow_admin_groups, whose result is last_admin. team_id: where the user was last. outcome: 'signed in', or else
-- nothing was changed: 'unknown' (nor may a user be made), 'taken' (the address, or every name), 'disabled' or
-- 'teamless' (the user would be in no team). Locks the subject. Indexes user_identity_pkey, app_user_verified_email,
-- app_user_name, app_user_pkey.
create or replace function sign_in_provided_user(p_issuer text, p_subject text, p_names text[], p_email text,
  p_create boolean, p_link boolean, p_places text[], p_roles text[], p_admin boolean, p_request_id text,
  p_now timestamptz default clock_timestamp())
returns table (outcome text, user_id bigint, team_id bigint, unknown_teams text[], ownerless_teams text[],
  last_admin boolean)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_user bigint;
  v_name text;
  v_linked boolean;
  v_team bigint;
  v_mapped record;
  v_last_admin boolean := false;
begin
  -- Two first sign-ins at once make one user.
  perform assert_team(null), pg_advisory_xact_lock(hashtextextended(p_issuer || ' ' || p_subject, 0));
  select i.user_id into v_user from user_identity i where i.issuer = p_issuer and i.subject = p_subject;
  v_linked := found;
  if v_user is null and p_link then
    select u.id into v_user from app_user u where u.email = lower(p_email) and u.email_verified;
  end if;
  if v_user is null and not p_create then
    return query select 'unknown', null::bigint, null::bigint, null::text[], null::text[], false;
    return;
  end if;
  if exists (select from app_user u
      where u.id = v_user and (u.disabled_at is not null or u.removed_at is not null)) then
    return query select 'disabled', null::bigint, null::bigint, null::text[], null::text[], false;
    return;
  end if;
  if v_user is null and exists (select from app_user u where u.email = lower(p_email) and u.email_verified) then
    return query select 'taken', null::bigint, null::bigint, null::text[], null::text[], false;
    return;
  end if;

  begin
    if v_user is null then
      foreach v_name in array p_names loop
        insert into app_user (name, email, email_verified) values (v_name, lower(p_email), p_email is not null)
        on conflict do nothing returning id into v_user;
        exit when v_user is not null;
      end loop;
      if v_user is null then
        return query select 'taken', null::bigint, null::bigint, null::text[], null::text[], false;
        return;
      end if;
      insert into audit_event (user_id, action, target, request_id, data, at)
      values (v_user, 'user.create', v_user::text, p_request_id, json_build_object('by', 'identity provider'), p_now);
    elsif not v_linked then
      update session s set ended_at = p_now where s.user_id = v_user and s.ended_at is null;
      update token k set revoked_at = p_now where k.user_id = v_user and k.revoked_at is null;
      delete from user_password w where w.user_id = v_user;
      delete from second_factor f where f.user_id = v_user;
      update password_link l set spent_at = p_now where l.user_id = v_user and l.spent_at is null;
      update sign_in_link l set spent_at = p_now where l.user_id = v_user and l.spent_at is null;
      update invitation v set revoked_at = p_now
      where v.user_id = v_user and v.accepted_at is null and v.revoked_at is null;
    end if;
    if v_linked then
      update user_identity i set last_used_at = p_now where i.issuer = p_issuer and i.subject = p_subject;
    else
      insert into user_identity (issuer, subject, user_id, created_at, last_used_at)
      values (p_issuer, p_subject, v_user, p_now, p_now);
      insert into audit_event (user_id, action, target, request_id, data, at)
      values (v_user, 'user.link', v_user::text, p_request_id,
        json_build_object('issuer', p_issuer, 'subject', p_subject), p_now);
    end if;
    select f.* into v_mapped from follow_mapping(v_user, p_places, p_roles, p_request_id, p_now) f;
    v_team := last_team(v_user);
    -- Undoes the block.
    if v_team is null then raise exception 'the user is in no team'; end if;
    if p_admin is not null then
      v_last_admin := follow_admin_groups(v_user, p_admin, p_request_id, p_now);
    end if;
  exception when raise_exception then
    return query select 'teamless', null::bigint, null::bigint, null::text[], null::text[], false;
    return;
  end;
  return query select 'signed in', v_user, v_team, v_mapped.unknown, v_mapped.ownerless, v_last_admin;
end
$$;
