"""A gate between a client and a server that tests can shut or slow down, and that cuts connections on request."""

import asyncio

from beside import Beside


class Gate(Beside):
    """Passes bytes between its own address and the target: each a (host, port) or the path of a Unix socket.

    `fuse`, called per connection, answers after how many bytes, both ways counted together, it is cut with nothing
    more said; None: never. So cuts fall before, within and behind requests and answers.
    """

    def __init__(self, target, address=('127.0.0.1', 0), fuse=lambda: None):
        super().__init__()
        self.target, self.fuse, self.connections, self.cuts = target, fuse, 0, 0
        self.delay, self.open_ends = 0, []  # seconds that each piece waits; of connections
        self.server = self._call(self._listen(address))
        self.port = None if isinstance(address, str) else self.server.sockets[0].getsockname()[1]

    def shut(self):
        """From now on nothing passes; connections are still accepted, but get no bytes."""
        self._call(self._set(False))

    def open(self):
        self._call(self._set(True))

    def cut(self):
        """Ends all connections that there are."""
        self._call(self._cut())

    async def _cut(self):
        for end in self.open_ends:
            end.transport.abort()

    async def _listen(self, address):
        self.passable = asyncio.Event()
        self.passable.set()
        if isinstance(address, str):
            return await asyncio.start_unix_server(self._serve, address)
        return await asyncio.start_server(self._serve, *address)

    async def _set(self, passable):
        self.passable.set() if passable else self.passable.clear()

    async def _serve(self, reader, writer):
        self.connections += 1
        ends = [writer]
        self.open_ends.append(writer)
        try:
            await self.passable.wait()
            there = await (asyncio.open_unix_connection(self.target) if isinstance(self.target, str)
                           else asyncio.open_connection(*self.target))
            ends.append(there[1])
            self.open_ends.append(there[1])
            left = [self.fuse()]
            pumps = [asyncio.ensure_future(self._pump(*way, left)) for way in ((reader, there[1]), (there[0], writer))]
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            for pump in pumps:
                pump.cancel()
        except OSError:
            pass  # the server is not there: the client sees its connection close
        finally:
            for end in ends:
                end.transport.abort()
                self.open_ends.remove(end)

    async def _pump(self, reader, writer, left):
        try:
            while data := await reader.read(65536):
                await self.passable.wait()
                if self.delay:
                    await asyncio.sleep(self.delay)
                if left[0] is not None:
                    data, left[0] = data[:left[0]], left[0] - len(data)
                writer.write(data)
                await writer.drain()
                if left[0] is not None and left[0] <= 0:
                    self.cuts += 1
                    return
        except OSError:
            return
