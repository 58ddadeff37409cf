"""Every command of the program with --help, --json in success and error, a wrong flag, no server and an expired token.

The commands are those of `plimsoll manual`; a command without a row below fails the test.
"""

import http.server
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from authenticator import code_of
from harness import BIN, PATIENCE, ROOT, Server

JOB, DATASET, SCHEDULE, WEBHOOK = "job_0000000000001", "ds_0000000000001", "sch_0000000000001", "wh_0000000000001"

# Commands that ask a server: arguments with which they do so.
ASKS = {
    "policy list": (), "policy report": (), "policy show": ("desk",), "policy set": ("desk", "{json}"), "policy remove": ("desk",),
    "policy preview": ("desk",), "score": ("calm",), "compare-models": ("{texts}",), "profile": (), "gpu-profiles add": ("card", "{json}"),
    "gpu-profiles remove": ("card",), "gpu-profiles own": (), "submit": ("sentiment", "{texts}"),
    "submit-bundle": ("{jobs}",), "jobs": (), "watch": (JOB,), "why": (JOB,), "tasks": (JOB,), "logs": (JOB,), "cancel": (JOB,), "redrive": (JOB,),
    "report": (JOB,), "results": (JOB,), "datasets list": (), "datasets upload": ("{texts}",), "datasets show": (DATASET,),
    "datasets errors": (DATASET,), "datasets delete": (DATASET,), "schedules list": (),
    "schedules add": ("nightly", "--cron", "@daily", "--job", "{json}"), "schedules show": (SCHEDULE,),
    "schedules edit": (SCHEDULE, "--cron", "@daily"), "schedules pause": (SCHEDULE,), "schedules resume": (SCHEDULE,),
    "schedules run": (SCHEDULE,), "schedules runs": (SCHEDULE,), "schedules remove": (SCHEDULE,), "webhooks list": (),
    "links list": (), "links add": (JOB,), "links revoke": ("link_0000000000001",),
    "webhooks add": ("notice", "https://example.com/"), "webhooks remove": (WEBHOOK,),
    "webhooks deliveries": (WEBHOOK,), "webhooks test": (WEBHOOK,), "baselines list": (), "baselines pin": (JOB,),
    "baselines remove": ("base_0000000000001",), "usage": (), "audit": (), "service-accounts list": (),
    "service-accounts add": ("build",), "service-accounts add-token": ("user_0000000000001", "ci", "--scope", "jobs:write"),
    "service-accounts remove": ("user_0000000000001",), "invitations list": (), "invitations add": ("--role", "viewer"),
    "invitations revoke": ("inv_0000000000001",), "devices": (), "devices clean": ("node", "opencl:pocl:0"),
    "queue show": (), "queue pause": ("--class", "cpu", "--reason", "a test"),
    "queue drain": ("--class", "cpu", "--reason", "a test"), "queue resume": ("--class", "cpu"),
    "queue share": ("main", "cpu", "--weight", "2"), "queue limit": ("main",),
    "queue class": ("cpu", "--half-life", "60", "--entry-limit", "1"), "whoami": (),
    "password": ("--present-password-file", "{texts}", "--password-file", "{texts}"), "second-factor show": (),
    "second-factor add": ("--password-file", "{texts}"), "second-factor confirm": ("123456",), "second-factor remove": ("123456",),
    "model list": ("--pool",),
    "tokens list": (), "tokens add": ("ci",), "tokens revoke": ("tok_0000000000001",)}

# Commands that work without a server, look for it by themselves, or are about the chosen one.
LOCAL = {
    "model add", "model inspect", "model verify", "model remove", "model pull", "estimate", "apply", "show-config", "check", "gpu-profiles list", "gpu-profiles test",
    "gpu-profiles recommend", "gpu-profiles check", "guide", "diagnose", "compare-memory", "waves", "schedules next", "use", "login", "logout", "doctor", "serve",
    "engine", "migrate", "help", "manual", "completion", "mcp", "admin sign-in-link", "admin password-link", "admin users", "admin add-user",
    "admin set-user", "admin remove-user", "admin remove-second-factor", "admin teams", "admin add-team", "admin set-team",
    "admin set-member", "admin add-token", "admin identities", "admin unlink",
}

