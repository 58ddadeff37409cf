"""Engines that come and go with the backlog: by the query of deploy/kubernetes/operators/keda.yaml, with a process in place of
each replica, and by --until-idle, as in a batch system."""

import pathlib
import re
import signal
import time
import unittest

from engine_case import EngineCase
from queue_client import connect

TEXT = (pathlib.Path(__file__).resolve().parents[3] / 'deploy/kubernetes/operators/keda.yaml').read_text()
QUERY = ' '.join(re.search(r'query: >-\n((?: {10}.*\n)+)', TEXT)[1].split())
SECONDS_EACH, LEAST, MOST = (int(re.search(rf"{name}: '?(\d+)", TEXT)[1])
                             for name in ('targetQueryValue', 'minReplicaCount', 'maxReplicaCount'))
HOST_ONLY = {'OCL_ICD_VENDORS': '/nonexistent'}


class Scaling(EngineCase):
    def test_replicas_follow_the_backlog(self):
        scaler = connect('plimsoll_metrics')
        self.addCleanup(scaler.close)
        replicas, counts = [], [0]

        def scale():
            """As the autoscaler does, at each of its intervals."""
            value = scaler.execute(QUERY).fetchone()[0]
            wanted = min(MOST, max(LEAST, -(-value // SECONDS_EACH)))
            while len(replicas) < wanted:
                replicas.append(self.start('supervise', node=f'engine-{len(counts)}-{len(replicas)}', environment=HOST_ONLY))
            for replica in replicas[wanted:]:
                replica.signal(signal.SIGTERM)
            for replica in replicas[wanted:]:
                self.assertEqual(replica.end(), 0)
            del replicas[wanted:]
            counts.append(wanted)
            return wanted

        self.assertEqual(scale(), 0)
        began = time.monotonic()
        job_id = self.submit_backlog(200)
        self.assertEqual(scale(), MOST)
        self.until_every_replica_works(began, MOST)
        self.assertEqual(scale(), MOST)
        self.go()
        self.until(lambda: scale() == 0, 'replicas are left')
        self.assertEqual(self.queue.state(job_id), 'succeeded')
        self.assertEqual(replicas, [])
        self.assert_each_once(job_id, [f'hold {self.folder}'] * 40)
        print('replicas:', counts, flush=True)

    def test_the_metrics_role_sees_the_length_of_the_queue_and_nothing_else(self):
        scaler = connect('plimsoll_metrics')
        self.addCleanup(scaler.close)
        self.submit_backlog(8, tasks=100)
        rows = {(r.device_class, r.state): (r.tasks, round(r.seconds, 3)) for r in scaler.execute('select * from queue_depth()')}
        self.assertEqual({key: row for key, row in rows.items() if row != (0, 0)}, {('host', 'ready'): (100, 8.0)})
        [granted] = self.queue.rows("""select array_agg(p.proname) names from pg_proc p
            where p.pronamespace = 'plimsoll'::regnamespace and has_function_privilege('plimsoll_metrics', p.oid, 'execute')""")
        self.assertEqual(granted.names, ['queue_depth'])
        self.assertEqual(self.queue.one("""select count(*) from pg_class c where c.relnamespace = 'plimsoll'::regnamespace
            and c.relkind in ('r', 'p', 'v') and has_table_privilege('plimsoll_metrics', c.oid, 'select')"""), 0)

    def test_an_engine_until_idle_stops_when_nothing_is_left(self):
        job_id = self.submit_backlog(1, tasks=3)
        engines = [self.start('supervise', '--until-idle', node=f'task-{n}', environment=HOST_ONLY) for n in range(2)]
        self.until_held()
        self.assertEqual([engine.process.poll() for engine in engines], [None, None])
        self.go()
        self.until_state(job_id, 'succeeded')
        for engine in engines:
            self.assertEqual(engine.end(), 0)
            self.assertIn('nothing left to do', engine.text())


if __name__ == '__main__':
    unittest.main()
