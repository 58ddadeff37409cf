"""Tasks that fail or kill their workers, and redrives of failed jobs."""

import unittest

from queue_case import QueueCase
from queue_client import job, task

MINUTE = 60


class Retries(QueueCase):
    def fail(self, tasks, outcome='retry', error='busy', delay=None, worker=None):
        return self.queue.complete(worker or self.cpu, tasks, outcome=outcome, error=error, delay=delay)

    def test_an_input_is_handed_out_alike_from_the_jobs_row_or_its_own(self):
        short, long = b's' * 128, b'l' * 129  # the long one has a row in task
        alone = [[task(3, data=short)], [task(4, data=long)], [task(5, data=None)]]
        later = [[task(6, data=short)], [task(7, data=long)]]
        ids = self.submit(*(job(self.team, tasks, merge=False) for tasks in alone),
                          *(job(self.team, tasks, merge=False, run_at=self.seconds_from_now(5)) for tasks in later))
        self.assertEqual([r.job_id for r in self.queue.rows('select job_id from task order by 1')], [ids[1], ids[4]])
        listed = self.queue.rows('select job_id, seq, first_item, items, input from job_task order by 1')
        self.assertEqual([(*r[:4], r.input and bytes(r.input)) for r in listed],
                         [(id, 0, 0, items, data) for id, [(items, _, data)] in zip(ids, alone + later)])

        def claim():
            tasks = self.queue.claim(self.cpu)
            return tasks, {(t.job_id, t.task, t.items, t.input) for t in tasks}

        expected = lambda some: {(id, 0, items, data) for id, [(items, _, data)] in zip(ids, alone + later) if id in some}
        tasks, found = claim()  # first tasks alone
        self.assertEqual(found, expected(ids[:3]))
        self.queue.complete(self.cpu, tasks, outcome='final', error='cannot')
        self.assertEqual([self.job(id).items_failed for id in ids[:3]], [3, 4, 5])
        self.assertEqual(set(self.queue.redrive(self.team, *ids[:3]).values()), {'redriven'})
        self.pass_time(5)
        self.assertEqual(self.queue.promote(), 2)
        [split] = self.submit(job(self.team, [task(1), task(1)]))
        tasks, found = claim()  # beside another task of a job
        self.assertEqual(found, expected(ids) | {(split, 0, 1, b'in'), (split, 1, 1, b'in')})
        self.queue.complete(self.cpu, tasks)
        self.run_merges()
        self.assertEqual([(self.job(id).state, self.job(id).items_ok) for id in (*ids, split)], [('succeeded', n) for n in (3, 4, 5, 6, 7, 2)])
        for id, [(items, _, _)] in zip(ids, alone + later):
            [row] = self.queue.rows("select task, first_item, items, state from list_tasks(%s, %s, -1, null, null, null, null, null, 100, 10)", self.team, id)
            self.assertEqual(tuple(row), (0, 0, items, 'done'))

    def test_a_retry_waits_for_its_time_and_is_bounded(self):
        [id] = self.submit(job(self.team))
        self.queue.connection.execute('update job set max_attempts = 3')
        for attempt, delay in ((1, None), (2, 30.0)):
            tasks = self.queue.claim(self.cpu)
            self.assertEqual(tasks[0].attempt, attempt)
            self.assertEqual(self.fail(tasks, delay=delay), ['accepted'])
            self.assertEqual(self.fail(tasks, delay=delay), ['replayed'])
        self.assertEqual((self.queue.claim(self.cpu), self.queue.promote()), ([], 0))
        self.pass_time(31)
        self.assertEqual(self.queue.promote(), 1)
        self.fail(self.queue.claim(self.cpu))
        self.assertEqual((self.job(id).state, self.job(id).error), ('failed', 'busy'))
        self.assertEqual(self.queue.one('select count(*) from attempt where job_id = %s', id), 3)
        self.queue.connection.execute("select set_config('app.team_id', %s, false)", [str(self.team)])
        told = self.queue.rows('select outcome, started_at, ended_at from list_attempts(%s, %s, -1, 0, 10)', self.team, id)
        self.assertEqual([one.outcome for one in told], ['retry', 'retry', 'quarantined'])
        for before, one in zip([None, *told], told):
            self.assertLessEqual(one.started_at, one.ended_at)
            if before:
                self.assertGreaterEqual(one.started_at, before.ended_at)

    def test_a_reports_its_retries_and_the_last_error(self):
        [id] = self.submit(job(self.team, 2))
        self.assertEqual((self.job(id).retries, self.job(id).last_error), (0, None))
        first, second = self.queue.claim(self.cpu)
        self.fail([first], error='no memory', delay=5.0)
        self.assertEqual((self.job(id).retries, self.job(id).last_error), (1, 'no memory'))
        self.queue.complete(self.cpu, [second])
        self.assertEqual((self.job(id).retries, self.job(id).last_error), (1, 'no memory'))
        self.pass_time(6)
        self.queue.promote()
        self.fail(self.queue.claim(self.cpu), outcome='final', error='not a text')
        self.assertEqual((self.job(id).retries, self.job(id).last_error), (1, 'not a text'))

    def test_the_jobs_of_a_device_are_those_whose_tasks_it_ran_or_runs(self):
        failed, done, running, waiting = self.submit(*[job(self.team) for _ in range(4)])
        self.queue.connection.execute('update job set max_attempts = 1 where id = %s', [failed])
        [(node, device)] = self.queue.rows('select node, device from worker where id = %s', self.cpu[0])
        found = lambda node, device: sorted(row[0] for row in self.queue.rows(
            'select jobs_of_device(%s, %s, %s)', [failed, done, running, waiting], node, device))
        self.assertEqual(found(node, device), [])
        self.fail(self.queue.claim(self.cpu, tasks=1))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu, tasks=1))
        self.queue.claim(self.cpu, tasks=1)
        self.assertEqual(found(node, device), sorted([failed, done, running]))
        self.assertEqual([found('nowhere', device), found(node, 'none')], [[], []])

    def test_a_task_that_waits_for_its_retry_does_not_block_its_lane(self):
        first, second = self.submit(job(self.team), job(self.team))
        self.fail(self.queue.claim(self.cpu, tasks=1), delay=30.0)
        [other] = self.queue.claim(self.cpu)
        self.assertEqual(other.job_id, second)
        self.assertEqual(self.queue.complete(self.cpu, [other]), ['accepted'])
        self.pass_time(31)
        self.queue.promote()
        self.assertEqual([t.job_id for t in self.queue.claim(self.cpu)], [first])


