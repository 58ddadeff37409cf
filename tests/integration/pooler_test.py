"""PgBouncer before the database: by sessions it works, by transactions its old version is refused with the reason."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from harness import BIN, PATIENCE, ROOT, Server
from queue_client import server_folder, url_for

UNPACKED = pathlib.Path(subprocess.check_output([ROOT / "tests/support/proxies"], text=True).strip())
# Debian's is 1.18; another one that is named is 1.21 or newer.
NEW = "PLIMSOLL_TEST_PGBOUNCER" in os.environ
PROGRAM = os.environ.get("PLIMSOLL_TEST_PGBOUNCER", UNPACKED / "usr/sbin/pgbouncer")
# It refuses to be root.
OWNER = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.getuid() == 0 else []


class Pooler:
    def __init__(self, mode):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-"))
        (self.folder / "users").write_text('"plimsoll_app" ""\n"plimsoll_worker" ""\n')
        self.folder.joinpath("conf").write_text(
            f"[databases]\nplimsoll = host={server_folder()} dbname=plimsoll\n[pgbouncer]\nlisten_addr =\n"
            f"unix_socket_dir = {self.folder}\nauth_type = trust\nauth_file = {self.folder}/users\npool_mode = {mode}\n"
            f"default_pool_size = 40\nignore_startup_parameters = extra_float_digits\n" +
            ("max_prepared_statements = 200\n" if NEW and mode == "transaction" else ""))
        # Its user cannot look into the folder of downloads.
        for file in (PROGRAM, *UNPACKED.glob("usr/lib/*-linux-gnu/lib*.so*")):
            shutil.copy(file, self.folder)
        if OWNER:
            shutil.chown(self.folder, "postgres")
        self.folder.chmod(0o755)
        self.log = open(self.folder / "log", "w")
        self.process = subprocess.Popen([*OWNER, "env", f"LD_LIBRARY_PATH={self.folder}", self.folder / "pgbouncer", self.folder / "conf"],
                                        stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + PATIENCE
        while not (self.folder / ".s.PGSQL.6432").exists():
            assert self.process.poll() is None and time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.05)

    def url(self, role):
        return f"postgresql://{role}@/plimsoll?host={self.folder}&port=6432"

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder)


class Poolers(unittest.TestCase):
    def start(self, mode):
        pooler = Pooler(mode)
        self.addCleanup(pooler.close)
        return pooler

    def works(self, pooler):
        server = Server(database__url=pooler.url("plimsoll_app"), database__worker_url=pooler.url("plimsoll_worker"))
        self.addCleanup(server.remove)
        api = server.start().api()
        for _ in range(20):
            self.assertEqual(api.wait(api.submit_texts(["good", "bad"]))["state"], "succeeded")
        self.assertIn("plm_", server.run("admin", "--database.url", pooler.url("plimsoll_app"), "sign-in-link").stdout)

    def test_by_sessions_it_works(self):
        self.works(self.start("session"))

    def test_by_transactions_it_works_if_it_keeps_prepared_statements(self):
        pooler = self.start("transaction")
        if NEW:
            return self.works(pooler)
        refused = subprocess.run([BIN / "plimsoll", "serve", "--port", "0", "--database.url", pooler.url("plimsoll_app")],
                                 capture_output=True, text=True, timeout=PATIENCE)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("use PgBouncer 1.21 or newer with max_prepared_statements", refused.stderr)
        told = subprocess.run([BIN / "plimsoll", "doctor", "--json", "--database.url", pooler.url("plimsoll_app")],
                              capture_output=True, text=True, timeout=PATIENCE).stdout
        self.assertIn("PgBouncer", [one["found"] for one in json.loads(told)["findings"] if one["grade"] == "bad"][0])


if __name__ == "__main__":
    unittest.main()
