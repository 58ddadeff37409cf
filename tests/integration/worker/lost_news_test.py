"""Notifications may be lost: a worker then polls, and its first claim finds the tasks."""

import threading
import unittest

from engine_case import DATABASE, EngineCase
from wire import FROM_SERVER, PASS, READY, SYNC, TO_SERVER, Deafness, Texts, Wire

ROW = 'D'


class Claims(Deafness):
    """Numbers the worker's claims and knows which of them brought tasks, and drops notifications like its base class."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()
        self.sent, self.brought = 0, []
        self.listening, self.texts = set(), Texts()
        self.open = {}  # link → what its statements are, in order, and the one being sent

    def __call__(self, link, way, kind, body):
        with self.lock:
            verdict = super().__call__(link, way, kind, body)
            if verdict != PASS:
                return verdict
            queue, sending = self.open.setdefault(link, ([None], []))  # the opening is answered, too
            text = self.texts.run_by(link, kind, body) if way == TO_SERVER else None
            if text:
                sending.append(text)
            elif way == TO_SERVER and kind == SYNC:
                claims = any('plimsoll.claim(' in text for text in sending)
                self.sent += claims
                queue.append(self.sent if claims else 'listen' if any(t.startswith('listen') for t in sending) else None)
                sending.clear()
            elif way == FROM_SERVER and kind == ROW and isinstance(queue[0], int):
                if queue[0] not in self.brought:
                    self.brought.append(queue[0])
            elif way == FROM_SERVER and kind == READY:
                if queue.pop(0) == 'listen':
                    self.listening.add(link)
            return PASS

    def listeners(self):
        with self.lock:
            return [link.backend for link in self.listening]


class LostNews(EngineCase):
    def setUp(self):
        super().setUp()
        self.claims = Claims()
        wire = Wire(DATABASE, self.folder, self.claims)
        self.addCleanup(wire.close)
        self.start_host(database=self.folder)
        self.until(self.claims.listeners, 'it does not listen')
        self.until(lambda: self.claims.sent, 'it does not claim')

    def assert_first_look_finds_it(self):
        """Submits a job; the worker's next claim brings it, unless that had begun before and saw nothing yet."""
        brought = len(self.claims.brought)
        id = self.submit_host(['echo'])
        with self.claims.lock:
            sent = self.claims.sent
        self.until_state(id, 'succeeded')
        self.assertLessEqual(self.claims.brought[brought], sent + 1)

    def test_a_notification_that_gets_lost(self):
        self.claims.swallow = True
        for _ in range(2):
            self.assert_first_look_finds_it()
        self.assertIn('plimsoll_ready', self.claims.dropped)

    def test_a_cancel_without_a_notification(self):
        self.claims.swallow = True
        id = self.submit_host([f'forever {self.folder}'])
        self.until_held()
        self.assertEqual(self.queue.one('select cancel_job(%s, %s)', self.team, id), 'cancelling')
        self.until_state(id, 'cancelled')
        self.assertIn('plimsoll_worker', self.claims.dropped)

    def test_a_listener_that_is_cut_and_does_not_reconnect(self):
        self.claims.refuse_listening = True
        for backend in self.claims.listeners():
            self.queue.rows('select pg_terminate_backend(%s, 60000)', backend)
        self.assert_first_look_finds_it()
        known = len(self.claims.listeners())
        self.claims.refuse_listening = False
        self.until(lambda: len(self.claims.listeners()) > known, 'it does not listen again')
        self.assert_first_look_finds_it()


if __name__ == '__main__':
    unittest.main()
