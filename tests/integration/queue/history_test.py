"""An account's past usage determines when its tasks start."""

import unittest
from collections import Counter

from queue_case import QueueCase
from queue_client import job, task


class History(QueueCase):
    """What an account used counts half after a half-life, and delays its return."""

    def use(self, team, seconds):
        self.submit(job(team, [task(seconds=seconds)]))
        tasks = self.queue.claim(self.cpu)
        self.queue.complete(self.cpu, tasks)
        self.run_merges()

    def used(self, team):
        return self.queue.call('list_shares', 'bigint', team)[0].used_seconds

    def start_of(self, team):
        return self.queue.one("""select s.vtime - c.vclock from account a join account_state s on s.account_id = a.id
            join class_state c on c.class_id = s.class_id where a.team_id = %s and a.class_id = 1""", team)

    def test_usage_decays_with_the_half_life(self):
        self.queue.rows("select set_device_class('cpu', 60, null)")
        self.use(self.team, 8)
        for minutes, left in ((0, 8), (1, 4), (3, 1)):
            self.pass_time(60 * minutes)
            self.assertAlmostEqual(self.used(self.team), left, places=6)
        self.use(self.team, 1)
        self.assertAlmostEqual(self.used(self.team), 2, places=6)
        self.pass_time(1e9)
        self.assertEqual(round(self.used(self.team), 6), 0)

    def test_usage_is_as_measured(self):
        self.submit(job(self.team, [task(seconds=8)]))
        tasks = self.queue.claim(self.cpu)
        self.assertEqual(self.used(self.team), 8)
        self.queue.complete(self.cpu, tasks, seconds=3)
        self.assertEqual(self.used(self.team), 3)

    def test_heavier_users_start_later_by_the_difference_up_to_the_limit(self):
        self.queue.rows("select set_device_class('cpu', 100, 5)")
        self.use(self.team, 4)
        self.submit(job(self.other_team, 50))
        self.submit(job(self.team))
        self.assertAlmostEqual(self.start_of(self.team), 4, places=5)
        self.assertEqual({t.job_id for t in self.queue.claim(self.cpu, tasks=30)}, {self.queue.one('select id from job where team_id = %s', self.other_team)})

    def test_the_delay_decays_and_has_a_limit(self):
        self.queue.rows("select set_device_class('cpu', 100, 5)")
        self.use(self.team, 20)
        self.submit(job(self.other_team, 50))
        for seconds, delay in ((0, 5), (200, 5), (300, 2.5), (1000, 20 / 2 ** 10)):
            self.pass_time(seconds)
            [id] = self.submit(job(self.team))
            self.assertAlmostEqual(self.start_of(self.team), delay, places=5)
            self.queue.cancel(self.team, id)

    def test_usage_counts_by_weight(self):
        self.queue.set_share(self.team, weight=4)
        self.use(self.team, 8)
        self.submit(job(self.other_team, 50))
        self.submit(job(self.team))
        self.assertAlmostEqual(self.start_of(self.team), 2, places=5)

    def test_lighter_users_than_the_next_in_turn_start_at_the_clock(self):
        self.use(self.other_team, 9)
        self.use(self.team, 3)
        self.submit(job(self.other_team, 50))
        self.submit(job(self.team))
        self.assertEqual(self.start_of(self.team), 0)

    def test_with_a_limit_of_zero_history_does_not_count(self):
        self.queue.rows("select set_device_class('cpu', null, 0)")
        self.use(self.team, 9)
        self.submit(job(self.other_team, 50))
        self.submit(job(self.team))
        self.assertEqual(self.start_of(self.team), 0)

    def test_waiting_accounts_are_not_delayed(self):
        """History decides where an account starts, not what it gets while it waits."""
        self.use(self.team, 9)
        self.submit(job(self.team, [task(seconds=0.01)] * 500), job(self.other_team, [task(seconds=0.01)] * 500))
        served = Counter()
        for _ in range(10):
            tasks = self.queue.claim(self.cpu, tasks=32)
            served.update(t.job_id for t in tasks)
            self.queue.complete(self.cpu, tasks)
        self.assertLessEqual(max(served.values()) - min(served.values()), 3)


if __name__ == '__main__':
    unittest.main()
