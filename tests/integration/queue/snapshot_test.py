"""An old snapshot keeps every dead row. What the queue's functions read must not grow with them.

Blocks are counted, not time: a look-up that walks over dead rows reads more of them round by round.
"""

import statistics
import unittest

from queue_case import QueueCase
from queue_client import job

BEAT_EVERY = 100  # rounds: about what a busy worker does between two beats


class Snapshot(QueueCase):
    def setUp(self):
        super().setUp()
        holder = self.second_queue()
        holder.connection.execute('begin isolation level repeatable read')
        holder.rows('select count(*) from job')

    def rounds(self, count):
        """Tasks from their submit to their record, one by one: each leaves a dead lease."""
        for n in range(count):
            self.submit(job(self.team, merge=False))
            self.queue.complete(self.cpu, self.queue.claim(self.cpu))
            if n % BEAT_EVERY == 0:
                self.queue.heartbeat(self.cpu)
        self.queue.heartbeat(self.cpu)

    def blocks(self, sql, *values):
        [[plan]] = self.queue.rows('explain (analyze, buffers, timing off, format json) select ' + sql, *values)[0]
        return plan['Plan']['Shared Hit Blocks'] + plan['Plan']['Shared Read Blocks']

    def life(self, beat):
        """Blocks that one task's calls read, with or without a beat while it runs."""
        [id] = self.submit(job(self.team, merge=False))
        counts = {'claim': self.blocks('claim_v1(%s, %s)', *self.cpu)}
        fence = self.queue.one('select max(fence) from lease')
        if beat:
            counts['beat'] = self.blocks("heartbeat_v1(%s, %s, %s, '{}', '{}')", *self.cpu, [fence])
        counts['complete'] = self.blocks(
            "complete_v1(%s, %s, %s, %s, '{0}', '{done}', '{x}', '{x}', '{1}', '{0}', '{0.01}', '{null}', '{null}')",
            *self.cpu, fence, [id])
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
        self.rounds(1800)
        late = self.medians()
        for name, blocks in early.items():
            with self.subTest(name):
                self.assertLess(late[name], 1.25 * blocks)


if __name__ == '__main__':
    unittest.main()
