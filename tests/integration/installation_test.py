"""Where Plimsoll is started for the first time, something is missing: the message says what, and what to do."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import own_mounts  # noqa: E402
from harness import BIN, PATIENCE, Server  # noqa: E402

READ_ONLY = 1  # MS_RDONLY
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
INSTALLED = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]


class Installation(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        self.data = self.folder / "data"

    def mounted(self, target, options, flags=0):
        pathlib.Path(target).mkdir(exist_ok=True)
        own_mounts.mount("own", target, "tmpfs", flags, options)
        self.addCleanup(own_mounts.unmount, target)

    def refused(self, *arguments, env=None, **more):
        """What `serve` says when it does not start."""
        done = subprocess.run([BIN / "plimsoll", "serve", "--port", "0", *arguments], capture_output=True, text=True,
                              timeout=PATIENCE, env={**os.environ, "PLIMSOLL_ENGINE_LOCAL": "false", **(env or {})}, **more)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.stderr

    def test_programs_of_postgresql_are_named_by_a_setting(self):
        programs = self.folder / "bin"
        programs.symlink_to(INSTALLED)
        server = Server(first_start=True, engine__local="false", database__postgres=programs)
        self.addCleanup(server.remove)
        server.start()
        found = subprocess.run([BIN / "plimsoll", "--json", "doctor", "--database.postgres", programs], capture_output=True, text=True)
        self.assertIn(f" ({programs}) is installed", found.stdout)
        (self.folder / "none").mkdir()
        said = self.refused("--data", self.data, "--database.postgres", self.folder / "none")
        self.assertIn(f"database.postgres: {self.folder}/none has no programs initdb and postgres that run", said)
        said = self.refused("--database.url", "postgresql://nowhere/x", "--database.postgres", programs)
        self.assertIn("database.postgres has no effect with database.url", said)

    def test_deploy_up_uses_what_is_installed(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        (self.folder / "deploy").mkdir()
        for name in ("deploy/up", "deploy/setup", "deploy/samples", "CMakeLists.txt"):
            (self.folder / name).symlink_to(root / name)
        (self.folder / "deploy/build").mkdir()
        builds = self.folder / "deploy/build/all"
        builds.write_text("#!/bin/sh\necho builds; exit 1\n")
        program = self.folder / "plimsoll"
        program.write_text("""#!/bin/sh
