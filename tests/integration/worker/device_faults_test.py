"""A device fault costs at most one worker process and reports its reason: real program, real PostgreSQL, real
driver."""

import json
import re
import unittest

from engine_case import EngineCase
from queue_client import job, task

DEVICE = "device = 'opencl:pocl:0'"


class DeviceFaults(EngineCase):
    def submit_device(self, *inputs):
        return self.submit(job(self.team, [task(items=2, data=text.encode()) for text in inputs]))[0]

    def start_device(self, node):
        """A supervisor whose device has finished a task, so that the kind's first time is over."""
        self.start('supervise', node=node)
        self.until(lambda: self.epoch(node), 'the device is not registered')
        self.until_state(self.submit_device('echo first'), 'succeeded')

    def epoch(self, node):
        return self.queue.one(f"select max(epoch) from worker where node = %s and {DEVICE} and state = 'active'", node)

    def last_exit(self, node):
        return self.queue.one(f"select info ->> 'last_exit' from worker where node = %s and {DEVICE}", node)

    def attempts_of(self, job_id):
        return [(row.outcome, json.loads(row.error)['message']) for row in
                self.queue.rows('select outcome, error from attempt where job_id = %s order by attempt', job_id)]

    def test_a_kernel_that_runs_ten_times_longer_than_predicted_costs_its_process(self):
        self.start_device('first')
        before = self.epoch('first')
        id = self.submit_device('echo before', f'hang {self.folder}', 'echo behind')
        self.until_state(id, 'succeeded')
        self.assert_each_once(id, ['echo before', f'hang {self.folder}', 'echo behind'])
        [(outcome, error)] = self.attempts_of(id)
        self.assertEqual(outcome, 'worker_died')
        # The time of the first task is the prediction, on a slow machine a long one.
        self.assertRegex(error, r'^A task ran too long \(predicted: .* s, allowed: .* s\)')
        predicted, allowed = map(float, re.findall(r': (\S+) s', error))
        self.assertAlmostEqual(allowed, max(10, 10 * predicted), delta=allowed / 100)
        self.until(lambda: (self.epoch('first') or 0) > before, 'the device is not back')
        self.assertEqual(self.epoch('first'), before + 1)
        self.assertIn('ran too long', self.last_exit('first'))

    def test_a_runaway_task_is_quarantined_after_three_workers(self):
        # Nobody has to start while the task runs: a machine may be too slow for that.
        nodes = ('first', 'second', 'third')
        holds = {}
        for node in nodes:
            self.start_device(node)
            holds[node] = self.queue.hold('node', node)
        id = self.submit_device(f'forever {self.folder}', 'echo on')
        for node in nodes:
            self.queue.resume(holds[node])
            self.until(lambda: self.queue.rows('select from lease l join worker w on w.id = l.worker_id where w.node = %s', node),
                       'no device runs it')
            if node != 'third':
                self.queue.hold('node', node)
        self.until(lambda: self.queue.state(id) in ('succeeded', 'failed'), 'the task runs on')
        done = self.job(id)
        self.assertEqual((done.state, done.items_ok, done.items_failed, done.tasks_quarantined), ('succeeded', 2, 2, 1))
        self.assertEqual([outcome for outcome, _ in self.attempts_of(id)], ['worker_died'] * 3)
        died = self.queue.rows('select node from attempt a join worker w on w.id = a.worker_id where job_id = %s order by a.attempt', id)
        self.assertEqual(tuple(row.node for row in died), nodes)
        error = self.queue.one("select error from result where job_id = %s and state = 'quarantined'", id)
        self.assertIn('ran too long', error)

    def test_a_permanent_device_error_costs_one_process(self):
        self.start_device('first')
        before = self.epoch('first')
        id = self.submit_device('echo before', f'break {self.folder}', 'echo behind')
        self.until_state(id, 'succeeded')
        self.assert_each_once(id, ['echo before', f'break {self.folder}', 'echo behind'])
        [(outcome, error)] = self.attempts_of(id)
        self.assertEqual(outcome, 'worker_died')
        self.assertRegex(error, 'the device no longer worked correctly .*CL_OUT_OF_RESOURCES')
        self.until(lambda: (self.epoch('first') or 0) > before, 'the device is not back')
        self.assertEqual(self.epoch('first'), before + 1)
        self.assertIn('no longer worked correctly', self.last_exit('first'))

    def test_a_lack_of_memory_costs_no_process(self):
        self.start_device('first')
        before = self.epoch('first')
        id = self.submit_device('echo before', f'starve {self.folder}', 'echo behind')
        self.until_state(id, 'succeeded')
        self.assert_each_once(id, ['echo before', f'starve {self.folder}', 'echo behind'])
        [(outcome, error)] = self.attempts_of(id)
        self.assertEqual((outcome, error), ('retry', 'clCreateBuffer failed with CL_MEM_OBJECT_ALLOCATION_FAILURE.'))
        self.assertEqual(self.epoch('first'), before)
        self.assertTrue(re.search('released models, kernels and buffers kept.*4711', self.logs()), 'nothing was let go of')

    def test_a_task_that_wants_more_memory_than_its_worker_may_take_fails_alone(self):
        self.start('supervise', node='first', environment={'PLIMSOLL_WORKER_MEMORY_MB': '1500'})
        self.until(lambda: self.epoch('first'), 'the device is not registered')
        before = self.epoch('first')
        id = self.submit_device('echo before', f'gorge {self.folder}', 'echo behind')
        self.until_state(id, 'succeeded')
        self.assert_each_once(id, ['echo before', f'gorge {self.folder}', 'echo behind'])
        self.assertEqual(self.attempts_of(id), [('retry', 'The worker ran out of memory.')])
        self.assertEqual(self.epoch('first'), before)


if __name__ == '__main__':
    unittest.main()
