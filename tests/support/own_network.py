"""A network for one test: nothing but a loopback interface that has the addresses the test wants, and a name server that
answers as the test wants. Programs of the test ask the system's resolver as always."""

import collections
import fcntl
import ipaddress
import os
import pathlib
import socket
import socketserver
import struct
import tempfile
import threading

import own_mounts

SET_ADDRESS, SET_FLAGS = 0x8916, 0x8914  # SIOCSIFADDR, SIOCSIFFLAGS
UP = 0x1
TYPES = {1: 4, 28: 6}  # A, AAAA
ALIAS = 5  # CNAME


def enter(*addresses):
    """Starts the test again within a network of its own, with these addresses; goes on when it is there."""
    own_mounts.enter('--net')
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SET_FLAGS, struct.pack('16sH14x', b'lo', UP))
        for number, address in enumerate(a for a in addresses if ':' not in a):
            fcntl.ioctl(control, SET_ADDRESS, struct.pack('16sHH4s8x', b'lo:%d' % number, socket.AF_INET, 0, socket.inet_aton(address)))
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as control:
        for address in (a for a in addresses if ':' in a):
            fcntl.ioctl(control, SET_ADDRESS, struct.pack('16sIi', socket.inet_pton(socket.AF_INET6, address), 128, socket.if_nametoindex('lo')))


class Names:
    """Answers of the system's resolver. `told[name]` are the answers to give in turn, the last one from then on: lists of
    addresses, another name, or 'silence'. A name that is not told does not exist; `asked` counts the questions for IPv4 addresses."""

    def __init__(self):
        self.told, self.asked = {}, collections.Counter()
        self.lock = threading.Lock()
        names = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                question, line = self.request
                reply = names.answer(question)
                if reply:
                    line.sendto(reply, self.client_address)

        self.server = socketserver.UDPServer(('127.0.0.1', 53), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        with tempfile.NamedTemporaryFile('w', prefix='plm-resolv-') as settings:
            settings.write('nameserver 127.0.0.1\noptions timeout:2 attempts:1\n')
            settings.flush()
            os.chmod(settings.name, 0o644)
            own_mounts.mount(settings.name, pathlib.Path('/etc/resolv.conf').resolve(), flags=own_mounts.BIND)

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, question):
        """The reply to a question; None: none at all."""
        name, at = self.read_name(question, 12)
        kind = struct.unpack('>H', question[at:at + 2])[0]
        with self.lock:
            turns = self.told.get(name)
            self.asked[name] += kind == 1  # which comes before the one for IPv6 addresses
            addresses = turns[min(self.asked[name], len(turns)) - 1] if turns else None
        if addresses == 'silence':
            return None
        records = []
        if isinstance(addresses, str):  # another name, of which the resolver gets the addresses along
            there = self.told[addresses][0]
            records = [self.record(ALIAS, self.packed(addresses))] + [
                self.packed(addresses) + tail[2:] for tail in self.of(there, kind)]
        elif addresses:
            records = self.of(addresses, kind)
        missing = 0 if turns else 3
        return question[:2] + struct.pack('>HHHHH', 0x8580 | missing, 1, len(records), 0, 0) + question[12:at + 4] + b''.join(records)

    def of(self, addresses, kind):
        return [self.record(kind, ipaddress.ip_address(address).packed) for address in addresses
                if ipaddress.ip_address(address).version == TYPES.get(kind)]

    @staticmethod
    def record(kind, data):
        return struct.pack('>HHHIH', 0xC00C, kind, 1, 0, len(data)) + data

    @staticmethod
    def packed(name):
        return b''.join(bytes([len(part)]) + part.encode() for part in name.split('.')) + b'\0'

    @staticmethod
    def read_name(message, at):
        parts = []
        while message[at]:
            parts.append(message[at + 1:at + 1 + message[at]].decode())
            at += 1 + message[at]
        return '.'.join(parts).lower(), at + 1
