"""How much the queue's functions read. Blocks are counted, not time: what reads more than its own rows shows."""

import statistics
import unittest

from queue_case import QueueCase
from queue_client import job

BEAT_EVERY = 100  # rounds: about what a busy worker does between two beats


class Reads(QueueCase):
    def blocks(self, sql, *values):
        [[plan]] = self.queue.rows('explain (analyze, buffers, timing off, format json) select ' + sql, *values)[0]
        return plan['Plan']['Shared Hit Blocks'] + plan['Plan']['Shared Read Blocks']

    def blocks_of_completing(self, fence, jobs):
        """Of the first task of each job, one item each."""
        return self.blocks("""complete_v1(%s, %s, %s, j, array_fill(0, n), array_fill('done'::text, n), array_fill('x'::bytea, n), array_fill('x'::bytea, n),
            array_fill(1, n), array_fill(0, n), array_fill(0.01::real, n), array_fill(null::text, n), array_fill(null::real, n), %s)
            from (select %s::bigint[] j, array[%s] n) x""", *self.cpu, fence, self.queue.now, jobs, len(jobs))


class Snapshot(Reads):
    """An old snapshot keeps every dead row: what is read must not grow with them."""

    def setUp(self):
        super().setUp()
        holder = self.second_queue()
        holder.connection.execute('begin isolation level repeatable read')
        holder.rows('select count(*) from job')
        self.idle = self.queue.register('idle', kinds=['other:1'])

    def rounds(self, count):
        """Tasks from their submit to their record, one by one: each leaves a dead lease."""
        for n in range(count):
            self.submit(job(self.team, merge=False))
            self.queue.complete(self.cpu, self.queue.claim(self.cpu))
            if n % BEAT_EVERY == 0:
                self.queue.heartbeat(self.cpu)
        self.queue.heartbeat(self.cpu)

    def life(self, beat):
        """Blocks that one task's calls read, with or without a beat while it runs."""
        [id] = self.submit(job(self.team, merge=False))
        counts = {'idle claim': self.blocks('claim_v1(%s, %s, p_now => %s)', *self.idle, self.queue.now), 'claim': self.blocks('claim_v1(%s, %s, p_now => %s)', *self.cpu, self.queue.now)}
        fence = self.queue.one('select max(fence) from lease')
        if beat:
            counts['beat'] = self.blocks("heartbeat_v1(%s, %s, %s, '{}', '{}', p_now => %s)", *self.cpu, [fence], self.queue.now)
        counts['complete'] = self.blocks_of_completing(fence, [id])
        [id] = self.submit(job(self.team, merge=False))
        counts['cancel'] = self.blocks('cancel_v1(%s, %s)', self.team, id)
        return counts

    def medians(self):
        """Of a worker that is never seen with a lease by a beat, and of one that always is."""
        found = {}
        for beat in (False, True):
            lives = [self.life(beat) for _ in range(15)]
            found |= {(name, beat): statistics.median(life[name] for life in lives) for name in lives[0]}
        return found

    def test_what_a_task_costs_does_not_grow_with_dead_rows(self):
        self.rounds(300)  # by now the indexes have the height that they keep
        early = self.medians()
        self.rounds(1200)
        self.queue.connection.execute('analyze')  # the planner learns that few rows live, not how many dead ones stand between them
        late = self.medians()
        for name, blocks in early.items():
            with self.subTest(name):
                self.assertLess(late[name], 1.25 * blocks)


class Span(Reads):
    def test_jobs_of_others_between_those_of_a_claim_cost_nothing(self):
        """Nor does it matter that plans were made while there was hardly a job."""
        paused = self.queue.make_team('paused')
        self.queue.rows("select set_account_v1(%s, 'cpu', null, null, true)", paused)

        def life(between):
            [first] = self.submit(job(self.team))
            for _ in range(between // 250):
                self.submit(*(job(paused) for _ in range(250)))
            [last] = self.submit(job(self.other_team))
            claim = self.blocks('claim_v1(%s, %s, p_now => %s)', *self.cpu, self.queue.now)
            [lease] = self.queue.rows('select fence, jobs from lease')
            self.assertEqual(set(lease.jobs), {first, last})
            return claim, self.blocks_of_completing(lease.fence, lease.jobs)

        for _ in range(3):  # the first calls read the catalogue, too
            near = life(0)
        far = life(5000)
        for name, few, many in zip(('claim', 'complete'), near, far):
            with self.subTest(name):
                self.assertLess(many, 1.5 * few)


if __name__ == '__main__':
    unittest.main()
