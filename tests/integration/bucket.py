"""Buckets of S3-compatible stores for tests, by TLS with an authority of their own: one in this process, which checks every
signature with AWS's own code, and one of the real Versity gateway, whose program $PLIMSOLL_TEST_S3 names."""

import hashlib
import http.server
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import xml.sax.saxutils

from certificate import make_authority, make_certificate
from harness import ROOT

sys.path.insert(0, subprocess.run([ROOT / "tests/support/python", "botocore"], check=True, capture_output=True, text=True).stdout.strip())
import botocore.auth  # noqa: E402
import botocore.awsrequest  # noqa: E402
import botocore.credentials  # noqa: E402

KEY, SECRET = "test-key", "test-secret"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        code = self.broken_rule(body)
        if code:
            return self.answer(403, f"<Error><Code>{code}</Code></Error>".encode())
        path, _, query = self.path.partition("?")
        name = urllib.parse.unquote(path).removeprefix("/bucket").removeprefix("/")
        objects = self.server.objects
        if self.command == "PUT":
            objects[name] = (body, time.time())
        elif self.command == "DELETE":
            objects.pop(name, None)
            return self.answer(204)
        elif not name:
            return self.answer(200, self.list(dict(urllib.parse.parse_qsl(query))))
        elif name not in objects:
            return self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        self.answer(200, objects[name][0] if self.command == "GET" else b"")

    do_GET = do_PUT = do_DELETE = handle_any

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", len(body))
        self.end_headers()
        self.wfile.write(body)

    def broken_rule(self, body):
        """As AWS's signer would have signed the same request."""
        scheme, _, rest = self.headers["Authorization"].partition(" ")
        said = dict(part.strip().split("=", 1) for part in rest.split(","))
        key, day, region, service, _ = said["Credential"].split("/")
        if (scheme, key) != ("AWS4-HMAC-SHA256", KEY):
            return "InvalidAccessKeyId"
        if self.headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
            return "XAmzContentSHA256Mismatch"
        signed = {name: self.headers[name] for name in said["SignedHeaders"].split(";")}
        path, _, query = self.path.partition("?")
        request = botocore.awsrequest.AWSRequest(self.command, f"http://{self.headers['Host']}{path}", signed,
                                                 params=dict(urllib.parse.parse_qsl(query)))
        request.context["timestamp"] = self.headers["x-amz-date"]
        auth = botocore.auth.S3SigV4Auth(botocore.credentials.Credentials(KEY, SECRET), service, region)
        text = auth.string_to_sign(request, auth.canonical_request(request))
        return None if auth.signature(text, request) == said["Signature"] else "SignatureDoesNotMatch"

    def list(self, query):
        """Pages of three, so that small tests turn pages."""
        found = sorted(name for name in self.server.objects
                       if name.startswith(query["prefix"]) and name > query.get("start-after", ""))[:3]
        rows = [f"<Contents><Key>{xml.sax.saxutils.escape(name)}</Key><LastModified>{stamp(self.server.objects[name][1])}</LastModified>"
                f"<Size>{len(self.server.objects[name][0])}</Size></Contents>" for name in found]
        return ('<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
                + "".join(rows) + "</ListBucketResult>").encode()


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))


class Bucket:
    """With start, stop, names, put and make_older, by those that follow."""

    def __init__(self):
        self.port = free_port()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-s3-"))
        self.folder.chmod(0o755)
        authority = make_authority(self.folder)
        self.authority, self.certificate = authority[0], make_certificate(self.folder, authority)

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}/bucket"

    def close(self):
        self.stop()
        shutil.rmtree(self.folder)


class CheckingBucket(Bucket):
    def __init__(self):
        super().__init__()
        self.objects = {}
        self.start()

    def start(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.objects = self.objects
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*self.certificate)
        self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def names(self):
        return sorted(self.objects)

    def put(self, name, content):
        self.objects[name] = (content, time.time())

    def make_older(self, days):
        for name, (content, changed) in list(self.objects.items()):
            self.objects[name] = (content, changed - days * 86400)


class RealBucket(Bucket):
    def __init__(self, program):
        super().__init__()
        self.program = program
        (self.folder / "objects/bucket").mkdir(parents=True)
        (self.folder / "about").mkdir()
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "--quiet", "--access", KEY, "--secret", SECRET, "--port", f"127.0.0.1:{self.port}",
             "--cert", self.certificate[0], "--key", self.certificate[1], "posix",
             "--sidecar", self.folder / "about", self.folder / "objects"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except ConnectionRefusedError:
                self.process.wait(0.02) if self.process.poll() is not None else time.sleep(0.02)

    def stop(self):
        self.process.kill()
        self.process.wait()

    def files(self):
        top = self.folder / "objects/bucket"
        return {str(path.relative_to(top)): path for path in top.rglob("*") if path.is_file()}

    def names(self):
        return sorted(self.files())

    def put(self, name, content):
        path = self.folder / "objects/bucket" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def make_older(self, days):
        for path in self.files().values():
            changed = path.stat().st_mtime - days * 86400
            os.utime(path, (changed, changed))


def make_bucket():
    program = os.environ.get("PLIMSOLL_TEST_S3")
    return RealBucket(program) if program else CheckingBucket()
