"""Tasks whose model the worker holds in memory are preferred, within a bound."""

import unittest
from collections import Counter

from queue_case import QueueCase
from queue_client import job


class Residency(QueueCase):
    def test_a_resident_model_goes_first_unless_another_waits_for_a_minute_longer(self):
        [old] = self.submit(job(self.team, 2, model='a'))
        self.pass_time(30)
        [young] = self.submit(job(self.team, 2, model='b'))
        self.assertEqual(self.queue.claim(self.cpu, tasks=1, models=['b'])[0].job_id, young)
        self.assertEqual(self.queue.claim(self.cpu, tasks=1)[0].job_id, old)
        self.pass_time(100)
        [late] = self.submit(job(self.team, 2, model='c'))
        self.assertEqual([t.model for t in self.queue.claim(self.cpu, tasks=3, models=['c'])], ['a', 'b', 'c'])

    def test_nothing_overtakes_forever(self):
        """At the highest level too, where waiting adds no more."""
        [old] = self.submit(job(self.team, 1, model='a', priority=10))
        self.pass_time(61)
        self.submit(job(self.team, 5, model='b', priority=10))
        self.assertEqual(self.queue.claim(self.cpu, tasks=1, models=['b'])[0].job_id, old)

    def test_it_does_not_affect_shares_between_teams(self):
        self.submit(job(self.team, 100, model='a'), job(self.other_team, 100, model='b'))
        teams = Counter()
        for _ in range(5):
            tasks = self.queue.claim(self.cpu, tasks=20, models=['b'])
            teams.update(t.job_id for t in tasks)
        self.assertLessEqual(max(teams.values()) - min(teams.values()), 2)


if __name__ == '__main__':
    unittest.main()
