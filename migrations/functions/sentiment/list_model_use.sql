-- What would miss a model of this name: unfinished jobs whose tasks need it, and the policies and schedules that name
-- it. One row a sort (job, policy, schedule):
--   own      how many the team has; ids, names: the first 20 of them
--   others   how many other teams have
-- Of the jobs of a lane, at most 1,000 are counted.
-- needs: assert_team
create or replace function list_model_use(p_team_id bigint, p_name text)
returns table (sort text, own bigint, ids text[], names text[], others bigint) language plpgsql stable security definer
  set search_path = plimsoll, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  perform assert_team(p_team_id);
  return query
  with used as (
    select 'job' sort, j.team_id, j.id place, j.id::text id, coalesce(j.name, '') name
    from lane l join account a on a.id = l.account_id
    cross join lateral (
      select j.team_id, j.id, j.name from job_standing s join job j on j.id = s.job_id
      where s.team_id = a.team_id and s.standing = 'unfinished' and j.lane_id = l.id order by s.job_id limit 1000) j
    where exists (select from unnest(string_to_array(l.capability, ',')) u(need)
      where split_part(u.need, ' ', 1) in ('model', 'measure') and split_part(u.need, ' ', 2) = p_name)
    union all
    select 'policy', p.team_id, 0, p.name, p.name
    -- Selected first: the data of others is no policy.
    from (select * from team_record r where r.collection = 'sentiment_policy' offset 0) p
    where p.data ->> 'model' = p_name
      or exists (select from json_array_elements(p.data -> 'rules') r(rule) where r.rule ->> 'model' = p_name)
      or exists (select from json_array_elements_text(p.data -> 'fallback') f(model) where f.model = p_name)
    union all
    select 'schedule', s.team_id, s.id, s.id::text, s.name from schedule s
    cross join lateral (select replace(s.spec::text, '\u0000', '\ufffd')::json -> 'args' args offset 0) a
    where a.args ->> 'model' = p_name or a.args ->> 'sentiment_model' = p_name
      or exists (select from json_array_elements_text(a.args -> 'models') m(model) where m.model = p_name))
  select u.sort, count(*) filter (where u.team_id = p_team_id),
    (array_agg(u.id order by u.place, u.id) filter (where u.team_id = p_team_id))[:20],
    (array_agg(u.name order by u.place, u.id) filter (where u.team_id = p_team_id))[:20],
    count(*) filter (where u.team_id <> p_team_id)
  from used u group by u.sort order by u.sort;
end
$$;