echo "$@"
case $1 in --version) ;; --json) echo '"tiny-sample"' ;; serve) echo ready http://127.0.0.1:1; exec sleep 100 ;; esac
""")
        for file in (builds, program):
            file.chmod(0o755)
        version = subprocess.check_output([BIN / "plimsoll", "--version"], text=True).strip()

        def up():
            return subprocess.run([self.folder / "deploy/up", "--once"], capture_output=True, text=True, timeout=PATIENCE,
                                  env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})

        self.assertIn("builds\n", up().stdout)  # another version is installed
        program.write_text(program.read_text().replace('echo "$@"', 'echo "$@" | sed "s/^--version$/' + version + '/"'))
        done = up()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"Using {program}\n", done.stdout)
        self.assertIn("submit sentiment deploy/samples/headlines.jsonl --set model=tiny-sample", done.stdout)
        (self.folder / "build/release").mkdir(parents=True)
        (self.folder / "build/release/build.ninja").touch()
        self.assertIn("builds\n", up().stdout)  # whoever builds wants what was built

    def test_data_of_another_version_is_left_alone(self):
        (self.data / "postgres").mkdir(parents=True)
        (self.data / "postgres/PG_VERSION").write_text("9999\n")
        said = self.refused("--data", self.data)
        self.assertRegex(said, r"was written by PostgreSQL 9999, but this machine has PostgreSQL \d+ \(/.*\). Install PostgreSQL 9999")
        self.assertEqual(os.listdir(self.data / "postgres"), ["PG_VERSION"])

    def test_two_installations_do_not_share_a_data_folder(self):
        server = Server(engine__local="false")
        self.addCleanup(server.remove)
        server.start()
        said = self.refused("--data", server.folder / "data")
        self.assertIn(f"Another plimsoll is using the data folder {server.folder}/data", said)
        self.assertIn(server.base, said)

    def test_a_server_without_plimsoll_engine_says_so_once(self):
        shutil.copy(BIN / "plimsoll", self.folder)
        server = subprocess.Popen([self.folder / "plimsoll", "serve", "--port", "0", "--data", self.data], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(any(line.startswith("ready") for line in server.stdout))
        server.terminate()
        said = server.communicate(timeout=PATIENCE)[1]
        self.assertEqual((server.returncode, said.count("plimsoll-engine is not installed here: this server runs no workers")), (0, 1), said)
        self.assertNotIn("supervisor", said)

    def test_a_package_that_is_removed_while_it_serves(self):
        installed = self.folder / "bin"
        installed.mkdir()
        for program in BIN.glob("plimsoll*"):
            (shutil.copy if os.access(program, os.X_OK) else os.symlink)(program, installed / program.name)
        environment = {**os.environ, "PLIMSOLL_CREDENTIALS": str(self.folder / "credentials.json")}
        server = subprocess.Popen([installed / "plimsoll", "serve", "--port", "0", "--data", self.data], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        base = next(line.split()[1] for line in server.stdout if line.startswith("ready"))
        link = subprocess.run([BIN / "plimsoll", "admin", "--data", self.data, "sign-in-link", "--base-url", base],
                              capture_output=True, text=True, check=True).stdout.strip()
        subprocess.run([BIN / "plimsoll", "login", link], env=environment, check=True, capture_output=True)
        score = [BIN / "plimsoll", "score", "A brilliant quarter", "--model", "vader", "--timeout", "60"]
        subprocess.run(score, env=environment, check=True, capture_output=True)
        shutil.rmtree(installed)
        self.assertIn("positive", subprocess.run(score, env=environment, check=True, capture_output=True, text=True).stdout)
        server.terminate()
        said = server.communicate(timeout=PATIENCE)[1]
        self.assertEqual(server.returncode, 0, said)
        self.assertFalse((self.data / "postgres/postmaster.pid").exists())

    def test_a_disk_too_small_for_a_database(self):
        self.mounted(self.data, f"size={16 << 20},mode=755")
        self.assertIn("The disk of the database is full. Free some space", self.refused("--data", self.data))
        self.assertFalse((self.data / "postgres").exists())

    @unittest.skipUnless(os.geteuid() == 0, "mounts as another user")
    def test_a_home_that_cannot_be_written(self):
        home = self.folder / "home"
        self.mounted(home, "mode=755", READ_ONLY)
        env = {"HOME": str(home), "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""}
        said = self.refused(env=env, **NOBODY)
        self.assertIn(f"The data folder {home}/.local/state/plimsoll cannot be created: Read-only file system", said)
        told = subprocess.run([BIN / "plimsoll", "--json", "estimate", "--preset", "gpt2"], stdout=subprocess.PIPE,
                              env={**os.environ, **env}, timeout=PATIENCE, check=True, **NOBODY).stdout
        self.assertTrue(json.loads(told)["gpus"])

    def test_no_shared_memory_folder(self):
        self.mounted("/dev/shm", "mode=700,size=0")
        os.chmod("/dev/shm", 0o500)
        server = Server(tempfile.mkdtemp(prefix="plm-", dir="/var/tmp"), first_start=True, engine__local="false")  # not below /dev/shm
        self.addCleanup(server.remove)
        server.start()
        api = server.api()
        self.assertEqual(api.get("/readyz").status, 200)

    @unittest.skipUnless(os.geteuid() == 0, "what root alone meets")
    def test_root_needs_a_user_for_postgresql(self):
        users = self.folder / "passwd"
        users.write_text("".join(line for line in pathlib.Path("/etc/passwd").read_text().splitlines(True) if not line.startswith("postgres:")))
        own_mounts.mount(users, "/etc/passwd", flags=own_mounts.BIND)
        try:
            said = self.refused("--data", self.data)
        finally:
            own_mounts.unmount("/etc/passwd")
        self.assertIn("PostgreSQL refuses to run as root, and the user postgres does not exist: run plimsoll as an ordinary "
                      "user, or create that user (useradd --system postgres)", said)

    @unittest.skipUnless(os.geteuid() == 0, "root runs PostgreSQL as another user")
    def test_programs_that_the_user_of_postgresql_cannot_enter(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o700)
        (closed / "bin").symlink_to(INSTALLED)
        said = self.refused("--data", self.data, "--database.postgres", closed / "bin")
        self.assertIn(f"the user postgres, which cannot access {closed}, where PostgreSQL is installed", said)


class ServiceManager(unittest.TestCase):
    def test_it_is_told_of_the_start_and_fed_until_the_end(self):
        server = Server(engine__local="false")
        self.addCleanup(server.remove)
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        manager.bind(str(server.folder / "notify"))
        manager.settimeout(PATIENCE)
        environment = {**server.environment(), "NOTIFY_SOCKET": str(server.folder / "notify"), "WATCHDOG_USEC": "300000"}
        server.environment = lambda: environment
        server.start()
        told = [manager.recv(100) for _ in range(4)]
        self.assertEqual(told[0], b"READY=1")
        self.assertEqual(set(told[1:]), {b"WATCHDOG=1"})
        server.process.terminate()
        while told[-1] != b"STOPPING=1":
            told.append(manager.recv(100))


if __name__ == "__main__":
    own_mounts.enter()
    unittest.main()