class Poison(QueueCase):
    DIED = {'outcome': 'died', 'error': 'It ran away.', 'seconds': 7.0, 'content': None, 'partial': None}

    def die(self, device, tasks):
        """The worker's process dies while it runs these, and a new one comes."""
        return self.queue.register(device, died=tasks)

    def fall_silent(self, worker):
        self.queue.connection.execute("update worker set seen_at = seen_at - interval '16 s' where id = %s", (worker.worker_id,))
        self.queue.expire()

    def crashes(self):
        return self.queue.rows('select task, attempt, crashes from ready order by task')

    def test_a_task_that_killed_a_worker_runs_next_on_another_device(self):
        self.submit(job(self.team), job(self.team))
        gpu = self.queue.register('second')
        [deadly] = self.queue.claim(self.cpu, tasks=1)
        self.cpu = self.die('cpu', [deadly])
        # It stands at the end of its lane: first what was there before, then not what it died on.
        self.assertNotEqual(self.queue.claim(self.cpu)[0].job_id, deadly.job_id)
        self.assertEqual(self.queue.claim(self.cpu), [])
        self.assertEqual([(t.job_id, t.attempt) for t in self.queue.claim(gpu)], [(deadly.job_id, 2)])

    def test_only_what_had_begun_is_suspect(self):
        self.submit(job(self.team, 5))
        tasks = self.queue.claim(self.cpu)
        self.cpu = self.die('cpu', tasks[1:2])
        self.assertEqual([tuple(row) for row in self.crashes()], [(0, 1, 0), (1, 2, 1), (2, 1, 0), (3, 1, 0), (4, 1, 0)])
        attempts = self.queue.rows('select seq, outcome, error from attempt')
        self.assertEqual([tuple(row) for row in attempts], [(1, 'worker_died', 'The worker that ran the task died.')])
        # The others go on together, and it runs alone.
        again = [[t.task for t in self.queue.claim(self.cpu)] for _ in range(2)]
        self.assertEqual(again[0], [0, 2, 3, 4])
        self.assertEqual(again[1], [], 'the worker has something else')

    def test_a_worker_that_is_not_heard_of_is_no_death(self):
        [id] = self.submit(job(self.team, 2))
        for _ in range(25):  # more than there are attempts
            self.assertEqual([t.attempt for t in self.queue.claim(self.cpu)], [1, 1])
            self.fall_silent(self.cpu)
            self.cpu = self.queue.register('cpu')
        self.assertEqual([tuple(row) for row in self.crashes()], [(0, 1, 0), (1, 1, 0)])
        self.assertEqual(self.queue.one("select count(*) from attempt where outcome <> 'worker_lost'"), 0)
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        self.run_merges()
        self.assertEqual(self.queue.state(id), 'succeeded')

    def test_a_process_that_registers_again_died_of_nothing(self):
        self.submit(job(self.team))
        self.queue.claim(self.cpu)
        self.cpu = self.queue.register('cpu')
        self.assertEqual([tuple(row) for row in self.crashes()], [(0, 1, 0)])

    def test_a_death_that_is_heard_of_late_counts_wherever_the_task_is(self):
        self.submit(job(self.team), job(self.team), job(self.team))
        second = self.queue.register('second')
        tasks = self.queue.claim(self.cpu)
        self.fall_silent(self.cpu)
        elsewhere = self.queue.claim(second, tasks=2)
        self.queue.complete(second, [elsewhere.pop()], outcome='retry', error='no memory', delay=30.0)
        self.cpu = self.die('cpu', tasks)
        self.assertEqual(self.queue.one('select crashes from lease'), [1])
        self.assertEqual(self.queue.one('select crashes from scheduled'), 1)
        self.assertEqual([row.crashes for row in self.crashes()], [1])
        self.cpu = self.die('cpu', tasks)  # told twice
        self.assertEqual([row.crashes for row in self.crashes()], [1])
        self.assertEqual(self.queue.complete(second, elsewhere), ['accepted'])

    def test_a_reported_death_counts_as_one(self):
        [id] = self.submit(job(self.team))
        gpu = self.queue.register('second')
        [deadly] = self.queue.claim(self.cpu)
        self.assertEqual(self.queue.complete(self.cpu, [deadly], **self.DIED), ['accepted'])
        self.assertEqual(self.queue.complete(self.cpu, [deadly], **self.DIED), ['replayed'])
        self.assertEqual((self.job(id).retries, self.job(id).last_error, self.job(id).charged_seconds), (1, 'It ran away.', 7.0))
        self.cpu = self.die('cpu', [deadly])  # which it had said
        self.assertEqual([tuple(row) for row in self.crashes()], [(0, 2, 1)])
        self.assertEqual(self.queue.claim(self.cpu), [], 'what it died on goes elsewhere')
        [again] = self.queue.claim(gpu)
        self.assertEqual((again.job_id, again.attempt), (id, 2))
        self.assertEqual(self.queue.complete(gpu, [again], **self.DIED), ['accepted'])
        [again] = self.queue.claim(self.queue.register('third'))
        third = self.queue.register('third', died=[again])
        self.assertEqual((self.job(id).state, self.job(id).error), ('failed', 'Three workers died while running the task.'))
        outcomes = self.queue.rows('select outcome, error from attempt where job_id = %s order by attempt', id)
        self.assertEqual([tuple(row) for row in outcomes], [('worker_died', 'It ran away.')] * 2
                         + [('worker_died', 'Three workers died while running the task.')])
        self.assertEqual(self.queue.claim(third), [])

    def test_a_death_after_a_failure_is_the_first_death(self):
        self.submit(job(self.team))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu), outcome='retry', error='no memory')
        self.queue.complete(self.cpu, self.queue.claim(self.cpu), outcome='died', error='It ran away.', content=None, partial=None)
        [again] = self.queue.claim(self.cpu)
        self.assertEqual(again.attempt, 3)

    def test_lanes_of_others_are_not_blocked_by_it(self):
        [first] = self.submit(job(self.team))
        self.queue.register('second')
        self.cpu = self.die('cpu', self.queue.claim(self.cpu))
        [foreign] = self.submit(job(self.other_team))
        self.assertEqual([t.job_id for t in self.queue.claim(self.cpu)], [foreign])
        self.assertEqual(self.queue.state(first), 'running')

    def test_a_minute_of_waiting_for_another_device_is_enough(self):
        [id] = self.submit(job(self.team))
        self.queue.register('second')
        self.cpu = self.die('cpu', self.queue.claim(self.cpu))
        for seconds, claimed in ((1, []), (59, []), (61, [id])):
            self.pass_time(seconds)
            self.assertEqual([t.job_id for t in self.queue.claim(self.cpu)], claimed)

    def test_it_does_not_wait_for_workers_that_cannot_run_it(self):
        [id] = self.submit(job(self.team, memory=12))
        others = [self.queue.register('small', memory=11), self.queue.register('other', kinds=['other:1']),
                  self.queue.register('gone'), self.queue.register('class', 'gpu')]
        self.queue.retire(others[2])
        self.cpu = self.die('cpu', self.queue.claim(self.cpu))
        self.assertEqual([t.job_id for t in self.queue.claim(self.cpu)], [id])

    def test_the_third_death_quarantines_it_with_the_reason(self):
        [id] = self.submit(job(self.team, [task(7), task(3)]))
        second, third = self.queue.register('second'), self.queue.register('third')
        [deadly, sound] = self.queue.claim(self.cpu)
        self.queue.complete(self.cpu, [sound])
        self.die('cpu', [deadly])
        self.die('second', self.queue.claim(second))
        self.assertEqual(self.event_types(id), ['started', 'retried', 'retried'])
        self.die('third', self.queue.claim(third))
        self.run_merges()
        done = self.job(id)
        self.assertEqual((done.state, done.items_ok, done.items_failed, done.tasks_quarantined), ('succeeded', 3, 7, 1))
        self.assertEqual(done.last_error, 'Three workers died while running the task.')
        self.assertEqual(self.queue.rows('select seq, state, error from result where job_id = %s and state <> %s', id, 'done'),
                         [(0, 'quarantined', 'Three workers died while running the task.')])
        self.assertEqual(self.event_types(id), ['started', 'retried', 'retried', 'quarantined', 'finished'])

    def test_a_task_that_hangs_its_workers_ends_although_their_leases_end_first(self):
        [id] = self.submit(job(self.team))
        for device in ('cpu', 'second', 'third'):
            worker = self.queue.register(device)
            tasks = self.queue.claim(worker)
            self.fall_silent(worker)
            if self.job(id).state == 'running':
                self.die(device, tasks)
        self.assertEqual((self.job(id).state, self.job(id).error),
                         ('failed', 'Two workers died while running the task, and a third one was not heard of again.'))

    def test_a_release_between_two_deaths_does_not_count(self):
        self.submit(job(self.team))
        second = self.queue.register('second')
        self.cpu = self.die('cpu', self.queue.claim(self.cpu))
        tasks = self.queue.claim(second)
        self.queue.release(second, tasks)
        self.assertEqual(self.queue.claim(self.cpu), [])  # still another's
        self.assertEqual([t.attempt for t in self.queue.claim(second)], [2])


