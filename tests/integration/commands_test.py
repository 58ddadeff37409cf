"""Every command of the program with --help, --json, a wrong flag, no server and an expired token.

The commands are those of `plimsoll manual`; a command without a row below fails the test.
"""

import http.server
import json
import pathlib
import subprocess
import tempfile
import threading
import unittest

from harness import BIN, Server

JOB, DATASET, SCHEDULE, WEBHOOK = "job_0000000000001", "ds_0000000000001", "sch_0000000000001", "wh_0000000000001"

# Commands that ask a server: arguments with which they do so.
ASKS = {
    "policy list": (), "policy report": (), "policy show": ("desk",), "policy set": ("desk", "{json}"), "policy remove": ("desk",),
    "policy preview": ("desk",), "score": ("calm",), "compare-models": ("{texts}",), "profile": (), "gpu-profiles add": ("card", "{json}"),
    "gpu-profiles remove": ("card",), "gpu-profiles own": (), "submit": ("sentiment", "{texts}"),
    "submit-bundle": ("{jobs}",), "jobs": (), "watch": (JOB,), "why": (JOB,), "cancel": (JOB,), "redrive": (JOB,),
    "report": (JOB,), "results": (JOB,), "datasets": (), "datasets upload": ("{texts}",), "datasets show": (DATASET,),
    "datasets errors": (DATASET,), "datasets delete": (DATASET,), "schedules list": (),
    "schedules add": ("nightly", "--cron", "@daily", "--job", "{json}"), "schedules show": (SCHEDULE,),
    "schedules edit": (SCHEDULE, "--cron", "@daily"), "schedules pause": (SCHEDULE,), "schedules resume": (SCHEDULE,),
    "schedules run": (SCHEDULE,), "schedules runs": (SCHEDULE,), "schedules remove": (SCHEDULE,), "webhooks list": (),
    "links list": (), "links create": (JOB,), "links revoke": ("link_0000000000001",),
    "webhooks add": ("notice", "https://example.com/"), "webhooks remove": (WEBHOOK,),
    "webhooks deliveries": (WEBHOOK,), "webhooks test": (WEBHOOK,), "baselines": (), "baselines pin": (JOB,),
    "baselines remove": ("base_0000000000001",), "usage": (), "audit": (), "service-accounts list": (),
    "service-accounts add": ("build",), "service-accounts add-token": ("user_0000000000001", "ci", "--scope", "jobs:write"),
    "service-accounts remove": ("user_0000000000001",), "devices": (), "devices clean": ("node", "opencl:pocl:0"),
    "queue show": (), "queue pause": ("--class", "cpu", "--reason", "a test"),
    "queue drain": ("--class", "cpu", "--reason", "a test"), "queue resume": ("--class", "cpu"),
    "queue share": ("main", "cpu", "--weight", "2"), "queue limit": ("main",),
    "queue class": ("cpu", "--half-life", "60", "--entry-limit", "1"), "whoami": ()}

# Commands that answer here: arguments with which they print JSON.
ANSWERS = {
    "model list": (), "estimate": ("--preset", "bert-base"), "gpu-profiles list": (), "gpu-profiles test": ("t4",),
    "gpu-profiles recommend": ("--memory-gib", "16", "--name", "Tesla T4"),
    "gpu-profiles check": ("t4", "--memory-gib", "15"), "guide": ("--gpu-memory", "24"),
    "diagnose": ("--memory-percent", "97"), "waves": ("{prices}",), "schedules next": ("@daily",), "use": (),
    "logout": (), "doctor": (), "admin users": (), "admin teams": ()}

