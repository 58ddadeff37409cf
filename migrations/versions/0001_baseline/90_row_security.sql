-- Row-level security. It is enabled and forced on every table with a team or a user, so that even an owner sees nothing
-- without a policy, and the application sees nothing without app.team_id.
set local role plimsoll_owner;
set local search_path = plimsoll;

do $$
declare
  v_table text;
  v_team constant text := $x$team_id = nullif(current_setting('app.team_id', true), '')::bigint$x$;
  -- Administration of the installation crosses teams; its transactions say so.
  v_admin constant text := $x$current_setting('app.system', true) = 'on'$x$;
  v_report constant text := '(select l.job_id from report_link l)';  -- the job of the link that was opened
begin
  foreach v_table in array array['app_user', 'team', 'membership', 'token', 'sign_in_link', 'session', 'invitation',
      'audit_event', 'user_password', 'password_link', 'password_attempt', 'second_factor', 'recovery_code',
      'user_identity', 'spent_sign_in', 'account', 'job', 'task', 'result', 'attempt', 'task_log', 'event', 'report',
      'job_standing', 'job_label', 'idempotency_key', 'kept_answer', 'unique_key', 'dataset', 'dataset_chunk',
      'team_limit', 'schedule', 'schedule_run', 'webhook', 'webhook_delivery', 'report_link', 'usage_hour',
      'team_record'] loop
    execute format('alter table %I enable row level security, force row level security', v_table);
    execute format('create policy owner on %I to plimsoll_owner using (true) with check (true)', v_table);
  end loop;

  -- Teams and their members.
  foreach v_table in array array['membership', 'token', 'sign_in_link', 'session', 'audit_event'] loop
    execute format('create policy team on %1$I to plimsoll_app using (%2$s or %3$s) with check (%2$s or %3$s)',
      v_table, v_team, v_admin);
  end loop;
  -- Across teams they can be ended, not made.
  foreach v_table in array array['invitation', 'report_link'] loop
    execute format('create policy team on %1$I to plimsoll_app using (%2$s or %3$s) with check (%2$s)',
      v_table, v_team, v_admin);
  end loop;
  -- A user is visible in the user's teams; membership's own policy applies inside.
  execute format('create policy team on app_user to plimsoll_app
    using (%s or exists (select from membership m where m.user_id = id)) with check (%1$s)', v_admin);
  execute format('create policy team on team to plimsoll_app using (%1$s or %2$s) with check (%1$s or %2$s)',
    $x$id = nullif(current_setting('app.team_id', true), '')::bigint$x$, v_admin);

  -- Of users, not of teams.
  foreach v_table in array array['user_password', 'password_link', 'password_attempt', 'second_factor',
      'recovery_code', 'user_identity', 'spent_sign_in'] loop
    execute format('create policy system on %I to plimsoll_app using (%2$s) with check (%2$s)', v_table, v_admin);
  end loop;

  -- The sign-in functions.
  foreach v_table in array array['app_user', 'team', 'membership', 'token', 'sign_in_link', 'session', 'invitation',
      'audit_event', 'user_password', 'password_link', 'password_attempt', 'second_factor', 'user_identity',
      'spent_sign_in', 'report_link'] loop
    execute format('create policy identity on %I to plimsoll_identity using (true) with check (true)', v_table);
  end loop;

  -- Read by the application, written by the queue's functions.
  foreach v_table in array array['account', 'job', 'task', 'result', 'attempt', 'task_log', 'event', 'report',
      'job_standing', 'job_label', 'team_limit', 'usage_hour'] loop
    execute format('create policy team on %I for select to plimsoll_app using (%s)', v_table, v_team);
  end loop;
  execute format('create policy team_update on job for update to plimsoll_app using (%s)', v_team);

  -- Written by the application.
  foreach v_table in array array['dataset', 'dataset_chunk', 'schedule', 'schedule_run', 'webhook', 'webhook_delivery',
      'kept_answer', 'team_record'] loop
    execute format('create policy team on %1$I to plimsoll_app using (%2$s) with check (%2$s)', v_table, v_team);
  end loop;

  -- The queue's functions.
  foreach v_table in array array['account', 'job', 'task', 'result', 'attempt', 'task_log', 'event', 'report',
      'job_standing', 'job_label', 'team_limit', 'usage_hour', 'dataset', 'dataset_chunk', 'schedule', 'schedule_run',
      'webhook', 'webhook_delivery', 'kept_answer', 'idempotency_key', 'unique_key'] loop
    execute format('create policy queue on %I to plimsoll_queue using (true) with check (true)', v_table);
  end loop;
  create policy queue on team for select to plimsoll_queue using (true);
  create policy queue on app_user for select to plimsoll_queue using (true);
  create policy queue on audit_event for insert to plimsoll_queue with check (true);

  -- The holder of a report link sees that link and the rows of its job.
  create policy guest on report_link to plimsoll_guest
    using (hash = decode(nullif(current_setting('app.report_link', true), ''), 'hex') and revoked_at is null
      and expires_at > clock_timestamp());
  execute format('create policy guest on job for select to plimsoll_guest using (id = %s)', v_report);
  foreach v_table in array array['report', 'result', 'task'] loop
    execute format('create policy guest on %I for select to plimsoll_guest using (job_id = %s)', v_table, v_report);
  end loop;
  create policy guest on app_user for select to plimsoll_guest using (id = (select l.user_id from report_link l));
  create policy guest on audit_event for insert to plimsoll_guest
    with check (team_id = (select l.team_id from report_link l));
end
$$;