class Redrive(QueueCase):
    def failed(self, *jobs):
        ids = self.submit(*jobs)
        self.queue.complete(self.cpu, self.queue.claim(self.cpu), outcome='final', error='no such model')
        self.assertEqual([self.queue.state(id) for id in ids], ['failed'] * len(ids))
        return ids

    def test_a_failed_job_runs_again_as_itself(self):
        [id] = self.failed(job(self.team, [task(7), task(3)]))
        self.assertEqual(self.queue.redrive(self.team, id), {id: 'redriven'})
        again = self.job(id)
        self.assertEqual((again.state, again.error, again.finished_at, again.items_failed, again.tasks_left), ('queued', None, None, 0, 2))
        self.assertEqual(again.last_error, 'no such model')  # the failure is not forgotten
        tasks = self.queue.claim(self.cpu)
        self.assertEqual([(t.task, t.items, t.attempt) for t in tasks], [(0, 7, 1), (1, 3, 1)])
        self.queue.complete(self.cpu, tasks)
        self.run_merges()
        self.assertEqual((self.job(id).state, self.job(id).items_ok), ('succeeded', 10))
        self.assertEqual(self.event_types(id), ['started', 'quarantined', 'finished', 'redriven', 'started', 'finished'])

    def test_only_what_failed_runs_again(self):
        [id] = self.submit(job(self.team, 3))
        tasks = self.queue.claim(self.cpu)
        self.queue.complete(self.cpu, tasks[:1] + tasks[2:], partial=b'kept')
        self.queue.complete(self.cpu, tasks[1:2], outcome='final', error='bad luck')
        self.run_merges()
        self.assertEqual((self.queue.state(id), self.job(id).items_failed), ('succeeded', 1))
        self.assertEqual(self.queue.redrive(self.team, id), {id: 'redriven'})
        again = self.queue.claim(self.cpu)
        self.assertEqual([t.task for t in again], [1])
        self.queue.complete(self.cpu, again, partial=b'new')
        [merge] = self.queue.claim(self.host)
        self.assertEqual([bytes(p) for p in merge.partials], [b'kept', b'new', b'kept'])
        self.queue.complete(self.host, [merge], partial=b'{"r": 2}')
        self.assertEqual(bytes(self.queue.one('select content from report where job_id = %s', id)), b'{"r": 2}')
        self.assertEqual((self.job(id).items_ok, self.job(id).items_failed), (3, 0))

    def test_a_failed_merge_runs_again(self):
        [id] = self.submit(job(self.team))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        self.queue.complete(self.host, self.queue.claim(self.host), outcome='final', error='cannot merge')
        self.assertEqual(self.queue.redrive(self.team, id), {id: 'redriven'})
        self.assertEqual(self.queue.claim(self.cpu), [])
        self.run_merges()
        self.assertEqual(self.queue.state(id), 'succeeded')

    def test_a_cancelled_job_continues_where_it_stopped(self):
        [id] = self.submit(job(self.team, 3))
        tasks = self.queue.claim(self.cpu, tasks=2)
        self.queue.complete(self.cpu, tasks[:1])
        self.queue.cancel(self.team, id)
        self.assertEqual(self.queue.redrive(self.team, id), {id: 'unfinished'})
        self.queue.release(self.cpu, tasks[1:])
        self.assertEqual(self.queue.redrive(self.team, id), {id: 'redriven'})
        self.assertEqual([t.task for t in self.queue.claim(self.cpu)], [1, 2])

    def test_many_jobs_of_several_classes_each_get_an_answer(self):
        ids = self.failed(job(self.team), job(self.team), job(self.other_team))
        [on_host] = self.submit(job(self.team, device_class='host'))
        self.queue.complete(self.host, self.queue.claim(self.host), outcome='final', error='x')
        [running] = self.submit(job(self.team))
        [whole] = self.submit(job(self.team, merge=False))
        self.queue.complete(self.cpu, [t for t in self.queue.claim(self.cpu) if t.job_id == whole])
        self.assertEqual(self.queue.redrive(self.team, *ids, on_host, running, whole, 77), {
            77: 'not_found', ids[0]: 'redriven', ids[1]: 'redriven', ids[2]: 'not_found', on_host: 'redriven', running: 'unfinished', whole: 'complete'})
        self.assertEqual({t.job_id for t in self.queue.claim(self.cpu)}, {ids[0], ids[1]})
        self.assertEqual({t.job_id for t in self.queue.claim(self.host)}, {on_host})

    def test_a_redriven_job_can_be_cancelled_and_redriven_again(self):
        [id] = self.failed(job(self.team, 2))
        self.queue.redrive(self.team, id)
        self.assertEqual(self.queue.cancel(self.team, id), 'cancelled')
        self.assertEqual(self.queue.redrive(self.team, id), {id: 'redriven'})
        self.assertEqual(len(self.queue.claim(self.cpu)), 2)

    def test_a_late_worker_of_the_first_run_records_nothing_in_the_second(self):
        [id] = self.submit(job(self.team))
        late = self.queue.claim(self.cpu)
        self.queue.register('cpu')
        again = self.queue.register('cpu')
        self.queue.complete(again, self.queue.claim(again), outcome='final', error='x')
        self.queue.redrive(self.team, id)
        self.assertEqual(self.queue.complete(again, late), ['stale'])
        self.assertEqual(self.queue.state(id), 'queued')


