"""A stand-in for the hub of models, on this machine."""

import hashlib
import http.server
import json
import threading


class Hub(http.server.BaseHTTPRequestHandler):
    """Speaks a model hub's protocol; `server.files` are those of one repository, `server.tricks` what it does wrong."""

    def do_GET(self):
        tricks = self.server.tricks
        self.server.asked.append((self.path, self.headers.get("Authorization"), self.headers.get("Range")))
        if tricks.get("status"):
            return self.answer(tricks["status"], b"")
        if self.path.startswith("/api/models/desk/tiny/revision/main"):
            large = {"model.safetensors"}
            siblings = [{"rfilename": name, "size": tricks.get("size", len(data)),
                         **({"lfs": {"sha256": tricks.get("sha256") or hashlib.sha256(data).hexdigest()}} if name in large else {})}
                        for name, data in self.server.files.items()]
            if tricks.get("nested"):
                return self.answer(200, b'{"sha": "c0ffee", "siblings": ' + b"[" * tricks["nested"] + b"]" * tricks["nested"] + b"}")
            return self.answer(200, json.dumps({"sha": "c0ffee", "siblings": siblings, "cardData": {"license": "apache-2.0"}}).encode())
        if self.path.startswith("/moved/"):
            return self.file(self.path.removeprefix("/moved/"))
        if self.path.startswith(("/desk/tiny/resolve/c0ffee/", "/desk/tiny/resolve/main/")):
            name = self.path.rpartition("/")[2]
            if name == "model.safetensors":
                return self.answer(302, b"", Location=tricks.get("location", f"/moved/{name}"))
            return self.file(name) if name in self.server.files else self.answer(404, b"")
        return self.answer(404, b"")

    def file(self, name):
        data = self.server.files[name]
        began = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").removesuffix("-"))
        cut = self.server.tricks.pop("cut", None) if name == "model.safetensors" else None
        self.send_response(206 if began else 200)
        self.send_header("Content-Length", str(len(data) - began))
        self.end_headers()
        if held := self.server.tricks.pop("hold", None) if name == "model.safetensors" else None:
            self.wfile.write(data[began:len(data) // 2])
            held["reached"].set()
            held["release"].wait()
            self.close_connection = True
            return
        self.wfile.write(data[began:cut] if cut else data[began:])
        if cut:
            self.close_connection = True

    def answer(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def start(case, published):
    """A hub with the model of a folder as desk/tiny, until the end of the test case."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.files = {path.name: path.read_bytes() for path in published.iterdir()}
    server.files["README.md"] = b"# Tiny"
    server.files["tf_model.h5"] = b"not needed"
    server.tricks, server.asked = {}, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    case.addCleanup(server.server_close)
    case.addCleanup(server.shutdown)
    return server
