"""A reverse proxy in front of the server: it appends the client's address to X-Forwarded-For."""

import http.client
import http.server
import threading

HOP_BY_HOP = {'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'host'}


class ReverseProxy:
    """Forwards requests to (host, port), on a free port of every loopback address."""

    def __init__(self, target):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def forward(self):
                headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
                headers['X-Forwarded-For'] = ', '.join([*self.headers.get_all('X-Forwarded-For', []), self.client_address[0]])
                headers['X-Forwarded-Proto'] = 'http'
                body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
                there = http.client.HTTPConnection(*target, timeout=600)
                there.request(self.command, self.path, body or None, headers)
                reply = there.getresponse()
                content = reply.read()
                there.close()
                self.send_response_only(reply.status)
                for name, value in reply.getheaders():
                    if name.lower() not in HOP_BY_HOP | {'content-length'}:
                        self.send_header(name, value)
                self.send_header('Content-Length', str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = forward

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(('0.0.0.0', 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
