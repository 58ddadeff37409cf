"""Tasks that another class runs: their charges, their end, and the explanation of waiting."""

import unittest
from concurrent.futures import ThreadPoolExecutor

from help_case import HelpCase
from queue_client import job


class Pays(HelpCase):
    def test_charged_as_estimated_whatever_the_helper_takes(self):
        """In the account, in its quota's period, of the job and of what was used; with a device of another speed, too."""
        fast = self.queue.register('fast', 'gpu', helps=['test:1'], speed=4)
        for worker, outcome in ((self.helper, 'done'), (fast, 'done'), (self.helper, 'retry')):
            with self.subTest(worker=worker, outcome=outcome):
                before = self.state_of() if self.queue.rows('select from account') else None
                job_id = self.backlog(40, seconds=0.5)
                tasks = self.queue.claim_elsewhere(worker, tasks=5)
                charged = self.state_of()
                self.assertAlmostEqual(charged.vtime - (before.vtime if before else 0), 2.5, 5)
                self.queue.complete(worker, tasks, seconds=77, outcome=outcome, error='no' if outcome == 'retry' else None)
                after = self.state_of()
                self.assertAlmostEqual(after.vtime, charged.vtime, 5)
                self.assertAlmostEqual(after.usage, charged.usage, 5)
                self.assertAlmostEqual(after.period_seconds, charged.period_seconds, 5)
                self.assertAlmostEqual(self.job(job_id).charged_seconds, 2.5, 5)
                self.queue.cancel(self.team, job_id)

    def test_part_of_a_lease_and_the_loss_of_a_worker(self):
        job_id = self.backlog(10, seconds=0.5)
        tasks = self.queue.claim_elsewhere(self.helper, tasks=4)
        self.assertEqual(self.queue.complete(self.helper, tasks[2:3], seconds=9), ['accepted'])
        self.assertEqual(self.job(job_id).charged_seconds, 0.5)
        rest = [tasks[3], tasks[0], tasks[1]]
        verdict = self.queue.call(
            'complete', 'int int bigint bigint[] int[] bytea[] bytea[] int[] int[] real[]', *self.helper, tasks[0].fence,
            [t.job_id for t in rest], [t.task for t in rest], [b'out'] * 3, [b'{}'] * 3, [1] * 3, [0] * 3, [9.0] * 3)[0][0]
        self.assertEqual(verdict, 'accepted')
        self.assertEqual(self.job(job_id).charged_seconds, 2)

    def test_in_its_own_class_a_worker_pays_as_measured(self):
        job_id = self.backlog(2)
        self.queue.complete(self.cpu, self.queue.claim(self.cpu, tasks=1), seconds=9)
        self.assertEqual(self.job(job_id).charged_seconds, 9)

    def test_released_tasks_cost_nothing(self):
        self.backlog()
        tasks = self.queue.claim_elsewhere(self.helper, tasks=3)
        self.queue.release(self.helper, tasks)
        self.assertAlmostEqual(self.state_of().vtime, 0)
        self.assertEqual(self.state_of().slots, 0)

    def test_its_slot_counts_and_each_device_of_the_class_keeps_one(self):
        self.backlog()
        for cap, taken in ((1, 0), (2, 1)):
            self.queue.set_share(self.team, cap=cap)
            self.assertEqual(self.helped(tasks=1), taken)
        self.assertEqual(self.state_of().slots, 1)
        second = self.queue.register('second', 'gpu', helps=['test:1'])
        self.assertEqual(self.queue.claim_elsewhere(second), [])
        own = self.queue.claim(self.cpu, tasks=1)
        self.assertEqual(len(own), 1)
        self.assertEqual(self.queue.claim_elsewhere(second), [])
        self.queue.set_share(self.team, cap=3)  # the class's device has its slot
        self.assertEqual(len(self.queue.claim_elsewhere(second, tasks=1)), 1)
        self.assertEqual(self.state_of().slots, 3)

    def test_no_helper_exceeds_the_quota(self):
        self.queue.set_share(self.team, quota=3.5)
        self.backlog(3)
        self.queue.set_share(self.team, quota=2.5)
        self.assertEqual(self.helped(), 2)