# Commands whose answer is no data, that change files, or that run until they are ended: only their help and their
# flags are looked at, and what they do has tests elsewhere.
OTHERS = {
    "model", "model add", "model pull", "model inspect", "model verify", "model remove", "policy", "gpu-profiles",
    "apply", "show-config", "schedules", "webhooks", "links", "queue", "login", "serve", "engine", "migrate", "admin",
    "admin sign-in-link", "admin add-user", "admin set-user", "admin remove-user",
    "admin add-team", "admin set-team", "service-accounts", "admin set-member", "admin add-token",
    "help", "completion", "manual"}


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        spec = json.dumps({"kind": "sentiment", "args": {"texts": ["calm"]}})
        cls.files = {"json": spec, "jobs": spec, "texts": '{"text": "calm"}', "prices": "close\n" + "1\n2\n" * 30}
        for name, text in cls.files.items():
            ending = {"json": "json", "prices": "csv"}.get(name, "jsonl")
            (cls.folder / f"{name}.{ending}").write_text(text + "\n")
            cls.files[name] = str(cls.folder / f"{name}.{ending}")
        page = subprocess.run([BIN / "plimsoll", "manual"], capture_output=True, text=True, check=True).stdout
        cls.commands = [line.removeprefix(".SS plimsoll ").replace("\\-", "-") for line in page.splitlines()
                        if line.startswith(".SS plimsoll ")]

    def run_command(self, command, *arguments, env=None):
        filled = [str(word).format_map(self.files) if str(word).startswith("{") else word for word in arguments]
        return self.server.run(*command.split(), *filled, check=False, cwd=self.folder, env=env)

    def answering(self, reply):
        """The address of a server that answers every request with this."""
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(reply.status)
                for name in ("Content-Type", "WWW-Authenticate"):
                    if reply.headers[name]:
                        self.send_header(name, reply.headers[name])
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                pass

        double = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(double.server_close)
        self.addCleanup(double.shutdown)
        threading.Thread(target=double.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{double.server_address[1]}"

    def test_every_command_has_a_row(self):
        self.assertEqual(sorted(self.commands), sorted([*ASKS, *ANSWERS, *OTHERS]))

    def test_help(self):
        for command in self.commands:
            with self.subTest(command):
                done = self.run_command(command, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f"Usage: plimsoll {command}", done.stdout)
                # Commands below come before flags: nobody scrolls through settings to reach them.
                if "Subcommands:" in done.stdout:
                    self.assertLess(done.stdout.index("Subcommands:"), done.stdout.index("--help"))

    def test_a_wrong_flag(self):
        for command in self.commands:
            with self.subTest(command):
                done = self.run_command(command, "--no-such-flag", "--json")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                error = json.loads(done.stderr)["error"]
                self.assertIn(f"`plimsoll {command}` has no flag --no-such-flag.", error["message"])

    def test_no_server(self):
        nowhere = {"PLIMSOLL_SERVER": "http://127.0.0.1:1", "PLIMSOLL_TOKEN": "plm_api_x"}
        for command, arguments in ASKS.items():
            with self.subTest(command):
                done = self.run_command(command, *arguments, env=nowhere)
                self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
                self.assertIn("127.0.0.1:1", done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                as_json = self.run_command(command, *arguments, "--json", env=nowhere)
                self.assertEqual((as_json.returncode, as_json.stdout), (4, ""), as_json.stderr)
                self.assertEqual(json.loads(as_json.stderr)["error"]["code"], "unavailable")

    def test_an_expired_token(self):
        admin = self.server.api()
        made = admin.post("/v1/tokens", {"name": "short", "scopes": ["jobs:read"]}).json["secret"]
        mine = type(admin)(admin.base, made)
        self.assertEqual(mine.send("DELETE", "/v1/tokens/current").status, 204)
        refusal = mine.get("/v1/users/me")
        self.assertEqual(refusal.status, 401)
        # The server stops answering an address that fails so often, so its words are said by a double.
        expired = {"PLIMSOLL_SERVER": self.answering(refusal), "PLIMSOLL_TOKEN": made}
        for command, arguments in ASKS.items():
            with self.subTest(command):
                done = self.run_command(command, *arguments, env=expired)
                self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
                self.assertIn("plimsoll login", done.stderr)
                as_json = self.run_command(command, *arguments, "--json", env=expired)
                self.assertEqual((as_json.returncode, as_json.stdout), (3, ""), as_json.stderr)
                self.assertEqual(json.loads(as_json.stderr)["error"]["code"], "unauthenticated")

    def test_answers_are_json(self):
        for command, arguments in ANSWERS.items():
            with self.subTest(command):
                if command.startswith("admin"):
                    arguments = (*arguments, "--data", self.server.folder / "data")
                done = self.run_command(command, *arguments, "--json")
                self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: the answer is no
                json.loads(done.stdout)


if __name__ == "__main__":
    unittest.main()
