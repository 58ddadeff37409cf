-- The report that a link shows, given the SHA-256 of the link's secret: the link, who shares it, the job's own fields
-- and the report. No row: the link is unknown, revoked or expired, its creator is disabled, or the job or its report
-- has been deleted. Counts each opening, and audits one per hour. Indexes report_link_hash_key, job_<day>_pkey,
-- report_<day>_pkey.
create or replace function open_report_link(p_hash bytea)
returns table (link_id bigint, note text, expires_at timestamptz, shared_by text, id bigint, team_id bigint,
  user_id bigint, kind text, name text, args json, items_total bigint, items_done bigint, items_failed bigint,
  created_at timestamptz, finished_at timestamptz, content bytea)
language plpgsql security definer set search_path = plimsoll, pg_temp as $$
#variable_conflict use_column
declare
  v_now constant timestamptz := clock_timestamp();
  v_link record;
begin
  -- The policies of plimsoll_guest show only the rows of this link.
  perform set_config('app.report_link', encode(p_hash, 'hex'), true);
  select l.*, u.name as maker into v_link from report_link l join app_user u on u.id = l.user_id
  where l.hash = p_hash and u.disabled_at is null for update of l;
  if not found then
    return;
  end if;
  return query
  select v_link.id, v_link.note, v_link.expires_at, v_link.maker, j.id, j.team_id, v_link.user_id, j.kind, j.name,
    j.args, j.items_total, j.items_ok + j.items_failed, j.items_failed, j.created_at, j.finished_at, r.content
  from job j join report r on r.job_id = j.id where j.id = v_link.job_id and r.job_id = v_link.job_id;
  if not found then
    return;
  end if;
  update report_link l set opens = l.opens + 1, opened_at = v_now where l.id = v_link.id;
  if v_link.opened_at is null or v_link.opened_at < v_now - interval '1 hour' then
    insert into audit_event (team_id, action, target, at)
    values (v_link.team_id, 'report_link.open', v_link.id::text, v_now);
  end if;
end
$$;
