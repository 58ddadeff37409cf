#!/usr/bin/env python3
"""A proxy in front of the server that holds every response to the server's contract, whatever program asked.

    contract_proxy.py SERVER    prints "ready URL", then a line for each violation, until standard input ends
"""

import http.client
import http.server
import sys
import threading
import urllib.parse

import answers

HOP_BY_HOP = {'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'}
NOT_PASSED = HOP_BY_HOP | {'content-length', 'accept-encoding'}  # packed responses cannot be read


class ContractProxy:
    """`violations` are the responses that the contract does not allow; `checked` counts all responses."""

    def __init__(self, server, tell=lambda violation: None):
        self.violations, self.checked = [], 0
        answers.contract_of(server)  # read once, before the first response
        target, proxy = urllib.parse.urlsplit(server).netloc, self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def forward(self):
                body = self.rfile.read(int(self.headers['Content-Length'])) if 'Content-Length' in self.headers else self.chunks()
                fields = [(name, value) for name, value in self.headers.items() if name.lower() not in NOT_PASSED]
                there = http.client.HTTPConnection(target, timeout=600)
                there.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in fields + ([('Content-Length', str(len(body)))] if body is not None else []):
                    there.putheader(name, value)
                there.endheaders(body)
                reply = there.getresponse()
                reply.body = self.send(reply)
                there.close()
                proxy.check(server, self.command, self.path, reply, tell)

            def chunks(self):
                if 'Transfer-Encoding' not in self.headers:
                    return None
                body = b''
                while size := int(self.rfile.readline().split(b';')[0], 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def send(self, reply):
                """The body, once it was passed on as it came."""
                self.send_response_only(reply.status)
                for name, value in reply.getheaders():
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                chunked = reply.chunked
                if chunked:
                    self.send_header('Transfer-Encoding', 'chunked')
                self.end_headers()
                kept = b''
                while piece := reply.read1(65536):
                    self.wfile.write(b'%x\r\n%s\r\n' % (len(piece), piece) if chunked else piece)
                    if 'json' in (reply.headers['Content-Type'] or ''):
                        kept += piece
                if chunked:
                    self.wfile.write(b'0\r\n\r\n')
                return kept

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except OSError:  # whoever asked has gone: a page that was left, an event stream that was ended
                    self.close_connection = True

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = forward

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.base = f'http://127.0.0.1:{self.server.server_port}'
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def check(self, server, method, path, reply, tell):
        self.checked += 1
        try:
            answers.check(server, method, path, reply)
        except AssertionError as violation:
            self.violations.append(str(violation))
            tell(str(violation))

    def finish(self):
        self.server.shutdown()
        self.server.server_close()
        assert not self.violations, '\n'.join(self.violations)
        assert self.checked, 'nobody asked'


if __name__ == '__main__':
    proxy = ContractProxy(sys.argv[1], lambda violation: print('violation', violation.replace('\n', ' '), flush=True))
    print('ready', proxy.base, flush=True)
    sys.stdin.read()