class Ends(HelpCase):
    def test_late_writes_are_refused(self):
        job_id = self.backlog()
        tasks = self.queue.claim_elsewhere(self.helper, tasks=2)
        self.queue.now = self.seconds_from_now(16)
        self.assertEqual(self.queue.complete(self.helper, tasks), ['stale'] * 2)
        self.queue.expire()
        self.assertEqual(self.state_of().slots, 0)
        again = self.queue.register('helper', 'host', helps=['test:1'])
        self.assertEqual(self.queue.complete(again, tasks), ['stale'] * 2)
        self.assertEqual(self.job(job_id).items_ok, 0)

    def test_a_dead_helpers_tasks_go_to_the_class_only(self):
        self.backlog(2)
        begun = self.queue.claim_elsewhere(self.helper, tasks=1)
        self.helper = self.queue.register('helper', 'host', helps=['test:1'], died=begun)
        self.queue.heartbeat(self.helper, slowness=1)
        self.assertEqual([t.task for t in self.queue.claim(self.cpu, tasks=1)], [1])
        self.assertEqual(self.helped(), 0)  # the head is what it died on
        self.assertEqual([(t.task, t.attempt) for t in self.queue.claim(self.queue.register('other'))], [(0, 2)])

    def test_a_task_that_kills_a_helper_and_two_devices_of_the_class_is_quarantined(self):
        job_id = self.backlog(2)
        self.queue.register('helper', 'host', died=self.queue.claim_elsewhere(self.helper, tasks=1))
        done = self.queue.claim(self.cpu, tasks=1)
        self.queue.complete(self.cpu, done)
        self.cpu = self.queue.register('cpu', died=self.queue.claim(self.cpu))
        self.queue.register('cpu', died=self.queue.claim(self.cpu))
        self.run_merges()
        job = self.job(job_id)
        self.assertEqual((job.state, job.tasks_quarantined, job.items_ok), ('succeeded', 1, 1))

    def test_a_cancel_stops_it_and_takes_no_result(self):
        job_id = self.backlog()
        tasks = self.queue.claim_elsewhere(self.helper, tasks=2)
        self.assertEqual(self.queue.cancel(self.team, job_id), 'cancelling')
        self.assertEqual(self.queue.heartbeat(self.helper, [tasks[0].fence]).cancelled_jobs, [job_id])
        self.assertEqual(self.queue.complete(self.helper, tasks), ['cancelled'] * 2)
        self.assertEqual((self.queue.state(job_id), self.state_of().slots), ('cancelled', 0))

    def test_jobs_end_and_merge_as_usual(self):
        job_id = self.backlog(10)
        while (tasks := self.queue.claim_elsewhere(self.helper, tasks=3)) or (tasks := self.queue.claim(self.cpu, tasks=1)):
            self.queue.complete(self.helper if len(tasks) > 1 or self.leased_by(self.helper) else self.cpu, tasks)
        self.run_merges()
        self.assertEqual((self.queue.state(job_id), self.job(job_id).items_ok), ('succeeded', 10))
        self.assertEqual(self.queue.one('select count(distinct worker_id) from result'), 2)

    def leased_by(self, worker):
        return self.queue.one('select count(*) from lease where worker_id = %s', worker.worker_id)

    def test_a_lost_response_ends_with_the_epoch(self):
        self.backlog()
        self.queue.claim_elsewhere(self.helper, tasks=1)
        self.queue.retire(self.helper)
        self.helper = self.queue.register('helper', 'host', helps=['test:1'])
        self.queue.heartbeat(self.helper, slowness=1)
        self.assertEqual(self.queue.claim_elsewhere(self.helper, tasks=1)[0].attempt, 1)

    def test_unknown_workers(self):
        self.backlog()
        with self.assertRaisesRegex(Exception, 'is not registered'):
            self.queue.claim_elsewhere(self.helper._replace(epoch=7))


