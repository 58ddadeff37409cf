"""Backup, restore and upgrade with the commands of deploy/OPERATING.md: all data is restored."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import BIN, PATIENCE, ROOT, Server

URL = os.environ["PLIMSOLL_TEST_DATABASE_URL"]  # as the superuser
APP = URL.replace("//postgres@", "//plimsoll_app@")
POSTGRES = URL.replace("/plimsoll?", "/postgres?")
WORKER = URL.replace("//postgres@", "//plimsoll_worker@")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", (ROOT / "deploy/OPERATING.md").read_text(), re.S | re.M)


def lines_with(words):
    """The one block of commands that holds these words, without `plimsoll serve`: that is the harness's part."""
    found = [block for block in BLOCKS if words in block]
    assert len(found) == 1, (words, found)
    return found[0].replace("plimsoll serve\n", "")


def psql(sql, url=URL):
    done = subprocess.run(["psql", "-qXtA", "-v", "ON_ERROR_STOP=1", url], input=sql, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def make_older_schema(url):
    """Today's schema, as an earlier set of functions leaves it, with a team in it."""
    subprocess.run([ROOT / "tests/support/migrate", url], check=True)
    psql("""set search_path = plimsoll;
            insert into team (name) values ('first');
            insert into app_user (name, is_admin) values ('ada', true);
            insert into membership (team_id, user_id, role) select t.id, u.id, 'owner' from team t, app_user u;
            drop function queue_depth();
            delete from schema_function where name = 'queue_depth'""", url)


class Lines(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-backup-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_lines(self, words, **settings):
        env = {**os.environ, **settings, "PATH": f"{BIN}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-euxc", lines_with(words)], cwd=self.folder, env=env, capture_output=True,
                              text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def work(self, server):
        """A finished job: the API to ask with, the job's id, and its report."""
        api = server.api()
        job = api.submit_texts(["good", "bad"])
        self.assertEqual(api.wait(job)["state"], "succeeded")
        return api, job, api.get(f"/v1/jobs/{job}/report").json

    def check(self, server, api, job, report):
        """With the token of before, the job is as it was, and the server goes on working."""
        api.base = server.base
        self.assertEqual(api.get(f"/v1/jobs/{job}/report").json, report)
        self.assertEqual([row["text"] for row in api.results(job)], ["good", "bad"])
        self.work(server)


    def check_upgrade(self, settings, start):
        self.assertIn(" 1 functions written.", self.run_lines("# upgrade", **settings))
        api, *_ = self.work(start())
        me = api.get("/v1/users/me").json
        self.assertEqual((me["user"]["name"], me["team"]["name"]), ("ada", "first"))


class PrivateDatabase(Lines):
    def test_what_was_backed_up_is_restored(self):
        server = Server().start()
        self.addCleanup(server.remove)
        data = server.folder / "data"
        before = self.work(server)
        server.stop()
        self.run_lines("-czf plimsoll.tar.gz", PLIMSOLL_DATABASE_DATA_DIRECTORY=str(data))
        shutil.rmtree(data)
        self.run_lines("-xpzf plimsoll.tar.gz", PLIMSOLL_DATABASE_DATA_DIRECTORY=str(data))
        self.check(server.start(), *before)

    def test_a_running_server_is_backed_up(self):
        server = Server().start()
        self.addCleanup(server.remove)
        before = self.work(server)
        self.run_lines("# while it serves", PLIMSOLL_DATABASE_DATA_DIRECTORY=str(server.folder / "data"))
        other = Server().start()
        self.addCleanup(other.remove)
        self.run_lines("pg_restore --create", PLIMSOLL_DATABASE_DATA_DIRECTORY=str(other.folder / "data"))
        other.stop()
        self.check(other.start(), *before)

    def test_an_older_schema_is_brought_up_to_date(self):
        server = Server(engine__local="false").start()
        self.addCleanup(server.remove)
        data = server.folder / "data"
        server.kill()  # which leaves its PostgreSQL alive
        inside = f"postgresql://plimsoll_superuser@/plimsoll?host={data}/run"
        psql("select pg_terminate_backend(pid, 600000) from pg_stat_activity"
             " where backend_type = 'client backend' and pid <> pg_backend_pid();"
             "drop schema plimsoll cascade", inside)
        make_older_schema(inside)
        server.settings = {}
        self.check_upgrade({"PLIMSOLL_DATABASE_DATA_DIRECTORY": str(data)}, server.start)


class OwnDatabase(Lines):
    settings = {"PLIMSOLL_DATABASE_URL": APP, "PLIMSOLL_DATABASE_MIGRATE_URL": URL}

    def setUp(self):
        super().setUp()
        self.lose_everything()

    def lose_everything(self):
        psql("drop database if exists plimsoll with (force)", POSTGRES)
        roles = psql("select rolname from pg_roles where rolname like 'plimsoll%'", POSTGRES).split()
        psql("".join(f"drop role {role};" for role in roles) + "create database plimsoll;", POSTGRES)

    def serve(self):
        server = Server(database__url=APP, database__worker_url=WORKER)
        self.addCleanup(server.remove)
        return server.start()

    def test_what_was_backed_up_is_restored(self):
        self.run_lines("# upgrade", **self.settings)
        server = self.serve()
        before = self.work(server)
        limits = "select setrole::regrole, setconfig from pg_db_role_setting order by 1"
        kept = psql(limits)
        self.run_lines('plimsoll.dump "$PLIMSOLL_DATABASE_MIGRATE_URL"', **self.settings)
        server.stop()
        self.lose_everything()
        self.run_lines("plimsoll migrate    # creates", **self.settings)
        self.assertEqual(psql(limits), kept)
        self.check(self.serve(), *before)

    def test_an_older_schema_is_brought_up_to_date(self):
        make_older_schema(URL)
        self.check_upgrade(self.settings, self.serve)


if __name__ == "__main__":
    unittest.main()
