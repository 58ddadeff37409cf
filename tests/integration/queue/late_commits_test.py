"""Transactions that commit late, while others commit: nothing is lost or done twice, and no cursor skips them. Numbers
are drawn before the commit, so rows become visible in a different order.
"""

import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from queue_case import QueueCase
from queue_client import job, task
from queue_invariants import broken

EVENTS_AFTER = 'select n, type from job_event where job_id = %s and n > %s order by n'  # as a follower of events asks


class LateCommits(QueueCase):
    def setUp(self):
        super().setUp()
        self.late = self.second_queue()
        self.other = self.second_queue()
        self.onlooker = self.second_queue()

    def begin(self):
        self.late.connection.execute('begin')

    def end(self, commits=True):
        self.late.connection.execute('commit' if commits else 'rollback')

    def until_waiting(self, other):
        """The other's call waits for the late transaction."""
        pid = self.other.connection.info.backend_pid
        while not self.onlooker.one("select count(*) from pg_stat_activity where pid = %s and wait_event_type = 'Lock'", pid):
            self.assertFalse(other.done(), 'it did not wait')

    # What may commit late: each prepares, and answers the call and how many tasks there are to claim once it has committed,
    # or once it was undone.

    def a_submit(self):
        return lambda: self.late.enqueue(job(self.team, 3), job(self.other_team, 2)), 5, 0

    def a_claim(self):
        self.submit(job(self.team, 6))
        return lambda: self.late.claim(self.cpu, tasks=2), 4, 6

    def a_completion(self):
        self.submit(job(self.team, 3))
        tasks = self.queue.claim(self.cpu, tasks=2)
        return lambda: self.late.complete(self.cpu, tasks), 1, 1

    def a_failure(self):
        self.submit(job(self.team, 3))
        tasks = self.queue.claim(self.cpu, tasks=2)
        return lambda: self.late.complete(self.cpu, tasks, outcome='retry', error='busy'), 3, 1

    def a_release(self):
        self.submit(job(self.team, 3))
        tasks = self.queue.claim(self.cpu, tasks=2)
        return lambda: self.late.release(self.cpu, tasks), 3, 1

    def a_worker_that_comes_back(self):
        self.submit(job(self.team, 3))
        self.assertEqual(len(self.queue.claim(self.queue.register('dies'), tasks=2)), 2)
        return lambda: self.late.register('dies'), 3, 1

    def a_promotion(self):
        self.submit(job(self.team, 3, run_at=self.seconds_from_now(3600)), job(self.team, 1))
        self.queue.connection.execute('update scheduled set run_at = %s', (self.moment,))
        return self.late.promote, 4, 1

    def a_cancel(self):
        first, _ = self.submit(job(self.team, 3), job(self.team, 2))
        return lambda: self.late.cancel(self.team, first), 2, 5

    def a_redrive(self):
        [id] = self.submit(job(self.team, 3))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu), outcome='final', error='broken')
        self.run_merges()
        return lambda: self.late.redrive(self.team, id), 3, 0

    WRITERS = (a_submit, a_claim, a_completion, a_failure, a_release, a_worker_that_comes_back, a_promotion, a_cancel, a_redrive)

    def test_no_task_is_skipped_or_claimed_twice(self):
        for writer in self.WRITERS:
            for commits in (True, False):
                with self.subTest(writer.__name__, commits=commits):
                    self.cpu = self.queue.register(f'cpu of {writer.__name__} {commits}')  # holds nothing of the one before
                    self.hold_back(writer, commits)
                    self.assertEqual(broken(self.queue), {})
                    self.run_merges()

    def hold_back(self, writer, commits):
        call, committed, undone = writer(self)
        expected = Counter({'late': committed if commits else undone, 'other': 2})
        later = self.other.register('later', node='later')

        def submit_and_claim():
            [id] = [row.job_id for row in self.other.enqueue(job(self.team, 2))]
            found = []
            while tasks := self.other.claim(later, tasks=2):
                found += [(t.job_id, t.task, 'other' if t.job_id == id else 'late') for t in tasks]
                self.other.complete(later, tasks)
            return found

        self.begin()
        call()
        with ThreadPoolExecutor() as pool:
            other = pool.submit(submit_and_claim)
            self.until_waiting(other)
            self.assertEqual(broken(self.onlooker), {})
            self.end(commits)
            found = other.result()
        self.assertEqual(len(set(found)), len(found), 'a task was claimed twice')
        self.assertEqual(Counter(whose for _, _, whose in found) + Counter(), expected + Counter())

    def test_a_number_drawn_before_others_and_committed_after_them_is_claimed(self):
        """A submit draws numbers before it takes the class lock: meanwhile, higher ones are committed and claimed."""
        plain = lambda priority=0, items=1: job(self.team, [task(items=items)], merge=False, priority=priority)
        self.queue.connection.execute("""
            create function hold_up() returns trigger language plpgsql as
              $$ begin perform pg_advisory_xact_lock_shared(42); return new; end $$;
            create trigger hold_up before insert on job for each row when (new.items_total = 7) execute function hold_up()""")
        self.addCleanup(self.queue.connection.execute, 'drop function hold_up cascade')
        self.submit(plain(), plain(1))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        for priority in (0, 1):  # one lane; two lanes
            self.onlooker.connection.execute('select pg_advisory_lock(42)')
            with ThreadPoolExecutor() as pool:
                late = pool.submit(lambda: self.other.enqueue(plain(items=7), plain(priority)))
                self.until_waiting(late)
                self.submit(plain(), plain())
                self.queue.complete(self.cpu, self.queue.claim(self.cpu, tasks=1))
                self.onlooker.connection.execute('select pg_advisory_unlock(42)')
                late.result()
            tasks = self.queue.claim(self.cpu)
            self.assertEqual(len(tasks), 3)
            self.queue.complete(self.cpu, tasks)

    def test_other_classes_continue_meanwhile(self):
        """Their jobs get higher numbers and are visible, claimed and done before the first one's commit."""
        gpu = self.queue.register('gpu', 'gpu')
        self.begin()
        [early] = [row.job_id for row in self.late.enqueue(job(self.team))]
        [later] = self.submit(job(self.team, device_class='gpu', merge=False))
        self.assertGreater(later, early)
        self.queue.complete(gpu, self.queue.claim(gpu))
        self.assertEqual([row.id for row in self.queue.rows('select id from job')], [later])
        self.assertEqual(broken(self.onlooker), {})
        self.end()
        self.assertEqual([t.job_id for t in self.queue.claim(self.cpu)], [early])

    def test_a_follower_gets_each_event_once_and_in_order(self):
        [id] = self.submit(job(self.team, 4))
        second = self.queue.register('second', node='second')
        heard = []

        def listen():
            heard.extend((e.n, e.type) for e in self.onlooker.rows(EVENTS_AFTER, id, heard[-1][0] if heard else 1))
            return len(heard)

        self.begin()
        first_half = self.late.claim(self.cpu, tasks=2)
        self.assertEqual(listen(), 0)
        self.end()
        self.assertEqual(listen(), 1)
        second_half = self.queue.claim(second, tasks=2)
        self.begin()
        self.late.complete(self.cpu, first_half, outcome='retry', error='busy')  # the next event, not visible yet
        with ThreadPoolExecutor() as pool:
            other = pool.submit(lambda: self.other.complete(second, second_half, outcome='retry', error='busy'))  # the one after it
            self.until_waiting(other)
            self.assertEqual(listen(), 1)
            self.end()
            other.result()
        self.assertEqual(listen(), 3)
        while tasks := self.queue.claim(self.cpu):
            self.begin()
            self.late.complete(self.cpu, tasks)
            listen()
            self.end()
        self.run_merges()
        listen()
        self.assertEqual(heard, list(enumerate(['started', 'retried', 'retried', 'finished'], 2)))

    def test_usage_is_counted_once_however_late_it_is_recorded(self):
        self.submit(job(self.team, 4))
        tasks = self.queue.claim(self.cpu)
        self.begin()
        self.late.complete(self.cpu, tasks[:2], seconds=2.0)
        self.queue.one('select fold_usage(1000)')  # finds nothing yet
        self.end()
        self.queue.complete(self.cpu, tasks[2:], seconds=1.0, fence=tasks[0].fence)
        self.run_merges()
        for _ in range(2):
            self.queue.one('select fold_usage(1000)')
        [used] = self.queue.rows('select sum(seconds) seconds, sum(tasks) tasks from usage_hour')
        self.assertEqual((round(used.seconds, 6), used.tasks), (6.0018, 4))  # the merge of four tasks is charged too


if __name__ == '__main__':
    unittest.main()