# Each command with arguments of a call that succeeds. What stands in braces is a file, or a thing that is made first.
SUCCEEDS = {
    **{command: arguments for command, arguments in ASKS.items() if not any(isinstance(word, str) and word.startswith(
        ("job_", "ds_", "sch_", "wh_", "link_", "base_", "inv_", "user_", "tok_")) for word in arguments)},
    "policy show": ("{policy}",), "policy set": ("desk", "{policy_file}"), "policy remove": ("{policy}",),
    "policy preview": ("{policy}",), "gpu-profiles add": ("card", "{card_file}"), "gpu-profiles remove": ("{card}",),
    "profile": ("--mode", "sentiment", "--sentiment-model", "vader", "--largest-batch", "2"),
    "watch": ("{job}",), "why": ("{job}",), "tasks": ("{job}",), "logs": ("{job}",), "cancel": ("{waiting_job}",), "redrive": ("--all-failed",), "report": ("{job}",),
    "results": ("{job}",), "datasets show": ("{dataset}",), "datasets errors": ("{unreadable}",),
    "datasets delete": ("{dataset}",), "schedules add": ("another", "--cron", "@daily", "--job", "{json}"),
    "schedules show": ("{schedule}",), "schedules edit": ("{schedule}", "--cron", "@daily"),
    "schedules pause": ("{schedule}",), "schedules resume": ("{schedule}",), "schedules run": ("{schedule}",),
    "schedules runs": ("{schedule}",), "schedules remove": ("{schedule}",), "links add": ("{job}",),
    "links revoke": ("{link}",), "webhooks add": ("notice", "https://hooks.example.com/"),
    "webhooks remove": ("{webhook}",), "webhooks deliveries": ("{webhook}",), "webhooks test": ("{webhook}",),
    "baselines pin": ("{profile}",), "baselines remove": ("{baseline}",),
    "service-accounts add-token": ("{account}", "ci", "--scope", "jobs:write"), "service-accounts remove": ("{account}",),
    "invitations revoke": ("{invitation}",), "tokens revoke": ("{token}",), "devices clean": ("{node}", "{device}"), "queue resume": ("{hold}",),
    "model add": ("{model_folder}", "--name", "added"), "model list": (), "model inspect": ("{model}",),
    "model verify": ("{model}",), "model remove": ("{model}", "--force"), "estimate": ("--preset", "bert-base"),
    "apply": ("{advice}", "{train}", "--dry-run"), "show-config": ("{train}", "--preset", "bert-base"), "check": ("{train}", "--preset", "bert-base"),
    "gpu-profiles list": (), "gpu-profiles test": ("t4",),
    "gpu-profiles recommend": ("--memory-gib", "16", "--name", "Tesla T4"),
    "gpu-profiles check": ("t4", "--memory-gib", "15"), "guide": ("--gpu-memory", "24"),
    "diagnose": ("--memory-percent", "97"), "compare-memory": ("{snapshot}", "--preset", "bert-base", "--batch", "8"), "waves": ("{prices}",), "schedules next": ("@daily",), "use": (),
    "login": ("{sign_in_link}",), "password": ("{password_link}", "--password-file", "{new_password}"),
    "second-factor show": (), "second-factor add": ("--password-file", "{present_password}"),
    "second-factor confirm": ("{offered_code}",), "second-factor remove": ("{recovery_code}",),
    "admin remove-second-factor": ("{protected_user}",),
    "logout": (), "doctor": (), "serve": ("--print-config",), "engine": ("--print-config",),
    "migrate": ("--data", "{empty}"), "help": ("queue", "share"), "manual": (), "admin sign-in-link": ("--base-url", "http://x"),
    "admin password-link": ("--user", "{user}", "--base-url", "http://x"), "admin users": (),
    "admin add-user": ("bob",), "admin set-user": ("{user}", "--email", "u@example.com"),
    "admin remove-user": ("{user}",), "admin teams": (), "admin add-team": ("research",),
    "admin identities": ("{user}",), "admin set-team": ("{team}", "--archived", "true"), "admin set-member": ("--team", "main", "--user", "{user}"),
    "admin add-token": ("ci", "--user", "admin", "--team", "main", "--scope", "jobs:read"),
}

# A script is no JSON, and refused; mcp_test.py speaks its protocol; a hub is asked by model_pull_test.py, an identity made by provider_accounts_test.py.
NO_SUCCESS = {"completion", "mcp", "model pull", "admin unlink"}