class Aging(QueueCase):
    def claimed(self, minutes):
        self.pass_time(minutes * MINUTE)
        tasks = self.queue.claim(self.cpu, tasks=1)
        self.queue.complete(self.cpu, tasks)
        return tasks[0].job_id

    def test_a_higher_priority_goes_first_within_the_team(self):
        low, high = self.submit(job(self.team, priority=-10), job(self.team, priority=10))
        self.assertEqual([self.claimed(0), self.claimed(0)], [high, low])

    def test_a_minute_of_waiting_adds_a_level(self):
        [low] = self.submit(job(self.team, priority=0))
        self.queue.now = self.seconds_from_now(3 * MINUTE)
        [two, three] = self.submit(job(self.team, priority=2), job(self.team, priority=4))
        self.assertEqual([self.claimed(3) for _ in range(3)], [three, low, two])

    def test_nothing_starves_behind_a_stream_of_urgent_tasks(self):
        [low] = self.submit(job(self.team, priority=-10))
        served = []
        for minute in range(30):
            self.queue.now = self.seconds_from_now(minute * MINUTE)
            self.submit(job(self.team, priority=10))
            served.append(self.claimed(minute))
            if low in served:
                break
        self.assertEqual(len(served), 21)  # 20 levels are 20 minutes; then it is the older one


if __name__ == '__main__':
    unittest.main()
