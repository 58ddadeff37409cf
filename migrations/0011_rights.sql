-- Who may touch what. Row-level security is enabled and forced on every table with a team, so an owner
-- sees nothing without a policy either; without app.team_id the application sees nothing.
set local role plimsoll_owner;
set local search_path = plimsoll;

do $$
declare
  v_table text;
  v_team constant text := $x$team_id = nullif(current_setting('app.team_id', true), '')::bigint$x$;
  -- Administration of the installation crosses teams; a transaction says so aloud.
  v_admin constant text := $x$current_setting('app.system', true) = 'on'$x$;
begin
  foreach v_table in array array['app_user', 'team', 'membership', 'token', 'sign_in_link', 'session', 'audit_event',
      'account', 'job', 'task', 'result', 'attempt', 'event', 'report', 'idempotency_key'] loop
    execute format('alter table %I enable row level security, force row level security', v_table);
    execute format('create policy owner on %I to plimsoll_owner using (true) with check (true)', v_table);
  end loop;

  foreach v_table in array array['membership', 'token', 'sign_in_link', 'session', 'audit_event'] loop
    execute format('create policy team on %1$I to plimsoll_app using (%2$s or %3$s) with check (%2$s or %3$s)', v_table, v_team, v_admin);
    execute format('create policy identity on %I to plimsoll_identity using (true) with check (true)', v_table);
  end loop;
  -- A person is seen by the teams they belong to; membership's own policy holds inside.
  execute format('create policy team on app_user to plimsoll_app using (%s or exists (select from membership m where m.user_id = id)) with check (%1$s)', v_admin);
  execute format('create policy team on team to plimsoll_app using (%1$s or %2$s) with check (%1$s or %2$s)', replace(v_team, 'team_id', 'id') , v_admin);
  execute 'create policy identity on app_user to plimsoll_identity using (true) with check (true)';
  execute 'create policy identity on team to plimsoll_identity using (true) with check (true)';

  foreach v_table in array array['account', 'job', 'task', 'result', 'attempt', 'event', 'report'] loop
    execute format('create policy team on %I for select to plimsoll_app using (%s)', v_table, v_team);
    execute format('create policy queue on %I to plimsoll_queue using (true) with check (true)', v_table);
  end loop;
  execute 'create policy queue on idempotency_key to plimsoll_queue using (true) with check (true)';
end
$$;

grant select, insert, update, delete on job, task, result, attempt, event, report, device_class, class_state, account, account_state,
  lane, ready, scheduled, worker, lease, idempotency_key to plimsoll_queue;
grant usage on sequence job_seq, ready_seq, fence_seq to plimsoll_queue;
grant select on sequence fence_seq to plimsoll_queue;
grant execute on function day_of(timestamptz) to plimsoll_queue;

grant select on app_user, team, membership, token, session, sign_in_link to plimsoll_identity;
grant update on token, sign_in_link to plimsoll_identity;

grant select on job, task, result, attempt, event, report, account, device_class to plimsoll_app;
grant update (name, labels, revision) on job to plimsoll_app;
create policy team_update on job for update to plimsoll_app using (team_id = nullif(current_setting('app.team_id', true), '')::bigint);
grant select, insert, update, delete on app_user, team, membership, token, sign_in_link, session to plimsoll_app;
grant select, insert on audit_event to plimsoll_app;
grant execute on function ensure_partitions_v1, retention_v1 to plimsoll_app;

set local role plimsoll_queue;
grant execute on function enqueue_v1, cancel_v1, delete_job_v1, expire_leases_v1, promote_due_v1, expire_keys_v1, drain_worker_v1,
  set_account_v1, devices_v1, job_progress_v1 to plimsoll_app;
grant execute on function register_worker_v1, heartbeat_v1, claim_v1, complete_v1, release_v1, retire_worker_v1 to plimsoll_worker;

set local role plimsoll_identity;
grant execute on function authenticate_token_v1, authenticate_session_v1, spend_sign_in_link_v1 to plimsoll_app;
