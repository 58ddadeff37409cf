"""Workers as the array of deploy/SCALING.md, in Debian's Slurm on this machine: 100,000 texts are scored, although an array
task is killed in the middle; then all of them stop by themselves.

    tests/support/with_database tests/integration/slurm.py [--texts 100000]
"""

import argparse
import contextlib
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

from harness import BIN, PATIENCE, ROOT, Server
from queue_client import connect, url_for

SCRIPT = re.search(r"^```slurm\n(.*?)^```", (ROOT / "deploy/SCALING.md").read_text(), re.S | re.M)[1]
UNPACKED = pathlib.Path(subprocess.check_output([ROOT / "tests/support/slurm"], text=True).strip())
TEXT = "The harbour was calm, the crew was glad, and nobody minded the dreadful coffee of the night before. " * 3
CONFIG = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/none
CredType=cred/none
PluginDir={plugins}
SlurmUser={user}
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
KillWait=60
NodeName={host} NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-slurm-"))
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        plugins = UNPACKED / "usr/lib/x86_64-linux-gnu/slurm-wlm"
        ports = []
        for _ in range(2):
            with socket.create_server(("127.0.0.1", 0)) as listener:
                ports.append(listener.getsockname()[1])
        (self.folder / "slurm.conf").write_text(CONFIG.format(host=socket.gethostname().split(".")[0], folder=self.folder,
                                                              plugins=plugins, ports=ports, user="root"))
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": f"{BIN}:{os.environ['PATH']}",
                            "LD_LIBRARY_PATH": f"{plugins}:{plugins.parent}"}
        stepd = UNPACKED / "usr/sbin/slurmstepd-wlm"
        self.daemons = [self.start("slurmctld-wlm", "-D"), self.start("slurmd-wlm", "-D", "-d", stepd)]
        self.until(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T"), "the node is not idle")

    def start(self, program, *arguments):
        log = open(self.folder / f"{program}.log", "w")
        return subprocess.Popen([UNPACKED / "usr/sbin" / program, *arguments], env=self.environment, stdout=log, stderr=log)

    def run(self, program, *arguments, **more):
        done = subprocess.run([UNPACKED / "usr/bin" / program, *arguments], env=self.environment, capture_output=True, text=True,
                              cwd=self.folder, **more)
        return done.stdout + done.stderr

    def until(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline or any(daemon.poll() is not None for daemon in self.daemons):
                raise AssertionError(what + "".join(file.read_text()[-3000:] for file in self.folder.glob("*.*t*")))
            time.sleep(0.1)

    def remove(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            daemon.wait(PATIENCE)
        shutil.rmtree(self.folder)


def processes_of(array_task):
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "exe").readlink().is_relative_to(BIN.resolve()) and \
                    f"SLURM_ARRAY_TASK_ID={array_task}\0".encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
    return found


def stopped_while_it_works(queue):
    """The number of an array task that is stopped and holds a lease."""
    leases = "select w.node from lease l join worker w on w.id = l.worker_id"
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for found in queue.execute(leases).fetchall():
            array_task = found.node.rpartition("-")[2]
            stopped = processes_of(array_task)
            for process in stopped:
                os.kill(process, signal.SIGSTOP)
            time.sleep(0.2)  # what it sent before is recorded
            if stopped and found in queue.execute(leases).fetchall():
                return array_task
            for process in stopped:
                os.kill(process, signal.SIGCONT)
            break
    raise AssertionError("nobody was stopped in the middle of a task")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=100_000)
    given = parser.parse_args()
    slurm = Slurm()
    try:
        with Server(database__url=url_for("plimsoll_app"), engine__local="false") as server, connect() as queue:
            api = server.api()
            slurm.environment |= {"PLIMSOLL_DATABASE_WORKER_URL": url_for("plimsoll_worker"), "OCL_ICD_VENDORS": "/nonexistent"}
            said = slurm.run("sbatch", input=SCRIPT)
            assert "Submitted batch job" in said, said
            file = server.folder / "texts.jsonl"
            file.write_text("".join(json.dumps({"id": str(n), "text": f"{n} {TEXT}"}) + "\n" for n in range(given.texts)))
            job = json.loads(server.run("--json", "submit", "sentiment", file).stdout)["id"]
            killed = stopped_while_it_works(queue)
            for process in processes_of(killed):  # scancel would let it end what it has begun
                os.kill(process, signal.SIGKILL)
            ended = api.wait(job)
            assert ended["state"] == "succeeded", ended
            rows = api.results(job)
            assert [row["index"] for row in rows] == list(range(given.texts)), len(rows)
            assert all(row["text"].startswith(f"{row['index']} ") and row["label"] for row in rows)
            [lost] = queue.execute("select count(*) from attempt where outcome in ('worker_died', 'worker_lost')").fetchone()
            assert lost, "no attempt ended with the array task"
            slurm.until(lambda: not slurm.run("squeue", "-h"), "workers are left")
            print(f"{given.texts} texts, array task {killed} killed with {lost} tasks: none lost; all workers stopped by themselves")
    finally:
        slurm.remove()


if __name__ == "__main__":
    main()