# Run last: they end what the others need.
LAST = ("logout",)


class Things:
    """Calls commands; makes what stands in braces in their arguments, each time anew, by other commands."""

    def __init__(self, server, folder, files):
        self.server, self.folder, self.files, self.number = server, folder, files, 0
        server.api()  # signs the command line in

    def call(self, command, *arguments):
        data = ("--data", self.server.folder / "data") if command.startswith("admin") else ()
        filled = [self.made(word[1:-1]) if str(word).startswith("{") else word for word in arguments]
        return self.server.run(*command.split(), *data, *filled, check=False, cwd=self.folder)

    def told(self, command, *arguments, status=(0,)):
        done = self.call(command, *arguments, "--json")
        assert done.returncode in status, (command, arguments, done.stdout, done.stderr)
        return json.loads(done.stdout)

    def file(self, name, text):
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def made(self, name):
        self.number += 1
        return self.files[name] if name in self.files else getattr(self, name)(f"thing-{self.number}")

    def snapshot(self, name):
        file = self.folder / f"{name}.pickle"
        event = {"action": "alloc", "addr": 512, "size": 512, "stream": 0, "frames": []}
        file.write_bytes(pickle.dumps({"segments": [], "device_traces": [[event]]}))
        return str(file)

    def job(self, _):
        job = self.told("submit", "sentiment", "{texts}")["id"]
        assert self.call("watch", job).returncode == 0
        return job

    def waiting_job(self, _):
        return self.told("submit", "sentiment", "{texts}", "--run-at", "2099-01-01T00:00:00Z")["id"]

    def profile(self, _):
        self.told("profile", *SUCCEEDS["profile"])
        return next(job["id"] for job in self.told("jobs")["items"] if job["kind"] == "profile")

    def baseline(self, _):
        self.told("baselines pin", "{profile}")
        return self.told("baselines list")["items"][0]["id"]

    def dataset(self, _):
        return self.told("datasets upload", "{texts}")["id"]

    def unreadable(self, _):
        return self.told("datasets upload", self.file("bad.jsonl", '{"text": "calm"}\nno JSON\n'))["id"]

    def schedule(self, name):
        return self.told("schedules add", name, "--cron", "@daily", "--job", "{json}")["id"]

    def webhook(self, name):
        return self.told("webhooks add", name, "https://hooks.example.com/")["webhook"]["id"]

    def link(self, _):
        return self.told("links add", "{job}")["report_link"]["id"]

    def password_link(self, _):
        return self.told("admin password-link", "--user", "{user}", "--base-url", self.server.base)["link"]

    def present_password(self, name):
        """Of the caller, who has no second factor any more."""
        self.call("admin remove-second-factor", "admin")
        link = self.told("admin password-link", "--user", "admin", "--base-url", self.server.base)["link"]
        self.told("password", link, "--password-file", self.file(name, "a boat that floats\n"))
        return str(self.folder / name)

    def offered_code(self, _):
        return code_of(self.told("second-factor add", "--password-file", "{present_password}")["secret"])

    def recovery_code(self, _):
        return self.told("second-factor confirm", "{offered_code}")["recovery_codes"][0]

    def protected_user(self, _):
        self.made("recovery_code")
        return "admin"

    def new_password(self, _):
        return self.file("password", "a boat that floats\n")

    def account(self, name):
        return self.told("service-accounts add", name)["id"]

    def invitation(self, _):
        return self.told("invitations add")["invitation"]["id"]

    def token(self, name):
        return self.told("tokens add", name)["token"]["id"]

    def hold(self, _):
        return self.told("queue pause", "--team", "{team}", "--reason", "a test")["id"]

    def policy_file(self, _):
        return self.file("policy.json", '{"model": "vader"}')

    def policy(self, _):
        self.told("policy set", "shift", "{policy_file}")
        return "shift"

    def card_file(self, _):
        return self.file("card.json", json.dumps({"memory_gib": 30, "bandwidth_gb_s": 900, "fp32_tflops": 40}))

    def card(self, _):
        self.told("gpu-profiles add", "card", "{card_file}")
        return "card"

    def device_of(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for device in self.told("devices")["items"]:
                if device["device"] != "host" and device["state"] == "ready":
                    return device
            time.sleep(0.1)  # workers tell with heartbeats, and nobody announces it
        raise AssertionError("no device is ready")

    def node(self, _):
        return self.device_of()["node"]

    def device(self, _):
        return self.device_of()["device"]

    def model_folder(self, name):
        subprocess.run([sys.executable, "-B", ROOT / "deploy/samples/models/make_tiny_model.py", self.folder / name], check=True,
                       stdout=subprocess.DEVNULL)
        return str(self.folder / name)

    def model(self, name):
        self.told("model add", "{model_folder}", "--name", name)
        return name

    def train(self, _):
        return self.file("train.yaml", "per_device_train_batch_size: 8\ngradient_accumulation_steps: 4\n")

    def advice(self, _):
        return self.file("advice.json", self.call("estimate", "--preset", "bert-base", "--json").stdout)

    def sign_in_link(self, _):
        return self.server.admin("sign-in-link", "--base-url", self.server.base)

    def user(self, name):
        self.told("admin add-user", name)
        return name

    def team(self, name):
        self.told("admin add-team", name)
        return name

    def empty(self, name):
        (self.folder / name).mkdir()
        return str(self.folder / name)


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(webhooks__allowed_origins="https://hooks.example.com").start()
        cls.addClassCleanup(cls.server.remove)
        folder = tempfile.TemporaryDirectory(prefix="plm-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        os.chmod(cls.folder, 0o755)  # for the PostgreSQL of a database in it
        spec = json.dumps({"kind": "sentiment", "args": {"texts": ["calm"]}})
        cls.files = {"json": spec, "jobs": spec, "texts": '{"text": "calm"}', "prices": "close\n" + "1\n2\n" * 30}
        for name, text in cls.files.items():
            ending = {"json": "json", "prices": "csv"}.get(name, "jsonl")
            (cls.folder / f"{name}.{ending}").write_text(text + "\n")
            cls.files[name] = str(cls.folder / f"{name}.{ending}")
        tree = json.loads(subprocess.run([BIN / "plimsoll", "manual", "--json"], capture_output=True, text=True, check=True).stdout)
        cls.tree = {one["command"]: one["commands"] for one in tree["commands"] if one["command"]}
        cls.commands = list(cls.tree)

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
        """A group that only holds commands has no success of its own: it lists what it is about, or needs a command."""
        groups = {command for command, below in self.tree.items() if below and command not in SUCCEEDS}
        self.assertEqual(set(self.commands), {*SUCCEEDS, *NO_SUCCESS, *groups})
        self.assertEqual(set(self.commands) - groups, {*ASKS, *LOCAL})
        self.assertFalse(set(ASKS) & LOCAL)
        for group in groups:
            with self.subTest(group):
                done = self.run_command(group, "--json")
                listing = next((name for name in ("list", "show") if SUCCEEDS.get(f"{group} {name}") == ()), None)
                if listing:
                    self.assertEqual((done.returncode, done.stdout),
                                     (0, self.run_command(f"{group} {listing}", "--json").stdout), done.stderr)
                    continue
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("needs a command", json.loads(done.stderr)["error"]["message"])

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

    def test_success_is_json(self):
        things = Things(self.server, self.folder, self.files)
        rows = sorted(SUCCEEDS.items(), key=lambda row: row[0] in LAST)
        for command, arguments in rows:
            with self.subTest(command):
                done = things.call(command, *arguments, "--json")
                self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: the answer is no
                self.assertIsInstance(json.loads(done.stdout), (dict, list), done.stdout)

    def test_without_success(self):
        done = self.run_command("completion", "bash", "--json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("omit --json", json.loads(done.stderr)["error"]["message"])
        for name, call in (("model_pull_test.py", '"--json", "model", "pull"'), ("provider_accounts_test.py", '"unlink", user, identity["id"], "--json"')):
            self.assertIn(call, pathlib.Path(__file__).with_name(name).read_text())

    def test_links_begin_with_the_servers_address(self):
        for command in (("sign-in-link",), ("password-link", "--user", "admin")):
            for base in ("http://x", "http://x/", "http://x/plimsoll//"):
                link = self.server.admin(*command, "--base-url", base)
                self.assertTrue(link.startswith(base.rstrip("/") + "/#/"), link)


if __name__ == "__main__":
    unittest.main()
