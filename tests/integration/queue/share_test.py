"""Which task runs next: fair shares by weight, caps, priority, fit, and the lane's cursor."""

import math
import os
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, groupby

from psycopg.errors import InvalidParameterValue

from queue_case import QueueCase
from queue_client import job, task


class Share(QueueCase):
    def teams(self, count, weights=None, cap=None):
        teams = [self.queue.make_team(f'team {i}') for i in range(count)]
        for team, weight in zip(teams, weights or [None] * count):
            if weight or cap is not None:
                self.queue.rows("select set_account(%s, 'cpu', %s, %s, null)", team, weight, cap)
        return teams

    def backlog(self, teams, tasks=400, lanes=1, seconds=0.01, **given):
        self.submit(*(job(team, [task(seconds=seconds)] * tasks, model=f'm{lane}', **given) for team in teams for lane in range(lanes)))

    def team_of(self, tasks):
        ids = list({t.job_id for t in tasks})
        team = dict(self.queue.connection.cursor().execute('select id, team_id from job where id = any(%s)', (ids,)).fetchall())
        return [team[t.job_id] for t in tasks]

    def serve(self, claims, *, size, teams, weights, quantum, worker=None, pause=0):
        """Runs claims and checks, after each, the service per weight of teams that all still wait: since the beginning, and in
        any window that ends here."""
        served = Counter({team: 0.0 for team in teams})
        spans = {pair: (0.0, 0.0) for pair in combinations(range(len(teams)), 2)}
        for number in range(claims):
            if pause:
                self.pass_time(number * pause)
            tasks = self.queue.claim(worker or self.cpu, tasks=size)
            self.assertTrue(tasks)
            for team, t in zip(self.team_of(tasks), tasks):
                served[team] += t.est_seconds
            self.queue.complete(worker or self.cpu, tasks)
            normal = [served[team] / weight for team, weight in zip(teams, weights)]
            self.assertLessEqual(max(normal) - min(normal), quantum / min(weights) + 1e-6)
            for (i, j), (low, high) in spans.items():
                spans[i, j] = low, high = min(low, normal[i] - normal[j]), max(high, normal[i] - normal[j])
                self.assertLessEqual(high - low, quantum * (1 / weights[i] + 1 / weights[j]) + 1e-6)
        return served

    def test_weights_one_two_three(self):
        teams = self.teams(3, weights=[1.0, 2.0, 3.0])
        self.backlog(teams, 600)
        served = self.serve(20, size=48, teams=teams, weights=[1, 2, 3], quantum=0.01 + 0.01)
        total = sum(served.values())
        for team, weight in zip(teams, (1, 2, 3)):
            self.assertAlmostEqual(served[team] / total, weight / 6, delta=0.01)

    def test_shares_hold_while_use_fades(self):
        self.queue.connection.execute('update device_class set half_life_seconds = 30')
        teams = self.teams(3, weights=[1.0, 2.0, 3.0])
        self.backlog(teams, 600)
        self.serve(20, size=48, teams=teams, weights=[1, 2, 3], quantum=0.01 + 0.01, pause=10)

    def test_many_teams_share_within_a_quantum(self):
        teams = self.teams(40)
        self.backlog(teams, 60, lanes=3)
        self.serve(60, size=64, teams=teams, weights=[1] * 40, quantum=2 * 0.01 + 0.01)

    def test_four_workers_at_once_share_within_a_quantum(self):
        accounts, lanes, tasks = (1000, 5, 20) if 'PLIMSOLL_LONG_TESTS' in os.environ else (60, 5, 12)
        teams = self.teams(accounts)
        for first in range(0, accounts, 50):
            self.backlog(teams[first:first + 50], tasks, lanes=lanes)

        def run(name):
            queue = self.second_queue()
            worker, spreads, least = queue.register(name), [], math.inf
            # Until half is served every team still waits, whatever the order.
            while least > lanes * tasks / 2:
                queue.complete(worker, queue.claim(worker, tasks=64))
                queue.heartbeat(worker)
                spread, least = queue.rows('select max(vtime) - min(vtime), min(ready) from account_state where class_id = 1')[0]
                spreads.append(spread)
            return max(spreads)

        with ThreadPoolExecutor() as pool:
            self.assertLessEqual(max(pool.map(run, 'abcd')), 4 * 0.01 + 0.01 + 1e-6)

    def test_long_and_short_tasks_share_time_not_turns(self):
        slow, quick = teams = self.teams(2)
        self.backlog([slow], 60, seconds=0.2)
        self.backlog([quick], 1200, seconds=0.01)
        self.serve(25, size=16, teams=teams, weights=[1, 1], quantum=0.2 + 0.01)

    def test_many_teams_of_long_and_short_tasks_share_time(self):
        teams = self.teams(20)
        self.backlog(teams[:10], 20, seconds=0.2)
        self.backlog(teams[10:], 400, seconds=0.01)
        self.serve(40, size=64, teams=teams, weights=[1] * 20, quantum=2 * 0.2 + 0.2)

    def test_a_claim_leaves_few_teams_with_a_remainder(self):
        """Tasks claimed ahead of waiting teams come from one team after the other, in this order."""
        self.backlog(self.teams(40), 2)
        teams = self.team_of(self.queue.claim(self.cpu, seconds=0.615))
        self.assertEqual([len(list(of_one)) for _, of_one in groupby(teams)], [2] * 31)

    def test_teams_with_little_fill_a_claim_together(self):
        teams = self.teams(100)
        self.backlog(teams, 1)
        first, second = (self.team_of(self.queue.claim(self.cpu, tasks=64)) for _ in range(2))
        self.assertEqual((len(first), sorted(first + second)), (64, sorted(teams)))

    def test_a_team_with_five_lanes_has_one_share(self):
        many, single = self.teams(2)
        self.backlog([many], 300, lanes=5)
        self.backlog([single], 300)
        served = self.serve(10, size=32, teams=[many, single], weights=[1, 1], quantum=0.01 + 0.01)
        self.assertAlmostEqual(served[many], served[single], delta=0.03)

    def test_one_task_beside_a_backlog_is_next(self):
        flood, single = self.teams(2)
        for _ in range(100 if 'PLIMSOLL_LONG_TESTS' in os.environ else 1):
            self.backlog([flood], 5000)
        for _ in range(5):
            self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        [id] = self.submit(job(single))
        self.assertIn(id, [t.job_id for t in self.queue.claim(self.cpu, tasks=16)])

    def test_an_invalid_share_is_refused(self):
        [team] = self.teams(1)
        for weight, cap in ((0, None), (-1, None), (math.nan, None), (math.inf, None), (None, -1)):
            with self.assertRaises(InvalidParameterValue):
                self.queue.rows("select set_account(%s, 'cpu', %s, %s, null)", team, weight, cap)
        for seconds, period in ((0, 'day'), (-1, 'day'), (math.nan, 'day'), (60, 'year')):
            with self.assertRaises(InvalidParameterValue):
                self.queue.rows("select set_share(%s, 'cpu', 1, null, %s, %s)", team, seconds, period)

    def test_idle_teams_earn_no_credit(self):
        idle, busy = self.teams(2)
        self.backlog([busy], 2000)
        for _ in range(10):
            self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        self.backlog([idle], 400)
        self.serve(5, size=32, teams=[idle, busy], weights=[1, 1], quantum=0.01 + 0.01)

    def test_charges_follow_what_was_measured(self):
        wrong, right = self.teams(2)
        self.backlog([wrong, right], 500)
        seconds = Counter()
        for _ in range(40):
            tasks = self.queue.claim(self.cpu, tasks=16)
            teams = self.team_of(tasks)
            for team, took in ((wrong, 0.04), (right, 0.01)):
                if mine := [t for t, owner in zip(tasks, teams) if owner == team]:
                    self.queue.complete(self.cpu, mine, seconds=took)
                    seconds[team] += took * len(mine)
        self.assertLess(abs(seconds[wrong] - seconds[right]) / seconds[wrong], 0.15)

    def test_a_claim_is_sized_in_work(self):
        [team] = self.teams(1)
        self.backlog([team], 100, seconds=0.05)
        self.assertEqual(len(self.queue.claim(self.cpu, seconds=0.25)), 5)
        self.assertEqual(len(self.queue.claim(self.cpu, seconds=0.001)), 1)  # a long task runs all the same
        fast = self.queue.register('fast', speed=2.0)
        self.assertEqual(len(self.queue.claim(fast, seconds=0.25)), 10)

    def test_a_cap_counts_devices_and_is_never_exceeded(self):
        capped, other = self.teams(2)
        self.queue.rows("select set_account(%s, 'cpu', null, 2, null)", capped)
        self.backlog([capped], 200)
        workers = [self.queue.register(f'd{i}') for i in range(4)]
        claims = [self.queue.claim(w, tasks=8) for w in workers]
        self.assertEqual([len(c) for c in claims], [8, 8, 0, 0])
        self.assertEqual(len(self.queue.claim(workers[0], tasks=8)), 8)  # fetching ahead takes no second slot
        self.backlog([other], 20)
        self.assertEqual(set(self.team_of(self.queue.claim(workers[2], tasks=8))), {other})
        self.queue.complete(workers[1], claims[1])
        self.assertIn(capped, self.team_of(self.queue.claim(workers[3], tasks=64)))
        self.assertEqual(self.queue.one('select slots from account_state s join account a on a.id = account_id where team_id = %s', capped), 2)

    def test_caps_hold_under_concurrent_claims(self):
        teams = self.teams(6, cap=1)
        self.backlog(teams, 60, seconds=0.001)

        def run(name):
            queue = self.second_queue()
            worker = queue.register(name)
            over = 0
            while queue.one('select sum(ready) from account_state where class_id = 1'):
                tasks = queue.claim(worker, tasks=8)
                over += len(queue.rows('select 1 from account_state where slots > cap'))
                if tasks:
                    queue.complete(worker, tasks)
                queue.heartbeat(worker)
            return over

        with ThreadPoolExecutor() as pool:
            self.assertEqual(list(pool.map(run, 'abcd')), [0] * 4)

    def test_a_paused_team_gets_nothing_until_it_resumes(self):
        [team] = self.teams(1)
        self.backlog([team], 5)
        self.queue.rows("select set_account(%s, 'cpu', null, null, true)", team)
        self.assertEqual(self.queue.claim(self.cpu), [])
        self.queue.rows("select set_account(%s, 'cpu', null, null, false)", team)
        self.assertEqual(len(self.queue.claim(self.cpu)), 5)

    def test_priority_orders_within_a_team_only(self):
        low, high, foreign = self.submit(job(self.team, 10, priority=-3), job(self.team, 10, priority=7), job(self.other_team, 20))
        order = [t.job_id for t in self.queue.claim(self.cpu, tasks=20)]
        self.assertEqual(Counter(order), {high: 10, foreign: 10})
        self.queue.claim(self.cpu, tasks=20)
        self.assertEqual(self.queue.claim(self.cpu), [])

    def test_a_lane_is_first_in_first_out(self):
        ids = self.submit(*(job(self.team) for _ in range(30)))
        order = []
        while tasks := self.queue.claim(self.cpu, tasks=7):
            order += [t.job_id for t in tasks]
        self.assertEqual(order, ids)

    def test_only_what_fits_is_claimed(self):
        kind, version, capability, memory, fits = self.submit(
            job(self.team, kind='other'), job(self.team, version=2), job(self.team, capability='fp64'),
            job(self.team, memory=15), job(self.team, memory=14, capability='fp16'))
        small = self.queue.register('small', memory=14, capabilities=['fp16'])
        self.assertEqual([t.job_id for t in self.queue.claim(small)], [fits])
        self.assertEqual(self.queue.claim(small), [])
        big = self.queue.register('big', memory=16, kinds=['test:1', 'test:2', 'other:1'], capabilities=['fp64'])
        self.assertEqual(self.queue.claim(big, memory=3, tasks=1)[0].job_id in (kind, version, capability), True)
        self.assertEqual({t.job_id for t in self.queue.claim(big)} | {kind, version, capability}, {kind, version, capability, memory})
        gpu = self.queue.register('gpu', 'gpu')
        self.assertEqual(self.queue.claim(gpu), [])

    def test_a_lane_may_need_several_capabilities(self):
        """As a job whose texts use several models does."""
        [both] = self.submit(job(self.team, capability='model a 1,model b 2'))
        one = self.queue.register('one', capabilities=['model a 1'])
        other = self.queue.register('other', capabilities=['model a 1,model b 2', 'model b 2'])
        self.assertEqual(self.queue.claim(one) + self.queue.claim(other), [])
        able = self.queue.register('able', capabilities=['model b 2', 'x', 'model a 1'])
        self.assertEqual([t.job_id for t in self.queue.claim(able)], [both])

    def test_a_submit_that_commits_late_is_not_skipped(self):
        """The cursor moves over what is committed, and back to what commits later."""
        late = self.second_queue()
        claimed = []
        late.connection.execute('begin')
        [first] = [r.job_id for r in late.enqueue(job(self.team))]

        def claim():
            queue = self.second_queue()
            queue.enqueue(job(self.team))
            while len(claimed) < 2:
                claimed.extend(t.job_id for t in queue.claim(self.cpu))

        with ThreadPoolExecutor() as pool:
            other = pool.submit(claim)
            while self.queue.one("select count(*) from pg_locks where locktype = 'advisory' and not granted") == 0:
                self.assertFalse(other.done())
            late.connection.execute('commit')
            other.result()
        self.assertEqual(claimed[0], first)


if __name__ == '__main__':
    unittest.main()
