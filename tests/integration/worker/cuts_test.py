"""A worker that dies between any two of its statements: another finishes what it began, and each item is recorded once.

It talks to PostgreSQL through a proxy that counts its statements and kills the worker at the n-th: before the statement
is completely sent, so that it is not executed, or after it is executed, before the response arrives. For every n.
"""

import os
import signal
import unittest
from concurrent.futures import Future

from engine_case import DATABASE, PATIENCE, EngineCase
from wire import UNFINISHED, UNHEARD, Statements, Wire

LONG = 'PLIMSOLL_LONG_TESTS' in os.environ


class Cuts(EngineCase):
    def setUp(self):
        super().setUp()
        self.heir = self.start_host(node='heir')
        self.until(lambda: self.queue.one("select count(*) from worker where node = 'heir'"), 'no heir')
        # It lives on while the clock is moved to end the leases of the dead.
        self.queue.connection.execute("update worker set seen_at = seen_at + interval '1 day' where node = 'heir'")
        self.texts = set()

    def let_heir_claim(self, on):
        self.queue.rows('select lift_hold(id, null) from hold' if on else
                        "select place_hold('node', 'heir', 'pause', 'Another lives.', true, 1)")

    def live(self, name, inputs, last, where, work):
        """A worker's life with a job, until it leaves or dies at statement `last`; answers whether it died."""
        node = f'{name} {last} {where}'
        folder = self.folder / node
        folder.mkdir()
        victim = Future()
        statements = Statements(last, where, on_cut=lambda: os.kill(victim.result().process.pid, signal.SIGKILL))
        wire = Wire(DATABASE, folder, statements)
        self.let_heir_claim(False)
        id = self.submit_host([text.replace('FOLDER', str(folder)) for text in inputs])
        victim.set_result(self.start_host(node=node, database=folder))
        try:
            work(id, folder, wire.is_cut.is_set)
            if not wire.is_cut.is_set():
                victim.result().signal(signal.SIGTERM)
            (folder / 'go').touch()
            victim.result().process.wait(PATIENCE)
        finally:
            wire.close()
        # Statements that run in the server end without the test.
        self.until(lambda: not self.queue.one('select count(*) from pg_stat_activity where pid = any(%s)', wire.backends()), 'its connections')
        self.texts.update(statements.texts)
        return id, wire.is_cut.is_set()

    def bury(self):
        self.queue.now = self.seconds_from_now(3600)
        self.queue.expire()
        self.queue.now = None

    def each_cut(self, name, inputs, work, check):
        """Lives until one is over before its n-th statement."""
        last, wheres, died = 0, (UNFINISHED, UNHEARD), True
        while died:
            last += 1
            for where in wheres if LONG else wheres[last % 2:][:1]:
                died = False  # a life that fails is the last
                with self.subTest(name, last=last, where=where):
                    id, died = self.live(name, inputs, last, where, work)
                    self.bury()
                    self.let_heir_claim(True)
                    check(id, [text.replace('FOLDER', str(self.folder / f'{name} {last} {where}')) for text in inputs])
        return last

    def finished(self, id, inputs):
        self.until_state(id, 'succeeded')
        self.assert_each_once(id, inputs)
        self.assertLessEqual(self.attempts(id), 2)

    def test_while_it_runs_a_job(self):
        def work(id, folder, is_cut):
            self.until(lambda: is_cut() or self.queue.state(id) == 'succeeded', 'neither done nor dead')

        self.each_cut('runs', ['echo 0', 'echo 1', 'echo 2'], work, self.finished)
        for name in ('listen', 'register_worker', 'claim', 'complete', 'retire'):
            self.assertTrue(any(name in text for text in self.texts), f'no {name} among {self.texts}')

    def test_while_it_drains(self):
        def work(id, folder, is_cut):
            self.until(lambda: is_cut() or (folder / 'held').exists(), 'neither at work nor dead')

        self.each_cut('drains', ['hold FOLDER', 'echo 1', 'echo 2'], work, self.finished)
        self.assertTrue(any('release' in text for text in self.texts), self.texts)

    def test_while_its_job_is_cancelled(self):
        def work(id, folder, is_cut):
            self.until(lambda: is_cut() or (folder / 'held').exists(), 'neither at work nor dead')
            self.queue.one('select cancel_job(%s, %s)', self.team, id)
            self.until(lambda: is_cut() or self.queue.state(id) == 'cancelled', 'neither stopped nor dead')

        def check(id, inputs):
            self.assertEqual(self.queue.state(id), 'cancelled')
            self.assertEqual(self.queue.one('select count(*) from result where job_id = %s', id), 0)

        self.each_cut('stops', ['forever FOLDER'], work, check)
        self.assertTrue(any('heartbeat' in text for text in self.texts), self.texts)


if __name__ == '__main__':
    unittest.main()
