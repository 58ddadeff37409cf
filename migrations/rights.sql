-- All ownership and privileges, role by object. Applied after the functions whenever a version, a function or this file
-- changed, by the migrating role. Everything not granted here is revoked first.
--
-- Tables belong to plimsoll_owner; functions to plimsoll_queue, except those named below. Roles:
-- versions/0001_baseline.

do $$
declare
  v_tables_owner constant text[] := array['apply_retention', 'day_of', 'ensure_partitions', 'forget_audit',
    'list_model_use', 'membership_keep_owner', 'read_end', 'read_jobs'];
  v_identity constant text[] := array[
    'accept_invitation', 'authenticate_session', 'authenticate_token', 'begin_password_attempt', 'change_password',
    'find_invitation', 'follow_admin_groups', 'follow_mapping', 'last_team', 'password_delay', 'renew_password_hash',
    'replace_password', 'sign_in_provided_user', 'spend_password_link', 'spend_sign_in_link'];
  v_guest constant text[] := array['list_linked_chunks', 'open_report_link', 'read_linked_chunk'];
  v record;
begin
  for v in select p.oid::regprocedure as signature,
      case when p.proname = any(v_tables_owner) then 'plimsoll_owner'
           when p.proname = any(v_identity) then 'plimsoll_identity'
           when p.proname = any(v_guest) then 'plimsoll_guest'
           else 'plimsoll_queue' end as owner
      from pg_proc p where p.pronamespace = 'plimsoll'::regnamespace loop
    execute format('alter function %s owner to %I', v.signature, v.owner);
    execute format('revoke all on function %s from public, plimsoll_app, plimsoll_worker, plimsoll_metrics, %s',
      v.signature, array_to_string(array_remove(array['plimsoll_owner', 'plimsoll_identity'], v.owner), ', '));
  end loop;
  -- Partitions have no privileges of their own: they are reached through their parents.
  for v in select c.oid::regclass as relation from pg_class c
      where c.relnamespace = 'plimsoll'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition loop
    execute format('revoke all on %s from public, plimsoll_queue, plimsoll_identity, plimsoll_guest, plimsoll_app,
      plimsoll_worker', v.relation);
  end loop;
end
$$;

set local search_path = plimsoll;

-- plimsoll_queue: the queue's functions.
grant select, insert, update, delete on job, task, result, attempt, event, report, device_class, class_state, account,
  account_state, lane, ready, scheduled, overdue, worker, lease, idempotency_key, unique_key, hold, team_limit, dataset,
  schedule_run, webhook_delivery, usage_touch, usage_job, usage_hour, vacuum_horizon, device_cleanup to plimsoll_queue;
grant select, insert, delete on task_log to plimsoll_queue;
grant select, insert, delete on job_standing, job_label to plimsoll_queue;
grant select, delete on kept_answer to plimsoll_queue;
grant select, update on schedule to plimsoll_queue;
grant select on team, app_user, dataset_chunk, webhook to plimsoll_queue;
grant insert (team_id, user_id, at, action, target, data, first_job, last_job) on audit_event to plimsoll_queue;
grant select on job_event, job_task to plimsoll_queue;
grant usage on sequence job_seq, fence_seq to plimsoll_queue;
grant select on sequence fence_seq to plimsoll_queue;
grant execute on function day_of to plimsoll_queue;

-- plimsoll_owner: retention, the triggers of its tables, and what reads tables that no other function may.
grant execute on function assert_team, keep_labels, touch_usage, lock_usage, fold_usage to plimsoll_owner;

-- plimsoll_identity: the sign-in functions.
grant select on app_user, team, membership, session to plimsoll_identity;
grant insert (name, email, email_verified), update (is_admin) on app_user to plimsoll_identity;
grant insert (team_id, user_id, role), update (role), delete on membership to plimsoll_identity;
grant select, insert, update (last_used_at) on user_identity to plimsoll_identity;
grant select, update (accepted_at, revoked_at) on invitation to plimsoll_identity;
grant select (id, team_id, token_id, revoked_at), update (revoked_at) on report_link to plimsoll_identity;
grant select, update on token, sign_in_link to plimsoll_identity;
grant update (last_used_at, ended_at) on session to plimsoll_identity;
grant select, insert, update on user_password, password_attempt to plimsoll_identity;
grant select (user_id), delete on user_password, second_factor to plimsoll_identity;
grant select, update on password_link to plimsoll_identity;
grant insert (team_id, user_id, at, action, target, address, request_id, data) on audit_event to plimsoll_identity;
grant execute on function assert_team, assert_teams to plimsoll_identity;

-- plimsoll_guest: what a report link shows; of a job, only the columns that belong to its report.
grant select on report_link, report to plimsoll_guest;
grant update (opened_at, opens) on report_link to plimsoll_guest;
grant select (id, team_id, kind, name, args, items_total, items_ok, items_failed, created_at, finished_at) on job
  to plimsoll_guest;
grant select (job_id, seq, state, bytes, error, content) on result to plimsoll_guest;
grant select (job_id, seq, first_item, items) on task to plimsoll_guest;
grant select (id, name, disabled_at) on app_user to plimsoll_guest;
grant insert (team_id, at, action, target) on audit_event to plimsoll_guest;

-- plimsoll_app: the server. Row-level security holds it to one team.
grant select on job, task, job_task, result, event, job_event, report, job_standing, job_label, schedule_run,
  webhook_delivery, schema_migration, schema_function, schema_set to plimsoll_app;
grant update (name, labels, revision) on job to plimsoll_app;
grant select, insert, update, delete on app_user, team, membership, token, sign_in_link, session, team_record
  to plimsoll_app;
grant select, insert, update, delete on second_factor, recovery_code to plimsoll_app;
grant select, insert, update, delete on report_link, kept_answer, invitation to plimsoll_app;
grant select on installation_secret to plimsoll_app;
-- A password's hash is written and read by functions only.
grant select (user_id, changed_at), delete on user_password to plimsoll_app;
grant select, insert, delete on password_link to plimsoll_app;
grant select, delete on user_identity to plimsoll_app;
grant select, insert, update, delete on spent_sign_in to plimsoll_app;
grant select, delete on password_attempt to plimsoll_app;
grant select, insert on audit_event to plimsoll_app;
grant select, insert, delete on dataset_chunk to plimsoll_app;
grant select, update on dataset to plimsoll_app;
grant select, insert, delete, update (user_id, name, spec, cron, time_zone, misfire, misfire_limit, overlap, paused_at,
  next_at, claimed_until, version, updated_at) on schedule to plimsoll_app;
-- A webhook's secret can be written, and read only by the sender's functions.
grant select (id, team_id, user_id, name, url, format, labels, created_at), insert, update (name, url, format, labels),
  delete on webhook to plimsoll_app;
grant insert (webhook_id, team_id, type, data) on webhook_delivery to plimsoll_app;
grant execute on function
  accept_invitation, apply_retention, authenticate_session, authenticate_token, begin_password_attempt, cancel_job,
  cancel_overlapped, change_password, claim_schedules, claim_webhook_deliveries, create_dataset, delete_dataset,
  delete_jobs, end_overdue, enqueue, enqueue_dataset, ensure_partitions, expire_keys, expire_leases,
  expire_uploads, explain_missing, explain_wait, find_invitation, find_submit, fold_usage, forget_audit, forget_usage,
  forget_webhook_deliveries, job_progress, jobs_of_device, lift_hold, list_attempts, list_cleanups,
  list_device_classes, list_devices, list_holds, list_linked_chunks, list_log, list_model_use, list_shares, list_tasks,
  list_team_limits, list_vacuum_holders,
  mark_unserved, open_report_link, place_hold, promote_due, queue_depth, read_end, read_jobs, read_linked_chunk,
  read_usage,
  redrive_jobs, renew_password_hash, renew_quotas, request_cleanup, run_schedule, set_device_class, set_share,
  set_team_limit, settle_webhook_delivery, sign_in_provided_user, spend_password_link, spend_sign_in_link,
  unnamed_objects, watch_vacuum
  to plimsoll_app;

-- plimsoll_worker: nothing else, because workers parse untrusted files.
grant select on schema_migration, schema_function, schema_set to plimsoll_worker;
grant execute on function
  claim, claim_elsewhere, complete, heartbeat, node_is_idle, read_claimed_chunks, read_lease, record_log,
  register_worker, release_tasks, report_cleanup, report_device, retire_worker to plimsoll_worker;

-- plimsoll_metrics: no team, no user, no text.
grant execute on function queue_depth to plimsoll_metrics;
