"""Back to the moment before a mistake, with the settings and commands of deploy/OPERATING.md: what was deleted is there again, what
was accepted later is not, and the server goes on."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from harness import PATIENCE, ROOT, Server
from promotion_test import OWNER, TOOLS, control, psql

BLOCKS = re.findall(r"^```(?:sh|ini)\n(.*?)^```", (ROOT / "deploy/OPERATING.md").read_text(), re.S | re.M)


def url(folder, role):
    return f"postgresql://{role}@/plimsoll?host={folder}"


class PointInTime(unittest.TestCase):
    def setUp(self):
        self.backup = self.own_folder()
        (self.backup / "wal").mkdir()
        self.give(self.backup / "wal")
        self.cluster = pathlib.Path(subprocess.check_output([ROOT / "tests/support/postgres", "start"], text=True).split()[0])
        self.addCleanup(self.remove, self.cluster)

    def own_folder(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="plimsoll-pg."))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        self.give(folder)
        return folder

    @staticmethod
    def give(folder):
        if OWNER:
            shutil.chown(folder, "postgres", "postgres")

    @staticmethod
    def remove(cluster):
        subprocess.run([ROOT / "tests/support/postgres", "stop", cluster], check=True)

    def lines(self, words):
        [found] = [block for block in BLOCKS if words in block]
        return found.replace("/backup/", f"{self.backup}/")

    def run_lines(self, words, **settings):
        done = subprocess.run([*OWNER, "bash", "-euc", self.lines(words)], cwd="/", env={**os.environ, **settings, "PATH": f"{TOOLS}:{os.environ['PATH']}"},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout)

    def until(self, folder, question):
        deadline = time.monotonic() + PATIENCE
        while psql(folder, question) != "t":
            self.assertLess(time.monotonic(), deadline, question)
            time.sleep(0.05)

    def serve(self, folder):
        server = Server(database__url=url(folder, "plimsoll_app"), database__worker_url=url(folder, "plimsoll_worker"))
        self.addCleanup(server.remove)
        return server.start()

    def work(self, api):
        job = api.submit_texts(["good", "bad"])
        self.assertEqual(api.wait(job)["state"], "succeeded")
        return job

    def test_what_was_deleted_is_there_again(self):
        with open(self.cluster / "test.conf", "a") as settings:
            settings.write(self.lines("archive_command"))
        control(self.cluster, "restart")
        self.run_lines("pg_basebackup", PLIMSOLL_DATABASE_MIGRATE_URL=url(self.cluster, "postgres"))
        server = self.serve(self.cluster)
        api = server.api()
        deleted = self.work(api)
        report = api.get(f"/v1/jobs/{deleted}/report").json
        moment = psql(self.cluster, "select clock_timestamp()")
        self.assertEqual(api.send("DELETE", f"/v1/jobs/{deleted}").status, 204)
        later = self.work(api)
        server.stop()
        file = psql(self.cluster, "select pg_walfile_name(pg_switch_wal())")
        self.until(self.cluster, f"select coalesce(last_archived_wal >= '{file}', false) from pg_stat_archiver")
        control(self.cluster, "-m", "immediate", "stop")

        folder = self.own_folder()
        (folder / "test.conf").write_text((self.cluster / "test.conf").read_text().replace(str(self.cluster), str(folder)))
        self.addCleanup(self.remove, folder)
        self.run_lines("recovery_target_time", PGDATA=f"{folder}/data", MOMENT=moment)
        self.until(folder, "select not pg_is_in_recovery()")
        api.base = self.serve(folder).base
        self.assertEqual(api.get(f"/v1/jobs/{deleted}/report").json, report)
        self.assertEqual([row["text"] for row in api.results(deleted)], ["good", "bad"])
        self.assertEqual(api.send("GET", f"/v1/jobs/{later}").status, 404)
        self.work(api)


if __name__ == "__main__":
    unittest.main()
