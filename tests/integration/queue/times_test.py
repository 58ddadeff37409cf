"""Times that limit a job: start time, deadline and timeout."""

import unittest

from queue_case import QueueCase
from queue_client import job


class Times(QueueCase):
    def test_a_deadline_ends_a_job_that_waits(self):
        [id] = self.submit(job(self.team, 2, deadline=self.seconds_from_now(60)))
        self.pass_time(59)
        self.assertEqual((self.queue.end_overdue(), self.queue.state(id)), ([], 'queued'))
        self.pass_time(60)
        self.assertEqual(self.queue.end_overdue(), [(id, 'failed')])
        ended = self.job(id)
        self.assertEqual((ended.state, ended.finished_at), ('failed', self.queue.now))
        self.assertRegex(ended.error, r'^The job did not finish by its deadline, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.$')
        self.assertEqual(self.queue.claim(self.cpu), [])
        self.assertEqual(self.event_types(id), ['finished'])
        self.assertEqual(self.queue.one("select data ->> 'error' from job_event where job_id = %s and type = 'finished'", id), ended.error)

    def test_a_deadline_stops_running_tasks_at_their_devices(self):
        [id] = self.submit(job(self.team, 3, deadline=self.seconds_from_now(60)))
        tasks = self.queue.claim(self.cpu, tasks=2)
        self.queue.complete(self.cpu, tasks[:1])
        self.pass_time(61)
        self.assertEqual(self.queue.end_overdue(), [(id, 'cancelling')])
        self.assertEqual(self.queue.end_overdue(), [])
        self.assertEqual(self.queue.heartbeat(self.cpu, [tasks[0].fence]).cancelled_jobs, [id])
        self.assertEqual(self.queue.complete(self.cpu, tasks[1:]), ['cancelled'])
        self.assertEqual(self.job(id).state, 'failed')
        self.assertIn('deadline', self.job(id).error)
        self.assertEqual(self.job(id).items_ok, 1)  # what was done before is kept
        self.assertEqual(self.event_types(id), ['started', 'cancelling', 'finished'])

    def test_a_deadline_ends_a_job_that_waits_for_its_start_or_its_retry(self):
        scheduled, retrying = self.submit(job(self.team, run_at=self.seconds_from_now(90), deadline=self.seconds_from_now(60)),
                                          job(self.team, deadline=self.seconds_from_now(60)))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu), outcome='retry', error='busy', delay=90.0)
        self.pass_time(61)
        self.assertEqual(sorted(self.queue.end_overdue()), sorted([(scheduled, 'failed'), (retrying, 'failed')]))
        self.pass_time(91)
        self.assertEqual(self.queue.promote(), 0)

    def test_a_timeout_counts_from_the_start(self):
        [id] = self.submit(job(self.team, timeout=30))
        self.pass_time(100)
        self.assertEqual(self.queue.end_overdue(), [])
        tasks = self.queue.claim(self.cpu)
        self.pass_time(129)
        self.assertEqual(self.queue.end_overdue(), [])
        self.pass_time(130)
        self.assertEqual(self.queue.end_overdue(), [(id, 'cancelling')])
        self.queue.release(self.cpu, tasks)
        self.assertEqual((self.job(id).state, self.job(id).error), ('failed', 'The job was stopped: it had run for 30 s, its timeout.'))

    def test_jobs_that_ended_in_time_are_unaffected(self):
        [id] = self.submit(job(self.team, deadline=self.seconds_from_now(60), timeout=30))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        self.run_merges()
        self.pass_time(61)
        self.assertEqual(self.queue.end_overdue(), [(id, 'passed')] * 2)
        self.assertEqual(self.queue.state(id), 'succeeded')

    def test_a_merge_that_is_late_is_stopped_too(self):
        [id] = self.submit(job(self.team, deadline=self.seconds_from_now(60)))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        self.pass_time(61)
        self.assertEqual(self.queue.end_overdue(), [(id, 'failed')])
        self.assertEqual(self.queue.claim(self.host), [])

    def test_a_cancel_that_came_first_stays_a_cancel(self):
        [id] = self.submit(job(self.team, deadline=self.seconds_from_now(60)))
        tasks = self.queue.claim(self.cpu)
        self.queue.cancel(self.team, id)
        self.pass_time(61)
        self.assertEqual(self.queue.end_overdue(), [(id, 'passed')])
        self.queue.release(self.cpu, tasks)
        self.assertEqual((self.job(id).state, self.job(id).error), ('cancelled', None))

    def test_a_redriven_job_has_a_new_timeout_and_no_old_deadline(self):
        late, slow = self.submit(job(self.team, deadline=self.seconds_from_now(60)), job(self.team, timeout=30, priority=5))
        self.queue.release(self.cpu, [t for t in self.queue.claim(self.cpu) if t.job_id == late])
        self.pass_time(61)
        self.queue.end_overdue()
        self.cpu = self.queue.register('cpu')  # its tasks are dropped
        self.assertEqual([self.queue.state(id) for id in (late, slow)], ['failed', 'failed'])
        self.assertEqual(self.queue.redrive(self.team, late, slow), {late: 'redriven', slow: 'redriven'})
        self.assertIsNone(self.job(late).deadline)
        tasks = self.queue.claim(self.cpu)
        self.pass_time(90)
        self.assertEqual(self.queue.end_overdue(), [])
        self.queue.complete(self.cpu, tasks)
        self.run_merges()
        self.assertEqual([self.queue.state(id) for id in (late, slow)], ['succeeded', 'succeeded'])


