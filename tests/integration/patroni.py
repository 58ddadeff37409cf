"""Fail-over by Debian's Patroni as in deploy/SCALING.md: the machine of the primary dies, Patroni promotes its synchronous
standby, and no accepted job is lost. Then the old primary comes back as the standby, and all of it once more.

    python3 tests/integration/patroni.py [--times 2]
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from harness import PATIENCE, ROOT
from promotion_test import OWNER, TOOLS, Submissions

UNPACKED = pathlib.Path(subprocess.check_output([ROOT / "tests/support/patroni"], text=True).strip())
DOCUMENTED = re.search(r"^```yaml no-run: integration/patroni.py.*?\n(.*?)^```", (ROOT / "deploy/SCALING.md").read_text(), re.S | re.M)[1]
CONFIG = """
scope: plimsoll
name: {name}
restapi: {{listen: '127.0.0.1:{rest}', connect_address: '127.0.0.1:{rest}'}}
etcd3: {{host: '127.0.0.1:{etcd}'}}
postgresql:
  listen: 127.0.0.1:{port}
  connect_address: 127.0.0.1:{port}
  data_dir: {folder}/data
  bin_dir: {tools}
  pgpass: {folder}/pgpass
  authentication: {{superuser: {{username: postgres}}, replication: {{username: postgres}}}}
  parameters: {{unix_socket_directories: '{folder}', fsync: 'off', shared_buffers: 64MB, jit: 'off'}}
  pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']
"""


def free_ports(count):
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


class Member:
    """A machine with Patroni and PostgreSQL."""

    def __init__(self, cluster, name):
        self.cluster, self.name = cluster, name
        self.folder = cluster.folder / name
        self.folder.mkdir()
        self.port, self.rest = free_ports(2)
        (self.folder / "patroni.yaml").write_text(
            CONFIG.format(name=name, rest=self.rest, etcd=cluster.etcd_port, port=self.port, folder=self.folder, tools=TOOLS) + DOCUMENTED)
        if OWNER:
            shutil.chown(self.folder, "postgres", "postgres")
        self.start()

    def start(self):
        with open(self.folder / "patroni.log", "a") as log:
            self.process = subprocess.Popen([*OWNER, "/usr/bin/python3", "-m", "patroni", self.folder / "patroni.yaml"], cwd="/",
                                            stdout=log, stderr=log, env={**os.environ, "PYTHONPATH": self.cluster.packages})

    def state(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.rest}/patroni", timeout=5) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)
        except OSError:
            return {}

    def postmaster(self):
        return int((self.folder / "data/postmaster.pid").read_text().split()[0])

    def die(self):
        """As with its machine: nothing is told to anybody."""
        for pid in (self.process.pid, self.postmaster()):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def remove(self):
        self.process.terminate()  # stops PostgreSQL, too
        self.process.wait(PATIENCE)


class Patroni:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-patroni-", dir="/tmp"))
        self.folder.chmod(0o755)
        # Of the user postgres, too.
        self.packages = shutil.copytree(UNPACKED / "usr/lib/python3/dist-packages", self.folder / "packages")
        self.etcd_port, peers = free_ports(2)
        here, there = (f"http://127.0.0.1:{port}" for port in (self.etcd_port, peers))
        with open(self.folder / "etcd.log", "w") as log:
            self.etcd = subprocess.Popen([UNPACKED / "usr/bin/etcd", "--data-dir", self.folder / "etcd", "--listen-client-urls", here,
                                          "--advertise-client-urls", here, "--listen-peer-urls", there, "--initial-advertise-peer-urls", there,
                                          "--initial-cluster", f"default={there}"], stdout=log, stderr=log)
        self.members = []
        self.members.append(Member(self, "one"))
        self.until(lambda: self.primary(), "there is no primary")
        self.members.append(Member(self, "two"))
        self.until_synchronous()

    def until(self, look, what):
        deadline = time.monotonic() + PATIENCE
        while not (found := look()):
            ended = any(one.process.poll() is not None for one in self.members)
            assert not ended and time.monotonic() < deadline, what + "".join((one.folder / "patroni.log").read_text()[-3000:] for one in self.members)
            time.sleep(0.1)
        return found

    def primary(self):
        found = [one for one in self.members if (state := one.state()).get("role") == "master" and state.get("state") == "running"]
        return found[0] if len(found) == 1 else None

    def until_synchronous(self):
        """And until Patroni has noted it: it promotes no other, and notes a standby that came back a few seconds after PostgreSQL does."""
        self.until(lambda: self.primary() and any(one.state().get("sync_standby") for one in self.members), "there is no synchronous standby")

    def url(self, role, database="plimsoll"):
        hosts = ",".join(f"127.0.0.1:{one.port}" for one in self.members)
        return f"postgresql://{role}@{hosts}/{database}?target_session_attrs=read-write"

    def remove(self):
        for member in self.members:
            member.remove()
        self.etcd.kill()
        self.etcd.wait()
        shutil.rmtree(self.folder)


class FailOver(unittest.TestCase):
    times = 2

    def test_no_accepted_job_is_lost(self):
        cluster = Patroni()
        self.addCleanup(cluster.remove)
        subprocess.run(["psql", "-qX", cluster.url("postgres", "postgres"), "-c", "create database plimsoll"], check=True)
        subprocess.run([ROOT / "tests/support/migrate", cluster.url("postgres")], check=True)
        for _ in range(self.times):
            submissions = Submissions(cluster.url)
            self.addCleanup(submissions.remove)
            submissions.until_more(100, 300)
            dead = cluster.primary()
            dead.die()
            submissions.assert_service(self, time.monotonic())
            self.assertIsNot(cluster.primary(), dead)
            submissions.remove()
            dead.start()
            cluster.until_synchronous()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=FailOver.times)
    FailOver.times = parser.parse_args().times
    unittest.main(argv=[__file__])
