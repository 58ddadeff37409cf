"""Receivers of completion notices: real servers of HTTP and of mail that respond as the test specifies."""

import base64
import email
import hashlib
import hmac
import http.server
import json
import queue
import socketserver
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


class MailServer:
    """Takes mail, over STARTTLS if it has a certificate; `refusals` are the first replies to RCPT. What came is in `mails`."""

    def __init__(self, certificate=None, refusals=()):
        self.mails = queue.Queue()
        self.refusals = list(refusals)
        mail_server = self
        context = None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                said = {"tls": False}
                self.say("220 mail.example.com")
                while line := self.rfile.readline().decode().strip():
                    verb = line.split(" ")[0].split(":")[0]
                    if verb == "EHLO":
                        self.say("250-mail.example.com" + ("\r\n250-STARTTLS" if context and not said["tls"] else "") + "\r\n250 AUTH PLAIN")
                    elif verb == "STARTTLS":
                        self.say("220 go ahead")
                        self.connection = context.wrap_socket(self.connection, server_side=True)
                        self.rfile, self.wfile, said["tls"] = self.connection.makefile("rb"), self.connection.makefile("wb", 0), True
                    elif verb == "AUTH":
                        said["login"] = base64.b64decode(line.split(" ")[2])
                        self.say("235 welcome")
                    elif verb == "RCPT" and mail_server.refusals:
                        self.say(mail_server.refusals.pop(0))
                    elif verb == "DATA":
                        self.say("354 end with a dot")
                        said["message"] = email.message_from_bytes(b"".join(iter(self.rfile.readline, b".\r\n")))
                        self.say("250 taken")
                        mail_server.mails.put(said)
                    elif verb == "QUIT":
                        break
                    else:
                        said[verb] = line
                        self.say("250 ok")

            def finish(self):
                super().finish()
                self.connection.close()

            def say(self, text):
                self.wfile.write(text.encode() + b"\r\n")

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