class Holds(HelpCase):
    def test_each_scope_stops_help(self):
        self.backlog()
        for scope, subject in (('team', self.team), ('device_class', 'cpu'), ('device_class', 'host'), ('node', 'node'),
                               ('device', self.helper.worker_id)):
            with self.subTest(scope, subject=subject):
                hold = self.queue.hold(scope, subject)
                self.assertEqual(self.helped(), 0)
                self.queue.resume(hold)
                tasks = self.queue.claim_elsewhere(self.helper, tasks=1)
                self.assertEqual(len(tasks), 1)
                self.queue.release(self.helper, tasks)
        self.queue.hold('device_class', 'gpu')  # neither of them
        self.assertNotEqual(self.helped(), 0)

    def test_a_helpers_task_counts_with_both_classes(self):
        self.backlog()
        self.queue.claim_elsewhere(self.helper, tasks=2)
        for subject in ('cpu', 'host', 'gpu'):
            self.queue.hold('device_class', subject)
        self.assertEqual({h.subject: h.running for h in self.queue.rows('select subject, running from list_holds(null)')}, {'cpu': 2, 'host': 2, 'gpu': 0})

    def test_no_helper_claims_once_a_hold_of_its_device_is_acknowledged(self):
        """Holds are made under the locks of all classes: help goes on in classes that are not the device's."""
        done = []
        leased = lambda: self.queue.one("select last_value from fence_seq")
        job_id = self.backlog(5000, seconds=1)
        self.queue.retire(self.cpu)

        def run():
            queue = self.second_queue()
            while not done:
                if tasks := queue.claim_elsewhere(self.helper, tasks=1):
                    queue.release(self.helper, tasks)

        with ThreadPoolExecutor() as pool:
            worker = pool.submit(run)
            try:
                for _ in range(8):
                    before = leased()
                    while leased() <= before:
                        self.assertFalse(worker.done())
                    hold = self.queue.hold('device', self.helper.worker_id)
                    held = leased()
                    for _ in range(20):
                        self.assertEqual(leased(), held)
                    self.queue.resume(hold)
            finally:
                done.append(True)
            worker.result()
        self.assertEqual(self.job(job_id).tasks_left, 5000)


class Why(HelpCase):
    def test_a_class_without_devices_waits_for_its_helpers(self):
        job_id = self.backlog()
        self.queue.retire(self.cpu)
        self.assertEqual(self.queue.wait(self.team, job_id).reason, 'busy')
        self.queue.claim_elsewhere(self.helper, tasks=1)
        self.assertEqual(self.queue.wait(self.team, job_id).reason, 'running')

    def test_without_helpers_the_wait_says_so(self):
        job_id = self.backlog(memory=30)
        self.queue.retire(self.cpu)
        self.assertEqual(self.queue.wait(self.team, job_id).reason, 'no_device')
        self.queue.register('cpu')
        self.assertEqual(self.queue.wait(self.team, job_id).reason, 'no_fit')
        hosts = self.backlog(device_class='gpu', kind='other')
        self.assertEqual(self.queue.wait(self.team, hosts).reason, 'no_device')

    def test_it_may_start_sooner_with_help(self):
        self.backlog(1, seconds=30)
        self.queue.claim(self.cpu)
        job_id = self.backlog()
        wait = self.queue.wait(self.team, job_id)
        self.assertEqual((wait.reason, wait.starts_from, wait.starts_by), ('busy', self.queue.now, self.seconds_from_now(30)))
        self.queue.register('helper', 'host')
        self.assertEqual(self.queue.wait(self.team, job_id).starts_from, self.seconds_from_now(30))


if __name__ == '__main__':
    unittest.main()
