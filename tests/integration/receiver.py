"""A receiver of completion notices: a real HTTP server that responds as the test specifies."""

import base64
import hashlib
import hmac
import http.server
import json
import queue
import ssl
import threading
import time


class Notice:
    def __init__(self, path, headers, body):
        self.received = time.time()
        self.path, self.headers, self.body = path, headers, body
        self.id = headers["webhook-id"]
        self.json = json.loads(body)

    def is_signed_with(self, secret):
        key = base64.b64decode(secret.removeprefix("whsec_"))
        content = f"{self.id}.{self.headers['webhook-timestamp']}.".encode() + self.body
        expected = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
        return hmac.compare_digest(expected, self.headers["webhook-signature"])


class Receiver:
    """`answers` are the statuses to give, in order; then 204. `notices` is what came. With `hold`, an event, each answer
    waits for it."""

    def __init__(self, answers=(), certificate=None, headers=(), hold=None):
        self.answers = list(answers)
        self.notices = queue.Queue()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if hold:
                    hold.wait()
                self.send_response(receiver.answers.pop(0) if receiver.answers else 204)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()
                receiver.notices.put(Notice(self.path, self.headers, body))

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.origin = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self):
        return self.notices.get(timeout=600)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
