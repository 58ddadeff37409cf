"""Runs the real programs: `plimsoll serve` with its private PostgreSQL and its workers.

Nothing here sleeps: a server prints `ready` to its standard output, the API's long poll waits for jobs, and processes
are waited for until they exit.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import answers  # noqa: E402

BIN = pathlib.Path(os.environ.get("PLIMSOLL_BIN", ROOT / "build/release/bin"))
# A machine may be slow, and busy with other tests: a longer wait is a fault.
PATIENCE = 600  # seconds


def command_line(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def descendants(root):
    """Process ids of all children, their children and so on."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # The name, in brackets, may hold blanks and brackets itself.
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found, frontier = [], [root]
    while frontier:
        parent = frontier.pop()
        children = [pid for pid, above in parents.items() if above == parent]
        found += children
        frontier += children
    return found


def memory(pid, field):
    """VmHWM (peak) or VmRSS (now) of a process, in bytes; 0 under sanitizers, which keep what is freed."""
    if "PLIMSOLL_SANITIZED" in os.environ:
        return 0
    return int(re.search(rf"{field}:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) * 1024


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class Api:
    """The REST API with one token. Every answer is held to the contract, unless the server may go before it can be asked
    for that."""

    def __init__(self, base, token=None, checked=True):
        self.base, self.token, self.checked = base, token, checked

    def send(self, method, path, body=None, headers=None, timeout=PATIENCE):
        headers = dict(headers or {})
        if self.token and "Authorization" not in headers:
            headers["Authorization"] = "Bearer " + self.token
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            headers.setdefault("Content-Type", "application/json")
        request = urllib.request.Request(self.base + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                reply = Reply(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            reply = Reply(error.code, error.headers, error.read())
        if self.checked:
            answers.check(self.base, method, path, reply)
        return reply

    def get(self, path, **more):
        return self.send("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.send("POST", path, body, **more)

    def submit_texts(self, texts, **more):
        reply = self.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": texts}}, **more)
        assert reply.status == 202, (reply.status, reply.body[:500])
        return reply.json["id"]

    def wait(self, job, seconds=PATIENCE):
        """The job in a final state."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            reply = self.get(f"/v1/jobs/{job}?wait=10")
            if reply.status == 200 and reply.json["state"] in ("succeeded", "failed", "cancelled"):
                return reply.json
            assert reply.status in (200, 304, 503), (reply.status, reply.body[:500])
        raise AssertionError(f"{job} did not end within {seconds} s: {reply.body[:500]}")

    def results(self, job):
        reply = self.get(f"/v1/jobs/{job}/results.jsonl")
        assert reply.status == 200, (reply.status, reply.body[:500])
        return [json.loads(line) for line in reply.body.splitlines()]


class Server:
    """One `plimsoll serve` on a data folder that survives its restarts."""

    def __init__(self, data=None, first_start=False, **settings):
        # Short, because a socket's path has 107 bytes at most; passable, because PostgreSQL runs as
        # a user of its own when the tests run as root.
        self.folder = pathlib.Path(data or tempfile.mkdtemp(prefix="plm-"))
        os.chmod(self.folder, 0o755)
        self.settings = settings
        # Otherwise it finds the database that a first start makes, which takes seconds of processor time.
        self.first_start = first_start or "PLIMSOLL_TEST_CACHE" not in os.environ
        self.process = None
        self.base = self.metrics = None
        self.log = []
        self.grew = threading.Condition()

    def start(self):
        command = [BIN / "plimsoll", "serve"]
        if "port" not in self.settings:
            command += ["--port", "0"]
        if "database__url" not in self.settings:
            command += ["--data", self.folder / "data"]
            if not self.first_start and not (self.folder / "data").exists():
                (self.folder / "data").mkdir(0o711)
                subprocess.run([ROOT / "tests/support/postgres", "data", self.folder / "data"], check=True)
        for key, value in self.settings.items():
            command += [f"--{key.replace('__', '.')}", str(value)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=self.environment())
        self.log = []
        errors = threading.Thread(target=self._keep_log, args=(self.process.stderr,), daemon=True)
        errors.start()
        self.base = None
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        for line in self.process.stdout:
            word, _, rest = line.strip().partition(" ")
            if word == "metrics":
                self.metrics = rest
            if word == "ready":
                self.base = rest
                break
        timer.cancel()
        if not self.base:
            errors.join(10)  # to the end, unless a PostgreSQL that stays holds it open
            raise AssertionError("the server did not start:\n" + "".join(self.log[-40:]))
        threading.Thread(target=self._keep_log, args=(self.process.stdout,), daemon=True).start()
        return self

    def _keep_log(self, stream):
        with stream:
            for line in stream:
                with self.grew:
                    self.log.append(line)
                    self.grew.notify_all()

    def logged(self, *words):
        """The first line of the log that holds all the words, which may come after the response."""
        def found():
            return next((line for line in self.log if all(word in line for word in words)), None)
        with self.grew:
            line = self.grew.wait_for(found, PATIENCE / 10)
        if line is None:
            raise AssertionError(f"{words} not in the log:\n" + "".join(self.log[-40:]))
        return line

    def environment(self):
        """Credentials and models of its own, whatever this machine has."""
        return {**os.environ, "PLIMSOLL_CREDENTIALS": str(self.folder / "credentials.json"),
                "PLIMSOLL_MODELS": str(self.folder / "models")}

    def run(self, *arguments, check=True, env=None, **more):
        """Another `plimsoll` command beside the server, with the credentials of this test."""
        env = {**self.environment(), **(env or {})}
        done = subprocess.run([BIN / "plimsoll", *map(str, arguments)], capture_output=True, text=True,
                              env=env, timeout=PATIENCE, **more)
        if check and done.returncode != 0:
            raise AssertionError(f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done

    def admin(self, *arguments, **more):
        url = self.settings.get("database__url")
        where = ("--database.url", url) if url else ("--data", self.folder / "data")
        return self.run("admin", *where, *arguments, **more).stdout.strip()

    def api(self, user=None, team=None, scopes=("jobs:read", "jobs:write", "reports:read")):
        """The API with a fresh token; of the first system admin when no user is named."""
        if user is None:
            # Forgotten first: a login revokes the token of the one before, which a test may still use.
            (self.folder / "credentials.json").unlink(missing_ok=True)
            self.run("login", self.admin("sign-in-link", "--base-url", self.base))
            saved = json.loads((self.folder / "credentials.json").read_text())
            token = saved["servers"][saved["current"]]["token"]
        else:
            scope = [part for name in scopes for part in ("--scope", name)]
            token = self.admin("add-token", "test", "--user", user, "--team", team, *scope).split()[-1]
        return Api(self.base, token)

    def children(self, *names):
        """Process ids below the server whose command line holds every one of the names."""
        return [pid for pid in descendants(self.process.pid) if all(name in command_line(pid) for name in names)]

    def postmaster(self):
        return int(next((self.folder / "data").rglob("postmaster.pid")).read_text().split()[0])

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise AssertionError("the server did not drain:\n" + "".join(self.log[-40:]))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def remove(self):
        with contextlib.suppress(Exception):
            self.stop()
        # A killed server leaves its PostgreSQL behind for the next start to adopt.
        with contextlib.suppress(StopIteration, ProcessLookupError, FileNotFoundError):
            os.kill(self.postmaster(), signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.remove()
