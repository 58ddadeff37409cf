"""A user's own database, migrated by hand, with workers that no server started."""

import json
import os
import re
import signal
import subprocess
import unittest

from harness import BIN, PATIENCE, ROOT, Api, Server
from tiny_model import until

URL = os.environ["PLIMSOLL_TEST_DATABASE_URL"]  # as the superuser
APP = URL.replace("//postgres@", "//plimsoll_app@")
WORKER = URL.replace("//postgres@", "//plimsoll_worker@")
OPERATING = (ROOT / "deploy/OPERATING.md").read_text("utf-8")


def plimsoll(*arguments):
    return subprocess.run([BIN / "plimsoll", *arguments], capture_output=True, text=True, timeout=PATIENCE)


class OwnDatabase(unittest.TestCase):
    def test_migrate_serve_and_work_are_three_processes(self):
        refused = plimsoll("serve", "--port", "0", "--database.url", APP)
        self.assertNotEqual(refused.returncode, 0, "served a database without a schema")
        for said in (r"Schema version \d+, was 0\.", r"Schema version (\d+), was \1\."):  # nothing to do any more
            done = plimsoll("migrate", "--database.url", APP, "--database.migrate_url", URL)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, said)
        for url, jit in ((URL, "on"), (APP, "off"), (WORKER, "off")):  # which makes short queries slow
            shown = subprocess.check_output(["psql", "-qXAt", url, "-c", "show jit"], text=True)
            self.assertEqual(shown.strip(), jit, url)
        server = Server(database__url=APP, engine__local="false").start()
        self.addCleanup(server.remove)
        self.assertEqual(server.children("plimsoll-engine"), [])
        api = server.api()
        job = api.submit_texts(["good", "bad"])
        self.assertEqual(api.get(f"/v1/jobs/{job}").json["state"], "queued")
        # By the lines of the documentation.
        lines = re.search(r"^```sh\n(export PLIMSOLL_DATABASE_WORKER_URL=.*?)^```", OPERATING, re.S | re.M)[1]
        there = re.sub(r"'postgresql://plimsoll_worker@.*?'", f"'{WORKER}'", lines)
        self.assertIn(WORKER, there)
        engine = subprocess.Popen(["bash", "-euc", there.replace("\nplimsoll engine", "\nexec plimsoll engine")],
                                  env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"},
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.assertEqual(api.wait(job)["state"], "succeeded")
        finally:
            engine.send_signal(signal.SIGTERM)
            self.assertEqual(engine.wait(PATIENCE), 0)
        devices = {device["device"]: device["state"] for device in api.get("/v1/devices").json["items"]}
        self.assertNotEqual(devices.get("host"), "ready", devices)  # it said goodbye

    def test_unsuitable_settings_are_named(self):
        def settings(**values):
            for name, value in values.items():
                change = f"set {name} = '{value}'" if value else f"reset {name}"
                subprocess.run(["psql", "-qX", URL, "-c", f"alter role plimsoll_app in database plimsoll {change}"], check=True)

        def doctor():
            told = json.loads(plimsoll("doctor", "--json", "--database.url", APP).stdout)
            return {one["found"]: one["grade"] for one in told["findings"] if one["about"] == "PostgreSQL"}

        migrate = ("migrate", "--database.url", APP, "--database.migrate_url", URL)
        self.assertEqual(plimsoll(*migrate).returncode, 0)
        suits = doctor()
        self.assertFalse([found for found in suits if "jit" in found or "timeout" in found], suits)
        server = Server(database__url=APP, engine__local="false").start()
        self.addCleanup(server.remove)
        self.addCleanup(settings, jit="off", synchronous_commit=None, default_transaction_isolation=None)
        settings(jit="on", synchronous_commit="off")
        for told in (doctor(), plimsoll(*migrate).stdout):
            for word in ("jit is on", "synchronous_commit is off"):
                self.assertRegex(str(told), word)
        settings(default_transaction_isolation="serializable")
        found = [grade for text, grade in doctor().items() if "default_transaction_isolation is serializable" in text]
        self.assertEqual(found, ["bad"])
        refused = plimsoll("serve", "--port", "0", "--database.url", APP)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("default_transaction_isolation is serializable", refused.stderr)
        end = "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'plimsoll_app'"
        subprocess.run(["psql", "-qX", URL, "-c", end], check=True, stdout=subprocess.DEVNULL)
        until(lambda: b"default_transaction_isolation" in Api(server.base).get("/readyz").body, "/readyz does not name it")

    def test_the_server_ends_when_the_schema_becomes_newer(self):
        self.assertEqual(plimsoll("migrate", "--database.url", APP, "--database.migrate_url", URL).returncode, 0)
        server = Server(database__url=APP, engine__local="false").start()
        self.addCleanup(server.remove)
        newer = "insert into plimsoll.schema_migration (version, name, sha256) values (999, 'of a newer plimsoll', sha256(''))"
        subprocess.run(["psql", "-qX", URL, "-c", newer], check=True)
        self.addCleanup(subprocess.run, ["psql", "-qX", URL, "-c", "delete from plimsoll.schema_migration where version = 999"], check=True)
        self.assertEqual(server.process.wait(PATIENCE), 1)
        server.logged("stopping", "schema is version 999")
        refused = plimsoll("serve", "--port", "0", "--database.url", APP)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("schema is version 999", refused.stderr)

    def test_workers_need_a_database(self):
        refused = plimsoll("engine")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("PLIMSOLL_DATABASE_WORKER_URL", refused.stderr)


if __name__ == "__main__":
    unittest.main()
