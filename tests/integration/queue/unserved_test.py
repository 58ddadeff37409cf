"""Tasks whose model no worker has any more: a worker without it runs them and reports it."""

import unittest

from queue_case import QueueCase
from queue_client import job

BOTH = ('model a 1', 'model b 2')


class Unserved(QueueCase):
    def setUp(self):
        super().setUp()
        self.has = self.queue.register('with', capabilities=BOTH)
        self.lacks = self.cpu

    def mark(self):
        return self.queue.call('mark_unserved', '')[0][0]

    def remove(self, left=()):
        self.has = self.queue.register('with', capabilities=left)

    def waiting(self, **given):
        return self.submit(job(self.team, 1, **{'capability': 'model a 1'} | given))[0]

    def lack(self, id):
        [row] = self.queue.call('explain_missing', 'bigint bigint', self.team, id)
        return row

    def claimed(self, worker):
        return [task.job_id for task in self.queue.claim(worker)]

    def test_a_model_that_was_removed_is_missed_by_whoever_runs_its_tasks(self):
        id = self.waiting()
        self.assertEqual((self.mark(), self.claimed(self.lacks)), (0, []))
        self.remove(left=['model b 2'])
        self.assertEqual(self.queue.wait(self.team, id).reason, 'no_fit')
        self.assertEqual(self.lack(id), (['model a 1'], [], [], None))
        self.assertEqual((self.mark(), self.mark()), (1, 0))
        self.assertEqual(self.claimed(self.lacks), [id])

    def test_names_what_is_missing_and_what_is_there_instead(self):
        id = self.waiting(capability='model a 1 int8,model b 2')
        self.remove(left=['model a 1', 'model a 7', 'model ab 1'])
        needs = ['model a 1 int8', 'model b 2']
        self.assertEqual(self.lack(id), (needs, ['model a 1', 'model a 7'], [], None))
        far = self.queue.register('far', capabilities=needs, node='away')
        self.assertEqual(self.lack(id).missing, [])
        self.queue.retire(far)
        self.assertEqual((self.lack(id).missing, self.lack(id).nodes), (needs, ['away']))
        self.pass_time(3700)
        self.assertEqual(self.lack(id).nodes, [])

    def test_too_little_memory_is_reported(self):
        id = self.waiting(memory=40)
        self.assertEqual(self.lack(id), ([], [], [], 1 << 40))
        self.assertEqual(self.queue.call('explain_missing', 'bigint bigint', self.other_team, id), [])

    def test_one_of_several_is_enough(self):
        id = self.waiting(capability='model a 1,model b 2')
        self.remove(left=['model b 2'])
        self.assertEqual((self.mark(), self.claimed(self.has)), (1, [id]))

    def test_so_is_a_model_that_no_device_has_the_memory_for(self):
        id = self.waiting(memory=40)
        self.assertEqual((self.mark(), self.claimed(self.has)), (1, [id]))

    def test_a_worker_that_is_away_may_come_back_within_an_hour(self):
        id = self.waiting()
        self.queue.retire(self.has)
        self.pass_time(3500)
        self.assertEqual((self.mark(), self.claimed(self.lacks)), (0, []))
        self.pass_time(3700)
        self.assertEqual((self.mark(), self.claimed(self.lacks)), (1, [id]))

    def test_nothing_is_given_up_while_no_device_is_connected(self):
        self.waiting()
        self.remove()
        for worker in (self.has, self.lacks):
            self.queue.retire(worker)
        self.assertEqual(self.mark(), 0)

    def test_a_model_that_is_back_is_waited_for_again(self):
        self.waiting()
        self.remove()
        self.assertEqual(self.mark(), 1)
        self.remove(left=BOTH)
        self.assertEqual((self.mark(), self.claimed(self.lacks)), (1, []))

    def test_other_capabilities_are_waited_for(self):
        for capability in ('device=gpu0', 'device=gpu0,model a 1', 'fp64'):
            self.waiting(capability=capability)
        self.remove()
        self.assertEqual((self.mark(), self.claimed(self.lacks)), (0, []))


if __name__ == '__main__':
    unittest.main()
