-- Who owns what and who may do what: role by object, the whole of it. Applied after the functions whenever a version, a
-- function or this file changed, by the role that migrates. What is not granted here is revoked first.
--
-- Tables belong to plimsoll_owner; functions to plimsoll_queue, but those named below. Roles: versions/0001_baseline.

do $$
declare
  v_tables_owner constant text[] := array['day_of', 'ensure_partitions_v1', 'forget_audit_v1', 'jobs_v1', 'jobs_v2',
    'membership_keep_owner', 'retention_v1'];
  v_identity constant text[] := array['authenticate_session_v1', 'authenticate_token_v1', 'spend_sign_in_link_v1'];
  v record;
begin
  for v in select p.oid::regprocedure as signature,
      case when p.proname = any(v_tables_owner) then 'plimsoll_owner'
           when p.proname = any(v_identity) then 'plimsoll_identity'
           else 'plimsoll_queue' end as owner
      from pg_proc p where p.pronamespace = 'plimsoll'::regnamespace loop
    execute format('alter function %s owner to %I', v.signature, v.owner);
    execute format('revoke all on function %s from public, plimsoll_app, plimsoll_worker', v.signature);
    if v.owner <> 'plimsoll_owner' then
      execute format('revoke all on function %s from plimsoll_owner', v.signature);
    end if;
  end loop;
  -- Partitions have no rights of their own: they are reached through their parents.
  for v in select c.oid::regclass as relation from pg_class c
      where c.relnamespace = 'plimsoll'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition loop
    execute format('revoke all on %s from public, plimsoll_queue, plimsoll_identity, plimsoll_app, plimsoll_worker',
      v.relation);
  end loop;
end
$$;

set local search_path = plimsoll;

-- plimsoll_queue: the queue's functions.
grant select, insert, update, delete on job, task, result, attempt, event, report, device_class, class_state, account,
  account_state, lane, ready, scheduled, overdue, worker, lease, idempotency_key, unique_key, hold, team_limit, dataset,
  schedule_run, webhook_delivery, usage_touch, usage_job, usage_hour, vacuum_horizon, device_cleanup to plimsoll_queue;
grant select, insert, delete on job_label to plimsoll_queue;
grant select, update on schedule to plimsoll_queue;
grant select on team, app_user, dataset_chunk, webhook to plimsoll_queue;
grant insert (team_id, user_id, at, action, target) on audit_event to plimsoll_queue;
grant usage on sequence job_seq, ready_seq, fence_seq to plimsoll_queue;
grant select on sequence fence_seq to plimsoll_queue;
grant execute on function day_of to plimsoll_queue;

-- plimsoll_owner: retention and the triggers of its tables.
grant execute on function keep_labels, touch_usage, lock_usage, fold_usage_v1 to plimsoll_owner;

-- plimsoll_identity: the sign-in functions.
grant select on app_user, team, membership, session to plimsoll_identity;
grant select, update on token, sign_in_link to plimsoll_identity;

-- plimsoll_app: the server. Row-level security holds it to one team.
grant select on job, task, result, attempt, event, report, job_label, account, device_class, team_limit, schedule_run,
  webhook_delivery, schema_migration, schema_function, schema_set to plimsoll_app;
grant update (name, labels, revision) on job to plimsoll_app;
grant select, insert, update, delete on app_user, team, membership, token, sign_in_link, session, gpu_profile,
  report_baseline to plimsoll_app;
grant select, insert on audit_event to plimsoll_app;
grant select, insert, delete on training_measurement, dataset_chunk to plimsoll_app;
grant select, update on dataset to plimsoll_app;
grant select, insert, delete, update (user_id, name, spec, cron, time_zone, misfire, misfire_limit, overlap, paused_at,
  next_at, claimed_until, version, updated_at) on schedule to plimsoll_app;
-- A webhook's secret goes in and is read by the sender's functions only.
grant select (id, team_id, user_id, name, url, created_at), insert, delete on webhook to plimsoll_app;
grant insert (webhook_id, team_id, type, data) on webhook_delivery to plimsoll_app;
grant execute on function
  ask_cleanup_v1, authenticate_session_v1, authenticate_token_v1, cancel_overlapped_v1, cancel_v1,
  claim_schedules_v1, claim_webhook_deliveries_v1, classes_v1, connected_class_v1, create_dataset_v1,
  delete_dataset_v1, delete_job_v1, device_cleanups_v1, devices_v1, drain_worker_v1, end_overdue_v1,
  enqueue_dataset_v1, enqueue_dataset_v2, enqueue_dataset_v3, enqueue_v1, enqueue_v2, enqueue_v3,
  ensure_partitions_v1, expire_keys_v1, expire_leases_v1, expire_uploads_v1, fold_usage_v1, forget_audit_v1,
  forget_usage_v1, forget_webhook_deliveries_v1, hold_v1, holds_v1, job_progress_v1, jobs_v1, jobs_v2,
  promote_due_v1, queue_depth_v1, redrive_v1, renew_quotas_v1, resume_v1, retention_v1, run_schedule_v1,
  set_account_v1, set_device_class_v1, set_share_v1, set_team_limit_v1, set_team_limit_v2,
  settle_webhook_delivery_v1, shares_v1, spend_sign_in_link_v1, submitted_before_v1, team_limits_v1, team_limits_v2,
  usage_v1, vacuum_holders_v1, wait_v1, wait_v2, watch_vacuum_v1 to plimsoll_app;

-- plimsoll_worker: nothing but these. Workers parse hostile files.
grant select on schema_migration, schema_function, schema_set to plimsoll_worker;
grant execute on function
  claim_elsewhere_v1, claim_v1, claim_v2, claim_v3, claimed_chunks_v1, complete_v1, complete_v2, heartbeat_v1,
  heartbeat_v2, register_worker_v1, register_worker_v2, release_v1, report_cleanup_v1, report_device_v1,
  retire_worker_v1 to plimsoll_worker;
