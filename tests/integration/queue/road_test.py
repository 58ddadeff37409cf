"""A job's path from the submit to its report, with errors, deaths, cancels and repeats."""

import unittest
from concurrent.futures import ThreadPoolExecutor

from queue_case import QueueCase
from queue_client import job, task


class Road(QueueCase):
    def test_a_job_is_split_run_merged_and_reported(self):
        [id] = self.submit(job(self.team, [task(10, data=b'a'), task(20, data=b'b'), task(5, data=None)], args='{"model": "x"}'))
        tasks = self.queue.claim(self.cpu)
        self.assertEqual([(t.job_id, t.task, t.items, t.input, t.attempt, t.is_merge) for t in tasks],
                         [(id, 0, 10, b'a', 1, False), (id, 1, 20, b'b', 1, False), (id, 2, 5, None, 1, False)])
        self.assertEqual([r.first_item for r in self.queue.rows('select first_item from task where job_id = %s order by seq', id)], [0, 10, 30])
        self.assertEqual((tasks[0].kind, tasks[0].kind_version, tasks[0].args), ('test', 1, {'model': 'x'}))
        self.assertEqual(self.queue.state(id), 'running')
        self.queue.complete(self.cpu, tasks[1:], failed=1, partial=b'later')
        self.assertEqual(self.queue.claim(self.host), [])
        self.queue.complete(self.cpu, tasks[:1], partial=b'sooner')
        [merge] = self.queue.claim(self.host)
        self.assertEqual((merge.is_merge, merge.task, merge.partials), (True, 3, [b'sooner', b'later', b'later']))
        self.assertEqual(self.queue.complete(self.host, [merge], partial=b'{"r": 1}'), ['accepted'])
        done = self.job(id)
        self.assertEqual((done.state, done.items_ok, done.items_failed, done.tasks_left), ('succeeded', 33, 2, 0))
        self.assertEqual(bytes(self.queue.one('select content from report where job_id = %s', id)), b'{"r": 1}')
        self.assertEqual(self.event_types(id), ['started', 'finished'])

    def test_results_belong_to_their_tasks_in_whatever_order_they_come(self):
        ids = self.submit(*(job(self.team, [task(n + 1), task(10 * n + 10)]) for n in range(3)))
        tasks = self.queue.claim(self.cpu)
        order = [4, 0, 5, 2, 1, 3]
        n = len(tasks)
        self.queue.call('complete_each', 'int int bigint bigint[] int[] text[] bytea[] bytea[] int[] int[] real[] text[] real[]', *self.cpu, tasks[0].fence,
                        [tasks[i].job_id for i in order], [tasks[i].task for i in order], ['done'] * n,
                        [f'{tasks[i].job_id}/{tasks[i].task}'.encode() for i in order], [b''] * n, [tasks[i].items for i in order], [0] * n,
                        [0.01] * n, [None] * n, [None] * n)
        for r in self.queue.rows('select r.*, t.items from result r join job_task t using (job_id, seq)'):
            self.assertEqual((bytes(r.content).decode(), r.items_ok), (f'{r.job_id}/{r.seq}', r.items))
        self.run_merges()
        self.assertEqual([self.queue.state(id) for id in ids], ['succeeded'] * 3)

    def test_a_single_task_without_a_merge_makes_the_report(self):
        [id] = self.submit(job(self.team, merge=False))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu), partial=b'{"r": 2}')
        self.assertEqual(self.queue.state(id), 'succeeded')
        self.assertEqual(bytes(self.queue.one('select content from report where job_id = %s', id)), b'{"r": 2}')

    def test_a_job_whose_items_all_failed_has_failed_and_has_a_report(self):
        ids = self.submit(job(self.team, [task(3)], merge=False), job(self.team, [task(3), task(2)]))
        tasks = self.queue.claim(self.cpu)
        for one in tasks:  # a whole lease, and parts of one
            self.queue.complete(self.cpu, [one], failed=one.items, partial=b'{"r": 3}')
        self.run_merges()
        for id in ids:
            self.assertEqual((self.job(id).state, self.job(id).error), ('failed', 'Every item failed.'))
            self.assertEqual(self.queue.one('select count(*) from report where job_id = %s', id), 1)
            self.assertEqual(self.queue.one('select standing from job_standing where job_id = %s', id), 'failed')
            self.assertEqual(self.event_types(id)[-1], 'finished')
            self.assertEqual(self.queue.redrive(self.team, id), {id: 'complete'})
        [id] = self.submit(job(self.team, [task(4)], merge=False))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu), failed=4)
        self.assertEqual((self.queue.state(id), self.queue.one('select standing from job_standing where job_id = %s', id)), ('failed', 'failed'))

    def complete_with_reports(self, tasks, **how):
        """As a worker does that claimed all tasks of their jobs: each with the report of its job."""
        n = len(tasks)
        return [verdict for verdict, in self.queue.rows(
            """select verdict from complete_each(%s, %s, %s, %s::bigint[], %s::int[], %s::text[], %s::bytea[], %s::bytea[], %s::int[], %s::int[],
               %s::real[], %s::text[], %s::real[], %s, %s::bytea[])""",
            *self.cpu, tasks[0].fence, [t.job_id for t in tasks], [t.task for t in tasks], how.get('outcomes', ['done'] * n), [b'row'] * n,
            [b'partial'] * n, [1] * n, [0] * n, [0.01] * n, [None] * n, [None] * n, self.queue.now, [f'report {t.job_id}'.encode() for t in tasks])]

    def test_a_small_job_claimed_whole_needs_no_merge(self):
        jobs = self.submit(job(self.team, 3), job(self.team, 2), job(self.team, 65), job(self.team, 4))
        tasks = self.queue.claim(self.cpu, tasks=71)
        self.assertEqual({t.job_id: t.is_whole for t in tasks}, dict(zip(jobs, (True, True, False, False))))
        self.assertEqual(set(self.complete_with_reports(tasks)), {'accepted'})
        self.assertEqual([self.queue.state(id) for id in jobs], ['succeeded', 'succeeded', 'succeeded', 'running'])
        self.assertEqual([bytes(r.content).decode() for r in self.queue.rows('select content from report order by job_id')],
                         [f'report {id}' for id in jobs[:3]])
        self.assertEqual(set(self.complete_with_reports(tasks)), {'replayed'})
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))  # the rest of the last one
        self.assertEqual([t.job_id for t in self.queue.claim(self.host)], jobs[3:])

    def test_reports_of_whole_jobs_count_only_with_all_their_tasks(self):
        for outcomes, merged in ((['done', 'done', 'done', 'final'], 2), (['done'] * 3, 1)):
            first, second = self.submit(job(self.team, 2), job(self.team, 2))
            tasks = self.queue.claim(self.cpu)
            self.complete_with_reports(tasks[:len(outcomes)], outcomes=outcomes)
            self.assertEqual(self.queue.one('select count(*) from report where job_id = any(%s)', [first, second]), 0)
            merges = self.queue.claim(self.host)
            self.assertEqual([t.job_id for t in merges], [first, second][:merged])
            self.assertEqual(merges[0].partials, [b'partial', b'partial'])
            self.queue.complete(self.host, merges)
            if merged == 1:
                self.assertEqual(self.complete_with_reports(tasks[3:]), ['accepted'])
                self.run_merges()

    def test_tasks_that_are_not_in_a_row_are_not_whole(self):
        self.submit(job(self.team, 2))
        tasks = self.queue.claim(self.cpu)
        self.queue.release(self.cpu, tasks[1:])
        self.queue.complete(self.cpu, tasks[:1], outcome='retry', error='busy')
        self.assertEqual([(t.task, t.is_whole) for t in self.queue.claim(self.cpu)], [(1, False), (0, False)])

    def test_a_repeated_completion_differs_from_a_stale_one(self):
        self.submit(job(self.team, 2))
        tasks = self.queue.claim(self.cpu)
        self.assertEqual(self.queue.complete(self.cpu, tasks[:1]), ['accepted'])
        self.assertEqual(self.queue.complete(self.cpu, tasks), ['replayed', 'accepted'])
        self.assertEqual(self.queue.complete(self.cpu, tasks), ['replayed', 'replayed'])
        [merge] = self.queue.claim(self.host)
        self.assertEqual(self.queue.complete(self.host, [merge]), ['accepted'])
        self.assertEqual(self.queue.complete(self.host, [merge]), ['replayed'])
        self.assertEqual(self.queue.complete(self.host, [merge], fence=merge.fence + 1), ['stale'])

    def complete_whole(self, worker, jobs, partial=b'{}'):
        """Completes the rows of a claim by job as its worker does: tasks that are all done, in the claim's order."""
        tasks = sorted((place, row.job_id, task, items) for row in jobs
                       for place, task, items in zip(row.places, row.tasks, row.items or [0] * len(row.tasks)))
        n = len(tasks)
        return self.queue.call('complete', 'int int bigint bigint[] int[] bytea[] bytea[] int[] int[] real[]', *worker, jobs[0].fence,
                               [t[1] for t in tasks], [t[2] for t in tasks], [b'out'] * n, [partial] * n, [t[3] for t in tasks], [0] * n,
                               [0.01] * n)[0][0]

    def test_a_claim_by_job_brings_its_tasks_in_their_order_and_their_places_in_the_claim(self):
        first, second = self.submit(job(self.team, [task(10, data=b'a'), task(20), task(5, data=b'c')], args='{"model": "x"}'), job(self.team, 2))
        released = self.queue.claim(self.cpu, tasks=1)
        self.assertEqual(self.queue.release(self.cpu, released), 1)  # its task stands last now
        rows = {row.job_id: row for row in self.queue.claim_by_job(self.cpu)}
        row = rows[first]
        self.assertEqual((row.kind, row.kind_version, row.args, row.is_merge, row.partials), ('test', 1, {'model': 'x'}, False, None))
        self.assertEqual((row.tasks, row.items, row.inputs, row.attempts, row.places), ([0, 1, 2], [10, 20, 5], [b'a', b'in', b'c'], [1, 1, 1], [5, 1, 2]))
        self.assertEqual((rows[second].tasks, rows[second].places), ([0, 1], [3, 4]))
        self.assertEqual(self.queue.claim_by_job(self.cpu), [])
        self.assertEqual([self.complete_whole(self.cpu, list(rows.values())) for _ in range(2)], ['accepted', 'replayed'])
        merges = self.queue.claim_by_job(self.host)
        self.assertEqual([(m.job_id, m.is_merge, m.tasks, m.items, len(m.partials)) for m in merges],
                         [(first, True, [3], None, 3), (second, True, [2], None, 2)])
        self.assertEqual(self.complete_whole(self.host, merges, b'{"r": 3}'), 'accepted')
        for id in (first, second):
            self.assertEqual(self.queue.state(id), 'succeeded')
            self.assertEqual(bytes(self.queue.one('select content from report where job_id = %s', id)), b'{"r": 3}')
            self.assertEqual(self.event_types(id), ['started', 'finished'])

    def test_a_whole_lease_is_refused_late_and_of_a_job_that_is_being_cancelled(self):
        cancelled, other = self.submit(job(self.team, 2), job(self.team, 2))
        rows = self.queue.claim_by_job(self.cpu)
        self.queue.cancel(self.team, cancelled)
        self.assertEqual(self.complete_whole(self.cpu, rows), 'accepted')
        self.assertEqual([self.queue.state(id) for id in (cancelled, other)], ['cancelled', 'running'])
        self.assertEqual({r.job_id for r in self.queue.rows('select job_id from result')}, {other})
        self.submit(job(self.team, 2))
        late = self.queue.claim_by_job(self.cpu)
        self.queue.now = self.seconds_from_now(16)
        self.assertEqual(self.complete_whole(self.cpu, late), 'stale')

    def test_a_late_worker_records_nothing(self):
        [id] = self.submit(job(self.team, 2))
        late = self.queue.claim(self.cpu)
        self.queue.now = self.seconds_from_now(16)
        self.assertEqual(self.queue.complete(self.cpu, late), ['stale', 'stale'])  # before anybody noticed its silence
        self.assertFalse(self.queue.heartbeat(self.cpu, [late[0].fence]).alive)
        self.assertEqual(self.queue.expire(), 2)
        other = self.queue.register('other')
        again = self.queue.claim(other)
        self.assertEqual([(t.task, t.attempt) for t in again], [(0, 1), (1, 1)])  # nobody died
        self.assertGreater(again[0].fence, late[0].fence)
        self.assertEqual(self.queue.complete(self.cpu, late), ['stale', 'stale'])
        self.assertEqual(self.queue.complete(other, late), ['stale', 'stale'])
        self.assertEqual(self.queue.complete(other, again), ['accepted'] * 2)
        self.assertEqual(self.event_types(id), ['started', 'retried'])

    def test_a_task_that_a_worker_died_on_runs_alone(self):
        self.submit(job(self.team, 3))
        begun = self.queue.claim(self.cpu)
        self.assertEqual(len(begun), 3)
        self.cpu = self.queue.register('cpu', died=begun)
        claims = []
        while tasks := self.queue.claim(self.cpu):
            self.assertEqual(self.queue.claim(self.cpu), [])  # and beside no other lease
            self.queue.complete(self.cpu, tasks)
            claims.append([(t.task, t.attempt) for t in tasks])
        self.assertEqual(claims, [[(0, 2)], [(1, 2)], [(2, 2)]])

    def test_a_heartbeat_keeps_a_lease(self):
        self.submit(job(self.team))
        tasks = self.queue.claim(self.cpu)
        for seconds in (10, 20, 30):
            self.queue.now = self.seconds_from_now(seconds)
            beat = self.queue.heartbeat(self.cpu, [tasks[0].fence, 999])
            self.assertEqual((beat.alive, beat.stale_fences), (True, [999]))
            self.assertEqual(self.queue.expire(), 0)
        self.assertEqual(self.queue.complete(self.cpu, tasks), ['accepted'])

    def test_a_lease_unknown_to_its_worker_is_released(self):
        self.submit(job(self.team, 2), job(self.team))
        known, lost = self.queue.claim(self.cpu, tasks=2), self.queue.claim(self.cpu)
        for seconds in (10, 20):
            self.assertEqual(self.queue.one('select count(*) from lease'), 2)
            self.queue.now = self.seconds_from_now(seconds)
            self.queue.heartbeat(self.cpu, [known[0].fence])
        self.assertEqual([(t.job_id, t.attempt) for t in self.queue.claim(self.cpu)], [(lost[0].job_id, 1)])
        self.assertEqual(self.queue.complete(self.cpu, known), ['accepted', 'accepted'])

    def test_a_returning_worker_gets_a_new_epoch_and_releases_its_leases(self):
        self.submit(job(self.team))
        tasks = self.queue.claim(self.cpu)
        again = self.queue.register('cpu')
        self.assertEqual((again.worker_id, again.epoch), (self.cpu.worker_id, self.cpu.epoch + 1))
        self.assertEqual(self.queue.complete(self.cpu, tasks), ['stale'])
        self.assertEqual(self.queue.complete(again, tasks), ['stale'])
        self.assertFalse(self.queue.heartbeat(self.cpu).alive)
        with self.assertRaisesRegex(Exception, 'not registered or has expired') as raised:
            self.queue.claim(self.cpu)
        self.assertEqual(raised.exception.sqlstate, 'PLM01')
        self.assertEqual(len(self.queue.claim(again)), 1)

    def test_a_task_whose_workers_die_is_quarantined_and_the_job_continues(self):
        [id] = self.submit(job(self.team, [task(7), task(3)]))
        worker = self.cpu
        for _ in range(3):
            tasks = self.queue.claim(worker)
            if sound := [t for t in tasks if t.task == 1]:
                self.queue.complete(worker, sound)
            worker = self.queue.register('cpu', died=[t for t in tasks if t.task == 0])
        self.assertEqual(self.queue.claim(worker), [])
        self.run_merges()
        done = self.job(id)
        self.assertEqual((done.state, done.items_ok, done.items_failed, done.tasks_quarantined), ('succeeded', 3, 7, 1))
        self.assertEqual(self.event_types(id), ['started', 'retried', 'retried', 'quarantined', 'finished'])

    def test_a_job_all_of_whose_tasks_fail_fails_with_their_error(self):
        [id] = self.submit(job(self.team, 2))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu), outcome='final', error='no such model')
        done = self.job(id)
        self.assertEqual((done.state, done.error, done.items_failed), ('failed', 'no such model', 2))
        self.assertEqual(self.queue.claim(self.host), [])

    def test_a_failed_merge_fails_the_job(self):
        [id] = self.submit(job(self.team))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        self.queue.complete(self.host, self.queue.claim(self.host), outcome='final', error='cannot merge')
        self.assertEqual((self.job(id).state, self.job(id).error), ('failed', 'cannot merge'))

    def test_a_merge_waits_for_its_retry_like_any_task(self):
        [id] = self.submit(job(self.team))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        self.queue.complete(self.host, self.queue.claim(self.host), outcome='retry', error='busy', delay=5.0)
        self.assertEqual(self.queue.claim(self.host), [])
        self.queue.now = self.seconds_from_now(6)
        self.assertEqual(self.queue.promote(), 1)
        self.run_merges()
        self.assertEqual(self.queue.state(id), 'succeeded')

    def test_release_costs_no_attempt(self):
        self.submit(job(self.team, 3))
        tasks = self.queue.claim(self.cpu)
        self.assertEqual(self.queue.complete(self.cpu, tasks[:1]), ['accepted'])
        self.assertEqual(self.queue.release(self.cpu, tasks), 2)
        self.assertEqual([(t.task, t.attempt) for t in self.queue.claim(self.cpu)], [(1, 1), (2, 1)])
        self.assertTrue(self.queue.retire(self.cpu))
        again = self.queue.register('cpu')
        self.assertEqual([(t.task, t.attempt) for t in self.queue.claim(again)], [(1, 1), (2, 1)])

    def test_cancel_of_a_queued_job_is_at_once_and_leaves_others_alone(self):
        first, second = self.submit(job(self.team, 3), job(self.team, 2))
        self.assertEqual(self.queue.cancel(self.other_team, first), 'not_found')
        self.assertEqual(self.queue.cancel(self.team, first), 'cancelled')
        self.assertEqual(self.queue.cancel(self.team, first), 'finished')
        self.assertEqual([t.job_id for t in self.queue.claim(self.cpu)], [second, second])
        self.assertEqual(self.event_types(first), ['finished'])

    def test_cancel_of_a_running_job_records_nothing_more(self):
        [id] = self.submit(job(self.team, 4))
        tasks = self.queue.claim(self.cpu, tasks=3)
        self.queue.complete(self.cpu, tasks[:1])
        self.assertEqual(self.queue.cancel(self.team, id), 'cancelling')
        self.assertEqual(self.queue.cancel(self.team, id), 'cancelling')
        self.assertEqual(self.queue.heartbeat(self.cpu, [tasks[0].fence]).cancelled_jobs, [id])
        self.assertEqual(self.queue.complete(self.cpu, tasks[1:2]), ['cancelled'])
        self.assertEqual(self.queue.state(id), 'cancelling')
        self.assertEqual(self.queue.release(self.cpu, tasks[2:]), 1)
        self.assertEqual(self.queue.state(id), 'cancelled')
        self.assertEqual(self.queue.one('select count(*) from result where job_id = %s', id), 1)  # finished before the cancel
        self.assertEqual(self.queue.claim(self.cpu), [])
        self.assertEqual(self.event_types(id), ['started', 'cancelling', 'finished'])

    def test_cancel_while_the_worker_is_dead_and_while_merging(self):
        first, second, third = self.submit(job(self.team), job(self.team), job(self.team, run_at=self.seconds_from_now(60)))
        tasks = self.queue.claim(self.cpu)
        self.queue.cancel(self.team, first)
        self.queue.complete(self.cpu, [t for t in tasks if t.job_id == second])
        self.assertEqual(self.queue.cancel(self.team, second), 'cancelled')  # its merge was waiting
        self.assertEqual(self.queue.cancel(self.team, third), 'cancelled')  # its start time was
        self.queue.now = self.seconds_from_now(20)
        self.queue.expire()
        self.assertEqual(self.queue.state(first), 'cancelled')

    def test_a_job_with_a_start_time_waits_for_it(self):
        [id] = self.submit(job(self.team, 2, run_at=self.seconds_from_now(60)))
        self.assertEqual((self.queue.state(id), self.queue.promote(), self.queue.claim(self.cpu)), ('scheduled', 0, []))
        self.queue.now = self.seconds_from_now(61)
        self.cpu = self.queue.register('cpu')
        self.assertEqual((self.queue.promote(), self.queue.state(id)), (1, 'queued'))
        self.assertEqual(len(self.queue.claim(self.cpu)), 2)

    def test_the_same_key_makes_one_job(self):
        spec = lambda key, mark=b'f': job(self.team, key=key, fingerprint=mark)
        first, twin, other = self.queue.enqueue(spec('k'), spec('k'), spec('k', b'g'))
        self.assertEqual([r.outcome for r in (first, twin, other)], ['created', 'replayed', 'key_conflict'])
        again, foreign = self.queue.enqueue(spec('k'), job(self.other_team, key='k', fingerprint=b'g'))
        self.assertEqual((again.outcome, again.job_id, again.created_at), ('replayed', first.job_id, first.created_at))
        self.assertEqual(foreign.outcome, 'created')
        self.assertEqual(self.queue.one('select count(*) from job'), 2)
        self.queue.now = self.seconds_from_now(48 * 3600 + 1)
        self.queue.rows('select ensure_partitions(0, %s)', self.queue.now)
        self.assertEqual(self.queue.enqueue(spec('k'))[0].outcome, 'created')

    def test_concurrent_submits_with_one_key_make_one_job(self):
        queues = [self.second_queue() for _ in range(8)]

        def submit(queue):
            return [queue.enqueue(job(self.team, key='same', fingerprint=b'f'))[0] for _ in range(20)]

        with ThreadPoolExecutor() as pool:
            outcomes = sum(pool.map(submit, queues), [])
        self.assertEqual(len({o.job_id for o in outcomes}), 1)
        self.assertEqual(sum(o.outcome == 'created' for o in outcomes), 1)

    def test_a_finished_job_can_be_deleted_with_its_data(self):
        [id] = self.submit(job(self.team))
        delete = lambda team: self.queue.one('select outcome from delete_jobs(%s, array[%s::bigint])', team, id)
        self.assertEqual(delete(self.team), 'unfinished')
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        self.run_merges()
        self.assertEqual(delete(self.other_team), 'not_found')
        self.assertEqual(delete(self.team), 'deleted')
        for table in ('job_task', 'result', 'event', 'report', 'attempt'):
            self.assertEqual(self.queue.one(f'select count(*) from {table} where job_id = %s', id), 0, table)
        self.assertEqual(delete(self.team), 'not_found')

    def test_many_jobs_can_be_deleted_at_once(self):
        ended, running, others = self.submit(job(self.team), job(self.team), job(self.other_team))
        self.queue.complete(self.cpu, [t for t in self.queue.claim(self.cpu) if t.job_id in (ended, others)])
        self.run_merges()
        self.assertEqual(sorted(self.queue.rows('select * from delete_jobs(%s, %s)', self.team, [ended, running, others])),
                         [(ended, 'deleted'), (running, 'unfinished'), (others, 'not_found')])
        self.assertEqual([r.id for r in self.queue.rows('select id from job order by id')], [running, others])

    def test_who_follows_a_job_is_told_that_it_starts_unless_its_end_comes_at_once(self):
        moment, long, many = self.submit(job(self.team, [task(seconds=0.04)], merge=False), job(self.team, [task(seconds=0.06)], merge=False),
                                         job(self.team, [task(seconds=0.001)] * 2))
        listener = self.second_queue().connection
        listener.execute('listen plimsoll_job')

        def told():
            listener.execute("notify plimsoll_job, 'end'")  # it arrives after what was committed before
            payloads = iter(notice.payload for notice in listener.notifies())
            return [int(id) for payload in iter(lambda: next(payloads), 'end') for id in payload.split(',')]

        tasks = self.queue.claim(self.cpu, seconds=0.03)
        self.assertEqual((tasks[0].job_id, told()), (moment, []))
        tasks += self.queue.claim(self.cpu)
        self.assertEqual((self.queue.state(moment), sorted(told())), ('running', [long, many]))
        self.queue.complete(self.cpu, tasks[:1])
        self.assertEqual(told(), [moment])

    def test_progress_of_running_tasks_is_a_snapshot(self):
        [id] = self.submit(job(self.team, [task(100)]))
        tasks = self.queue.claim(self.cpu)
        self.queue.heartbeat(self.cpu, [tasks[0].fence], [(id, 40)])
        self.assertEqual(self.queue.one('select job_progress(%s)', id), 40)
        self.assertEqual(self.queue.rows('select tasks_running, seen from list_devices(%s) where device = %s', self.moment, 'cpu'), [(1, True)])

    def test_invalid_arguments_refuse_the_whole_call(self):
        bad = job(self.team, device_class='tpu')
        for jobs in ([bad], [job(self.team), bad]):
            with self.assertRaises(Exception) as raised:
                self.queue.enqueue(*jobs)
            self.assertEqual(raised.exception.sqlstate, '22023')
        self.submit(job(self.team))
        tasks = self.queue.claim(self.cpu)
        for wrong in (dict(outcome='perhaps'), dict(outcome=None)):
            with self.assertRaises(Exception) as raised:
                self.queue.complete(self.cpu, tasks, **wrong)
            self.assertEqual(raised.exception.sqlstate, '22023')
        with self.assertRaises(Exception):
            self.queue.complete(self.cpu, tasks * 2)
        self.assertEqual(self.queue.one('select count(*) from job'), 1)


if __name__ == '__main__':
    unittest.main()
