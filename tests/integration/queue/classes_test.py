"""Jobs that may run on several classes of device: which class they get."""

import unittest

from queue_case import QueueCase


class Classes(QueueCase):
    def chosen(self, classes):
        return self.queue.one('select connected_class(%s, %s)', classes, self.queue.now)

    def test_the_first_class_that_is_connected(self):
        self.assertEqual(self.chosen('gpu,cpu,host'), 'cpu')
        gpu = self.queue.register('gpu', 'gpu')
        self.assertEqual(self.chosen('gpu,cpu,host'), 'gpu')
        self.queue.retire(gpu)
        self.assertEqual(self.chosen('gpu,cpu,host'), 'cpu')

    def test_the_last_one_where_none_is_connected(self):
        self.queue.retire(self.host)
        self.assertEqual(self.chosen('gpu,accelerator'), 'accelerator')
        self.assertEqual(self.chosen('gpu,host'), 'host')

    def test_a_silent_device_is_not_connected(self):
        self.queue.now = self.seconds_from_now(60)
        self.assertEqual(self.chosen('cpu,gpu'), 'gpu')


if __name__ == '__main__':
    unittest.main()
