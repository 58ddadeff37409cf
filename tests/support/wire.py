"""A proxy between a program and PostgreSQL that understands the protocol's messages, so that a test can drop one, or
cut the connection at one."""

import asyncio
import os
import threading

from beside import Beside

PASS, DROP = 'pass', 'drop'
END = 'end'  # of this connection
CUT = 'cut'  # of all connections, for good: nothing passes any more, either way

TO_SERVER, FROM_SERVER = '>', '<'
# Letters of messages. One of the first two ends a statement: until the server reads it, nothing is committed.
SYNC, QUERY, PARSE, BIND = 'S', 'Q', 'P', 'B'
READY, NOTIFICATION, BACKEND_KEY = 'Z', 'A', 'K'
# Where to cut a statement: when all of it was sent but its end, so that the server undoes it; when it is done and says so.
UNFINISHED, UNHEARD = 'unfinished', 'unheard'


def statement_of(body):
    """The SQL in the body of a PARSE."""
    return body.split(b'\0')[1].decode()


class Texts:
    """What the statements that clients run say, which are prepared under a name, or without one each time."""

    def __init__(self):
        self.known = {}

    def run_by(self, link, kind, body):
        """The SQL that a message of a client runs; None: it runs none."""
        if kind == PARSE:
            self.known[link, body.split(b'\0')[0]] = statement_of(body)
        return self.known[link, body.split(b'\0')[1]] if kind == BIND else None


class Link:
    """One connection, and which process of the server works for it."""

    def __init__(self, number):
        self.number, self.backend = number, None


class Wire(Beside):
    """Passes messages between a Unix socket in `folder` and the server's in `target`.

    `judge(link, way, kind, body)` says what becomes of each; kind is the message's letter, '' for the one that opens a
    connection. One thread calls it, before the message is passed on.
    """

    NAME = '.s.PGSQL.5432'

    def __init__(self, target, folder, judge):
        super().__init__()
        self.target, self.judge = os.path.join(target, self.NAME), judge
        self.links, self.is_cut = [], threading.Event()
        self.server = self._call(asyncio.start_unix_server(self._serve, os.path.join(folder, self.NAME)))

    def backends(self):
        """The server's processes that ever worked for this wire."""
        return [link.backend for link in self.links if link.backend]

    async def _serve(self, reader, writer):
        link = Link(len(self.links))
        self.links.append(link)
        ends = [writer]
        try:
            there = await asyncio.open_unix_connection(self.target)
            ends.append(there[1])
            pumps = [asyncio.ensure_future(self._pump(link, *way)) for way in
                     ((TO_SERVER, reader, there[1]), (FROM_SERVER, there[0], writer))]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pump in pumps:
                    pump.cancel()
        except (OSError, asyncio.CancelledError):
            pass  # the server is not there, or the test is over: the program sees its connection close
        finally:
            for end in ends:
                end.transport.abort()

    async def _pump(self, link, way, reader, writer):
        opening = way == TO_SERVER
        try:
            while True:
                head = await reader.readexactly(4 if opening else 5)
                body = await reader.readexactly(int.from_bytes(head[-4:], 'big') - 4)
                kind, opening = '' if opening else chr(head[0]), False
                if kind == BACKEND_KEY and way == FROM_SERVER:
                    link.backend = int.from_bytes(body[:4], 'big')
                verdict = END if self.is_cut.is_set() else self.judge(link, way, kind, body)
                if verdict == CUT:
                    self.is_cut.set()
                if verdict in (CUT, END):
                    return
                if verdict == PASS:
                    writer.write(head + body)
                    await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            return


class Deafness:
    """A judge that loses notifications: `swallow` drops them, `refuse_listening` ends connections that LISTEN."""

    def __init__(self):
        self.swallow, self.refuse_listening = False, False
        self.dropped = []  # channels

    def __call__(self, link, way, kind, body):
        if way == TO_SERVER and kind == PARSE and self.refuse_listening and statement_of(body).startswith('listen'):
            return END
        if way == FROM_SERVER and kind == NOTIFICATION and self.swallow:
            self.dropped.append(body[4:].split(b'\0')[0].decode())
            return DROP
        return PASS


class Statements:
    """A judge that counts the statements of all connections and cuts at number `last`. `on_cut` is called at that moment."""

    def __init__(self, last, where, on_cut):
        self.last, self.where, self.on_cut = last, where, on_cut
        self.count, self.texts, self.open = 0, [], {}

    def __call__(self, link, way, kind, body):
        waiting = self.open.setdefault(link, [0])  # the opening is answered like a statement
        if way == TO_SERVER and kind == PARSE:
            self.texts.append(statement_of(body))
        elif way == TO_SERVER and kind in (SYNC, QUERY):
            self.count += 1
            waiting.append(self.count)
            if self.count == self.last and self.where == UNFINISHED:
                return self._cut()
        elif way == FROM_SERVER and kind == READY and waiting.pop(0) == self.last and self.where == UNHEARD:
            return self._cut()
        return PASS

    def _cut(self):
        self.on_cut()
        return CUT
