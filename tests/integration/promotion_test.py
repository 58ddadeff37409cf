"""A primary that dies, and a standby that is promoted: with the addresses of both and synchronous replication nothing that was
accepted is lost, and servers and workers find the new primary by themselves."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

from harness import ROOT, Server

SERVICE_SECONDS = 30  # until requests succeed again
TOOLS = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
OWNER = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.getuid() == 0 else []


def run(*arguments):
    done = subprocess.run([*OWNER, *arguments], cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    assert done.returncode == 0, (arguments, done.stdout)


def control(folder, *arguments):
    run(TOOLS / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-w", *arguments)


def psql(folder, sql):
    return subprocess.check_output(["psql", "-qXAt", f"postgresql://postgres@/plimsoll?host={folder}", "-c", sql], text=True).strip()


class Pair:
    """A primary and its standby, each with a socket in its own folder."""

    def __init__(self):
        folder, _ = subprocess.check_output([ROOT / "tests/support/postgres", "start"], text=True).split()
        self.primary = pathlib.Path(folder)
        self.standby = pathlib.Path(tempfile.mkdtemp(prefix="plimsoll-pg.", dir="/tmp"))
        self.standby.chmod(0o755)
        if OWNER:
            shutil.chown(self.standby, "postgres", "postgres")
        (self.standby / "test.conf").write_text((self.primary / "test.conf").read_text().replace(str(self.primary), str(self.standby)))
        run(TOOLS / "pg_basebackup", "-h", self.primary, "-U", "postgres", "-D", self.standby / "data", "-R", "-c", "fast")
        control(self.standby, "start")
        psql(self.primary, "alter system set synchronous_standby_names = '*'")
        psql(self.primary, "select pg_reload_conf()")
        while psql(self.primary, "select sync_state from pg_stat_replication") != "sync":
            time.sleep(0.1)

    def url(self, role):
        return f"postgresql://{role}@/plimsoll?host={self.primary},{self.standby}&target_session_attrs=read-write"

    def remove(self):
        for folder in (self.primary, self.standby):
            subprocess.run([ROOT / "tests/support/postgres", "stop", folder], check=True)


class Submissions:
    """Clients that submit jobs until they are told to end; the times and IDs of those that were accepted."""

    def __init__(self, url):
        self.server = Server(database__url=url("plimsoll_app"), database__worker_url=url("plimsoll_worker"),
                             limits__requests_per_minute="0", limits__team_requests_per_minute="0").start()
        self.api, self.accepted, self.over, self.wrong = self.server.api(), [], threading.Event(), []
        self.clients = [threading.Thread(target=self.submit) for _ in range(4)]
        for client in self.clients:
            client.start()

    def submit(self):
        while not self.over.is_set():
            began = time.monotonic()
            reply = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["Fair winds."]}})
            if reply.status == 202:
                self.accepted.append((began, time.monotonic(), reply.json["id"]))
                continue
            if reply.status != 503:
                self.wrong.append((reply.status, reply.body))
            time.sleep(0.05)

    def until_more(self, count, seconds):
        before, deadline = len(self.accepted), time.monotonic() + seconds
        while len(self.accepted) < before + count and time.monotonic() < deadline:
            time.sleep(0.05)

    def end(self):
        self.over.set()
        for client in self.clients:
            client.join()

    def assert_service(self, test, died):
        """After the primary died, and the standby took its place."""
        self.until_more(100, 10 * SERVICE_SECONDS)
        self.end()
        test.assertEqual(self.wrong, [])
        back = min((ended for began, ended, _ in self.accepted if began > died), default=float("inf"))
        states = [self.api.wait(job)["state"] for _, _, job in self.accepted]
        print(f"{len(self.accepted)} jobs accepted, {len(states) - states.count('succeeded')} lost; "
              f"{back - died:.1f} s without service after the primary died", flush=True)
        test.assertEqual(states.count("succeeded"), len(self.accepted))
        test.assertLess(back - died, SERVICE_SECONDS)

    def remove(self):
        self.end()
        self.server.remove()


class Promotion(unittest.TestCase):
    def test_no_accepted_job_is_lost(self):
        pair = Pair()
        self.addCleanup(pair.remove)
        submissions = Submissions(pair.url)
        self.addCleanup(submissions.remove)
        submissions.until_more(100, SERVICE_SECONDS)
        control(pair.primary, "-m", "immediate", "stop")
        died = time.monotonic()
        control(pair.standby, "promote")
        # Nobody replicates from it yet.
        psql(pair.standby, "alter system reset synchronous_standby_names")
        psql(pair.standby, "select pg_reload_conf()")
        submissions.assert_service(self, died)


if __name__ == "__main__":
    unittest.main()
