-- Row-level security. It is enabled and forced on every table with a team, so that even an owner sees nothing without a
-- policy, and the application sees nothing without app.team_id.
set local role plimsoll_owner;
set local search_path = plimsoll;

do $$
declare
  v_table text;
  v_team constant text := $x$team_id = nullif(current_setting('app.team_id', true), '')::bigint$x$;
  -- Administration of the installation crosses teams; its transactions say so.
  v_admin constant text := $x$current_setting('app.system', true) = 'on'$x$;
begin
  foreach v_table in array array['app_user', 'team', 'membership', 'token', 'sign_in_link', 'session', 'audit_event',
      'account', 'job', 'task', 'result', 'attempt', 'event', 'report', 'job_label', 'idempotency_key', 'unique_key',
      'report_baseline', 'dataset', 'dataset_chunk', 'team_limit', 'schedule', 'schedule_run', 'webhook',
      'webhook_delivery', 'usage_hour', 'gpu_profile', 'training_measurement'] loop
    execute format('alter table %I enable row level security, force row level security', v_table);
    execute format('create policy owner on %I to plimsoll_owner using (true) with check (true)', v_table);
  end loop;

  foreach v_table in array array['membership', 'token', 'sign_in_link', 'session', 'audit_event'] loop
    execute format('create policy team on %1$I to plimsoll_app using (%2$s or %3$s) with check (%2$s or %3$s)',
      v_table, v_team, v_admin);
    execute format('create policy identity on %I to plimsoll_identity using (true) with check (true)', v_table);
  end loop;
  -- A user is visible in the user's teams; membership's own policy applies inside.
  execute format('create policy team on app_user to plimsoll_app
    using (%s or exists (select from membership m where m.user_id = id)) with check (%1$s)', v_admin);
  execute format('create policy team on team to plimsoll_app using (%1$s or %2$s) with check (%1$s or %2$s)',
    $x$id = nullif(current_setting('app.team_id', true), '')::bigint$x$, v_admin);
  create policy identity on app_user to plimsoll_identity using (true) with check (true);
  create policy identity on team to plimsoll_identity using (true) with check (true);

  -- Read by the application, written by the queue's functions.
  foreach v_table in array array['account', 'job', 'task', 'result', 'attempt', 'event', 'report', 'job_label',
      'team_limit', 'usage_hour'] loop
    execute format('create policy team on %I for select to plimsoll_app using (%s)', v_table, v_team);
    execute format('create policy queue on %I to plimsoll_queue using (true) with check (true)', v_table);
  end loop;
  execute format('create policy team_update on job for update to plimsoll_app using (%s)', v_team);

  -- Written by both.
  foreach v_table in array array['dataset', 'dataset_chunk', 'schedule', 'schedule_run', 'webhook',
      'webhook_delivery'] loop
    execute format('create policy team on %1$I to plimsoll_app using (%2$s) with check (%2$s)', v_table, v_team);
    execute format('create policy queue on %I to plimsoll_queue using (true) with check (true)', v_table);
  end loop;

  -- Written by the application only.
  foreach v_table in array array['report_baseline', 'gpu_profile', 'training_measurement'] loop
    execute format('create policy team on %1$I to plimsoll_app using (%2$s) with check (%2$s)', v_table, v_team);
  end loop;

  -- Read and written by the queue's functions only.
  create policy queue on idempotency_key to plimsoll_queue using (true) with check (true);
  create policy queue on unique_key to plimsoll_queue using (true) with check (true);
  create policy queue on team for select to plimsoll_queue using (true);
  create policy queue on app_user for select to plimsoll_queue using (true);
  create policy queue on audit_event for insert to plimsoll_queue with check (true);
end
$$;
