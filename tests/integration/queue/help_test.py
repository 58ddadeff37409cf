"""Workers that claim tasks of another class: which, and how many."""

import unittest

from help_case import HelpCase


class Takes(HelpCase):
    def test_tasks_of_another_class_in_order_as_many_as_fit_into_a_claim(self):
        job_id = self.backlog()
        tasks = self.queue.claim_elsewhere(self.helper, seconds=3)
        self.assertEqual([(t.job_id, t.task) for t in tasks], [(job_id, i) for i in range(3)])
        self.assertEqual(self.queue.state(job_id), 'running')
        self.assertEqual(self.event_types(job_id), ['started'])
        self.assertEqual([t.task for t in self.queue.claim(self.cpu, tasks=2)], [3, 4])

    def test_of_one_job_in_a_claim(self):
        first = self.backlog(1, seconds=1)
        self.backlog(9)
        self.queue.heartbeat(self.helper, slowness=0.1)
        self.assertEqual({t.job_id for t in self.queue.claim_elsewhere(self.helper)}, {first})

    def test_a_helper_claims_only_the_kinds_of_its_offer(self):
        self.backlog()
        self.backlog(kind='other')
        for helps, number in (([], 0), (['test:2'], 0), (['test:1'], 1)):
            worker = self.queue.register('some', 'gpu', kinds=['test:1', 'other:1'], helps=helps)
            self.assertEqual(len(self.queue.claim_elsewhere(worker, tasks=1)), number)

    def test_no_tasks_beyond_its_memory_or_capabilities(self):
        self.backlog(memory=30)
        self.assertEqual(self.helped(memory=29), 0)
        self.assertEqual(self.helped(memory=30, tasks=1), 1)
        self.backlog(capability='fp64', team=self.other_team)
        able = self.queue.register('able', 'gpu', helps=['test:1'], capabilities=['fp64'])
        self.queue.rows('select * from pause_accounts(%s)', str(self.team))
        self.assertEqual(self.queue.claim_elsewhere(self.queue.register('unable', 'gpu', helps=['test:1'])), [])
        self.assertNotEqual(self.queue.claim_elsewhere(able), [])

    def test_no_tasks_of_the_host(self):
        """Its jobs asked for no device, and its lanes hold the merges."""
        gpu = self.queue.register('gpu', 'gpu', helps=['test:1'])
        self.backlog(device_class='host')
        self.assertEqual(self.queue.claim_elsewhere(gpu), [])

    def test_nothing_while_it_holds_a_lease(self):
        self.backlog()
        held = self.queue.claim_elsewhere(self.helper, tasks=1)
        self.assertEqual(self.helped(), 0)
        self.queue.complete(self.helper, held)
        self.backlog(device_class='host')
        held = self.queue.claim(self.helper, tasks=1)
        self.assertEqual(self.helped(), 0)
        self.queue.complete(self.helper, held)
        self.assertNotEqual(self.helped(), 0)

    def test_the_account_that_waits_longest(self):
        self.backlog()
        self.backlog(team=self.other_team)
        first = self.queue.claim_elsewhere(self.helper, tasks=1)
        self.queue.complete(self.helper, first)
        second = self.queue.claim_elsewhere(self.helper, tasks=1)
        self.assertNotEqual(first[0].job_id, second[0].job_id)

    def test_no_task_that_a_worker_died_on(self):
        self.backlog(4)
        self.queue.claim(self.cpu, tasks=1)
        self.queue.heartbeat(self.queue.register('cpu'), slowness=1)
        self.assertEqual([t.task for t in self.queue.claim_elsewhere(self.helper)], [1, 2, 3])


class NeverLater(HelpCase):
    """By the estimates, the class would come to the end of what it runs and of the job's tasks in 20 s."""

    def wanted(self, slowness, tasks=20, seconds=1e6):
        if slowness is not None:
            self.queue.heartbeat(self.helper, slowness=slowness)
        job_id = self.backlog(tasks)
        taken = self.helped(seconds=seconds)
        self.queue.cancel(self.team, job_id)
        self.queue.rows('select end_leases(w, %s, %s, %s, %s) from worker w where w.id = %s', [], self.queue.now, 'released', self.queue.now,
                        self.helper.worker_id)
        return taken

    def forget_slowness(self, worker):
        self.queue.connection.execute('update worker set telemetry = null where id = %s', (worker.worker_id,))

    def test_it_takes_what_it_will_finish_before_the_class_would(self):
        for slowness, taken in ((1, 19), (2, 9), (5, 3), (19, 1), (20, 0), (0.1, 20)):
            with self.subTest(slowness=slowness):
                self.assertEqual(self.wanted(slowness), taken)

    def test_more_devices_of_the_class_need_less_help(self):
        for i in range(3):
            self.queue.heartbeat(self.queue.register(f'cpu {i}'), slowness=1)
        self.assertEqual(self.wanted(1), 4)
        self.queue.heartbeat(self.cpu, slowness=0.1)  # 13 of its class's 20 tasks in the time of one
        self.assertEqual(self.wanted(1), 1)

    def test_running_tasks_of_the_class_count_first(self):
        self.backlog(1, seconds=30, priority=10)
        self.queue.claim(self.cpu, tasks=1)
        self.assertEqual(self.wanted(1, tasks=1), 1)
        self.assertEqual(self.wanted(31, tasks=1), 0)
        self.queue.now = self.seconds_from_now(14)  # 16 s of it are left
        self.assertEqual(self.wanted(16, tasks=1), 1)
        self.assertEqual(self.wanted(17, tasks=1), 0)

    def test_new_tasks_are_left_to_an_idle_device_of_the_class(self):
        self.backlog(age=0)
        self.assertEqual(self.helped(tasks=1), 0)
        self.queue.claim(self.cpu, tasks=1)
        self.assertEqual(self.helped(tasks=1), 1)

    def test_only_the_ready_tasks_of_the_job_count(self):
        """The last task of a job beside a long one: the class comes to it at once."""
        self.backlog(1)
        self.backlog(500)
        self.assertEqual(self.helped(), 0)

    def test_a_new_helper_is_assumed_to_be_four_times_as_slow(self):
        self.forget_slowness(self.helper)
        self.assertEqual(self.wanted(None), 4)
        self.queue.heartbeat(self.cpu, slowness=0.5)
        self.assertEqual(self.wanted(None), 4)

    def test_a_new_class_is_assumed_to_be_four_times_as_fast(self):
        self.forget_slowness(self.cpu)
        self.assertEqual(self.wanted(1), 4)
        self.forget_slowness(self.helper)
        self.assertEqual(self.wanted(None), 4)

    def test_any_helper_may_help_a_class_without_devices(self):
        for gone in ('retire', 'hold'):
            with self.subTest(gone):
                if gone == 'retire':
                    self.queue.retire(self.cpu)
                else:
                    self.cpu = self.queue.register('cpu')
                    self.queue.hold('device', self.cpu.worker_id)
                self.assertEqual(self.wanted(100, seconds=1000), 10)

    def test_one_claim_holds_no_more_than_requested(self):
        self.assertEqual(self.wanted(0.1, seconds=0.25), 3)


if __name__ == '__main__':
    unittest.main()
