"""Breaks the queue's SQL at one place after the other, for the job whose only task lies in its row: each must be found by
replayed histories.

    tests/support/with_database tests/simulation/queue/mutants.py SIMULATION [--histories 400] [--seed 1]
"""

import argparse
import pathlib
import re
import sys

from replay import Different, prepare, replay

MIGRATIONS = pathlib.Path(__file__).resolve().parents[3] / 'migrations'
IN_ROWS = 'exists (select from task x where x.job_id = {}.job_id)'

# What breaks: (function or view, its text, what replaces it).
MUTANTS = {
    'a submit stores the task twice': ('enqueue', ' and not v_alone[p_task_jobs[i]]', ''),
    'a submit stores no task': ('enqueue', 'case when v_alone[i] then greatest(', 'case when not v_alone[i] then greatest('),
    'a submit stores the input of another': ('enqueue', 'then p_task_inputs[v_first_tasks[i] + 1]', 'then p_task_inputs[1]'),
    'a submit numbers tasks backwards': ('enqueue', 'v_numbers[p_task_jobs[i]] + i - 1 - v_first_tasks[p_task_jobs[i]]',
                                         'v_numbers[p_task_jobs[i]] + v_task_counts[p_task_jobs[i]] - i + v_first_tasks[p_task_jobs[i]]'),
    'a submit ends a job before its task': ('enqueue', 'v_numbers[i] + v_task_counts[i] - 1', 'v_numbers[i] - 1'),
    'the view lacks it': ('job_task', 'where est_seconds is not null', 'where false'),
    'the view has it for every job': ('job_task', ' where est_seconds is not null', ''),
    'a start time forgets it': ('promote_due', 'from job_task x', 'from task x'),
    'a claim of small jobs reads only rows': ('leased_first_tasks', 'coalesce(t.input, j.input)', 't.input'),
    'a claim of small jobs reads tasks twice': ('leased_first_tasks', 'from task x\n    where j.est_seconds is null and',
                                                'from (select * from job_task union all select * from job_task) x\n    where'),
    'a claim reads only rows': ('leased_jobs', 'then array[x.input] end', 'then array[null::bytea] end'),
    'a claim reads it twice': ('leased_jobs', 'then array[x.input] end', 'then array[x.input, x.input] end'),
    'a merge reads it': ('leased_jobs', 'and a.tasks[1] = 0 then array[x.items_total::int]', 'then array[x.items_total::int]'),
    'a claim forgets items': ('leased_first_tasks', 'coalesce(t.items, j.items_total::int)', 't.items'),
    'a claim of one task takes a suspect': ('claim_single_account', ' and x.crashes = 0', ''),
    'a claim of one task costs nothing': ('claim_single_account', 'x.est_seconds, 1, v_lanes', '0, 1, v_lanes'),
    'a claim of one task forgets its items': ('claim', 'array[j.items_total::int]', 'array[0]'),
    'a claim of one task forgets its input': ('claim', 'array[j.input]', 'array[null::bytea]'),
    'a claim of one task forgets a time limit': ('claim', ' and j.timeout_seconds is null', ''),
    'a claim of one task reads no rows': ('claim', ' and j.est_seconds is not null', ''),
    'a claim of one task leaves the job waiting': ('claim', "set state = 'running', started_at = p_now, last_event = j.last_event + 1,\n      started_event = j.last_event + 1, revision = j.revision + 1\n    where j.id = v_job", "set state = 'queued'\n    where j.id = v_job"),
    'a record of one task leaves the lease': ('settle_lone', 'delete from lease where fence = p_lease.fence;', ''),
    'a record of one task ends a larger job': ('settle_lone', ' and not j.merge', ''),
    'a record of one task corrects no charge': ('settle_lone', 'array[v_cost - p_lease.charges[1]]', 'array[0::float8]'),
    'a record of one task outruns a cancel': ('settle_lone', " and j.state <> 'cancelling'", ''),
    'a record of one task forgets the report': ('settle_lone', 'if p_report is not null then', 'if false then'),
    'a record of one task leaves the job unfinished': ('settle_lone', 'perform end_standing(v_team, p_lease.jobs, v_job, v_job);', ''),
    'a record of one task forgets failed items': ('settle_lone', 'items_failed = j.items_failed + p_failed', 'items_failed = j.items_failed'),
    'a record leaves the lease': ('settle_done', 'delete from lease where fence = p_lease.fence;', 'delete from lease where fence = p_lease.fence and 0 < any (p_lease.tasks);'),
    'a record forgets the partial': ('settle_done', 'j.id between v_low and v_high and j.merge)', 'j.id between v_low and v_high and false)'),
    'a record leaves the job unfinished': ('end_standing', 'where s.team_id = p_team', 'where false'),
    'a record ends a job before its merge': ('finish_jobs', 'finished_at = case when n.merged or j.tasks_left = n.ended and not j.merge', 'finished_at = case when n.merged or j.tasks_left = n.ended'),
    'a record counts a job once for all': ('settle_done', 'v_ok_sums := p_oks;', 'v_ok_sums := array_fill(p_oks[1], array[cardinality(v_jobs)]);'),
    'a failure counts no items': ('task_outcomes', 'from job_task t', 'from task t'),
    'a retry at once forgets it': ('settle', "where u.next_state = 'ready' order", f"where u.next_state = 'ready' and {IN_ROWS.format('u')} order"),
    'a retry later forgets it': ('settle', "where s.next_state = 'scheduled';", f"where s.next_state = 'scheduled' and {IN_ROWS.format('s')};"),
    'a cancel misses it': ('stop_job', 'r.seq <= v_job.ready_last', 'r.seq < v_job.ready_last'),
    'a cancel leaves its start': ('stop_job', 'delete from scheduled where job_id = p_job_id;', 'delete from scheduled x where x.job_id = p_job_id and ' + IN_ROWS.format('x') + ';'),
    'a redrive forgets it': ('redrive_jobs', 'from job_task t', 'from task t'),
    'a deletion leaves it': ('delete_jobs', 'delete from job x where', 'delete from job x where x.est_seconds is null and'),
    'a deletion leaves rows': ('delete_jobs', 'delete from task x where', 'delete from task x where x.seq > 0 and'),
    'a dropped day leaves it': ('apply_retention', "array['job', 'task',", "array['task',"),
    'a dropped day leaves rows': ('apply_retention', "array['job', 'task',", "array['job',"),
}


def definition(name):
    if name == 'job_task':
        text = (MIGRATIONS / 'versions/0001_baseline/30_jobs.sql').read_text()
        return re.search(r'create view job_task .*?;', text, re.DOTALL)[0].replace('create view', 'create or replace view')
    file, = (MIGRATIONS / 'functions').rglob(name + '.sql')
    return file.read_text()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('simulation')
    parser.add_argument('--histories', type=int, default=400)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', default='', help='the mutants whose name contains this')
    given = parser.parse_args()
    connection = prepare()
    missed = 0
    for what, (name, text, by) in MUTANTS.items():
        if given.only not in what:
            continue
        whole = definition(name)
        assert text in whole, f'{what}: {name} has no such text'
        connection.execute(whole.replace(text, by))
        try:
            replay(connection, given.simulation, given.seed, given.histories)
        except Different as found:
            print(f'{what}: {str(found).splitlines()[0][:160]}', flush=True)
        else:
            missed += 1
            print(f'{what}: NOBODY NOTICED', flush=True)
        connection.execute(whole)
    sys.exit(missed > 0)


if __name__ == '__main__':
    main()