class Waiting(QueueCase):
    def reason(self, id):
        return self.queue.wait(self.team, id).reason

    def test_a_job_says_what_it_waits_for(self):
        scheduled, first, second = self.submit(job(self.team, run_at=self.seconds_from_now(60)), job(self.team, 3), job(self.team))
        row = self.queue.wait(self.team, scheduled)
        self.assertEqual((row.reason, row.until), ('scheduled', self.seconds_from_now(60)))
        self.assertEqual(self.reason(first), 'busy')
        row = self.queue.wait(self.team, second)
        self.assertEqual((row.reason, row.tasks_ahead, row.device_class), ('own_jobs', 3, 'cpu'))
        tasks = self.queue.claim(self.cpu, tasks=3)
        self.assertEqual((self.reason(first), self.reason(second)), ('running', 'busy'))
        self.queue.complete(self.cpu, tasks[1:])
        self.queue.complete(self.cpu, tasks[:1], outcome='retry', error='busy', delay=9.0)
        row = self.queue.wait(self.team, first)
        self.assertEqual((row.reason, row.until), ('retrying', self.seconds_from_now(9)))

    def test_a_more_urgent_job_of_the_team_is_ahead_a_later_one_is_not(self):
        usual, urgent, later = self.submit(job(self.team, 2), job(self.team, 4, priority=1), job(self.team))
        self.assertEqual(self.queue.wait(self.team, usual).tasks_ahead, 4)
        self.assertEqual(self.queue.wait(self.team, urgent).tasks_ahead, 0)
        self.assertEqual(self.queue.wait(self.team, later).tasks_ahead, 6)

    def test_devices_that_are_missing_unfit_or_at_the_cap(self):
        on_gpu, big, sound = self.submit(job(self.team, device_class='gpu'), job(self.team, memory=30), job(self.team))
        self.assertEqual((self.reason(on_gpu), self.reason(big)), ('no_device', 'no_fit'))
        for id, device_class in ((on_gpu, 'gpu'), (big, 'cpu')):
            row = self.queue.wait(self.team, id)
            self.assertEqual((row.device_class, row.share['device_class']), (device_class, device_class))
        self.queue.rows("select set_account(%s, 'cpu', null, 0, null)", self.team)
        self.assertEqual(self.reason(sound), 'cap')
        self.queue.rows("select set_account(%s, 'cpu', null, 1, true)", self.team)
        self.assertEqual(self.reason(sound), 'paused')

    def test_a_merge_waits_on_the_host(self):
        [id] = self.submit(job(self.team))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        row = self.queue.wait(self.team, id)
        self.assertEqual((row.reason, row.device_class), ('busy', 'host'))
        self.queue.retire(self.host)
        self.assertEqual(self.reason(id), 'no_device')

    def test_an_ended_or_foreign_job_waits_for_nothing(self):
        [id] = self.submit(job(self.team))
        self.assertEqual(self.queue.call('explain_wait', 'bigint bigint', self.other_team, id), [])
        self.queue.cancel(self.team, id)
        self.assertEqual(self.queue.call('explain_wait', 'bigint bigint', self.team, id), [])


if __name__ == '__main__':
    unittest.main()
