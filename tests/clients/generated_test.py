"""Clients that OpenAPI Generator generates from a running server (deploy/samples/generators) are compiled and make the
same round trip, with one program per language (programs/): a job is created, followed, its report and results are read,
and those of the other kinds; empty results, a CSV, a picture and two refusals.

PLIMSOLL_CLIENTS names the languages, separated by spaces; by default, those that need no additional compiler. See
`run`.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from samples_test import ROOT, ContractProxy, Server, wheels

PROGRAMS = pathlib.Path(__file__).with_name("programs")
LANGUAGES = os.environ.get("PLIMSOLL_CLIENTS", "python typescript-fetch").split()
PRICES = "date,close\n" + "".join(f"2024-{1 + day // 28:02}-{1 + day % 28:02},{100 + day * 37 % 23 + day}\n"
                                  for day in range(120))
OTHER_JOBS = {
    "TRAINING_JOB": {"kind": "training-config", "args": {"model": {"preset": "bert-base"}, "gpus": ["rtx_4090"]}},
    "WAVES_JOB": {"kind": "waves", "args": {"prices": PRICES}},
    "PROFILE_JOB": {"kind": "profile", "args": {"mode": "sentiment", "limits": {"max_batch": 8}}},
}
TOLD = """state succeeded
report sentiment 2 vader
row positive
row negative
report training-config 1 rtx_4090
row rtx_4090
report waves 1 120
row 120
report profile 3 sentiment
engine true
row sentiment/short
empty 0
empty 0
empty 0
empty 0
csv index
picture <svg
refused 422 /docs/problems/invalid-body
refused 404 /docs/problems/not-found
"""


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        packages = wheels()
        server = Server().start()
        cls.addClassCleanup(server.remove)
        api = server.api()
        ids = {name: api.post("/v1/jobs", spec).json["id"] for name, spec in OTHER_JOBS.items()}
        for job in ids.values():
            assert api.wait(job)["state"] == "succeeded", job
        proxy = ContractProxy(server.base)
        cls.addClassCleanup(proxy.finish)
        cls.env = {**os.environ, **ids, "PLIMSOLL_SERVER": proxy.base, "PLIMSOLL_TOKEN": api.token,
                   "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": packages, "PIP_NO_COMPILE": "1",
                   "LANGUAGES": " ".join(LANGUAGES),
                   # The generator runs for seconds: better compiled code costs more than it saves.
                   "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-clients-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for file in (ROOT / "deploy/samples/generators").iterdir():
            shutil.copy(file, cls.folder)
        cls.call("./run.sh", within=".")

    @classmethod
    def call(cls, *command, within):
        done = subprocess.run(command, cwd=cls.folder / within, env=cls.env, capture_output=True, text=True, timeout=3000)
        assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        return done.stdout

    def check(self, language, *command):
        self.assertEqual(self.call(*command, within=language), TOLD)

    def place(self, language, program, path=None):
        target = self.folder / language / (path or program)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROGRAMS / program, target)

    @unittest.skipUnless("python" in LANGUAGES, "not asked for")
    def test_python(self):
        self.place("python", "round_trip.py")
        self.call("../.venv/bin/pip", "install", "pydantic", "urllib3", "python-dateutil", within="python")
        self.check("python", "../.venv/bin/python", "round_trip.py")

    @unittest.skipUnless("typescript-fetch" in LANGUAGES, "not asked for")
    def test_typescript(self):
        self.place("typescript-fetch", "round_trip.mts")
        modules = ROOT / "web/node_modules"
        self.call("node", modules / "typescript/bin/tsc", "--strict", "--target", "es2022", "--module", "es2022",
                  "--moduleResolution", "bundler", "--typeRoots", modules / "@types", "--types", "node",
                  "--outDir", "out", "round_trip.mts", within="typescript-fetch")
        (self.folder / "typescript-fetch/out/package.json").write_text('{"type": "module"}')
        self.check("typescript-fetch", "node", "out/round_trip.mjs")

    @unittest.skipUnless("go" in LANGUAGES, "not asked for")
    def test_go(self):
        self.place("go", "round_trip.go", "round_trip/main.go")
        self.call("go", "vet", ".", "./round_trip", within="go")
        self.check("go", "go", "run", "./round_trip")

    @unittest.skipUnless("java" in LANGUAGES, "not asked for")
    def test_java(self):
        self.place("java", "RoundTrip.java", "src/main/java/RoundTrip.java")
        self.call("mvn", "-q", "-B", "-DskipTests", "compile", "dependency:copy-dependencies",
                  "-DincludeScope=runtime", "-DoutputDirectory=target/jars", within="java")
        self.check("java", "java", "-cp", "target/classes:target/jars/*", "RoundTrip")

    @unittest.skipUnless("rust" in LANGUAGES, "not asked for")
    def test_rust(self):
        self.place("rust", "round_trip.rs", "examples/round_trip.rs")
        with open(self.folder / "rust/Cargo.toml", "a", encoding="utf-8") as manifest:
            manifest.write('\n[dev-dependencies]\ntokio = { version = "1", features = ["macros", "rt"] }\n')
        self.check("rust", "cargo", "run", "--quiet", "--example", "round_trip")

    @unittest.skipUnless("cpp-restsdk" in LANGUAGES, "not asked for")
    def test_cpp(self):
        self.place("cpp-restsdk", "round_trip.cpp")
        # Fifty files at once, since their headers take the time; those with names of the file's own remain separate.
        folder = self.folder / "cpp-restsdk"
        alone = [str(file) for file in folder.glob("src/**/*.cpp") if "\nnamespace\n{" in file.read_text(encoding="utf-8")]
        with open(folder / "CMakeLists.txt", "a", encoding="utf-8") as lists:
            lists.write(f"\nset_source_files_properties({' '.join(alone)} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)\n")
        self.call("cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS=-g0",
                  "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=50", within="cpp-restsdk")
        self.call("cmake", "--build", "build", within="cpp-restsdk")
        self.call("g++", "-std=c++17", "-Iinclude", "round_trip.cpp", "build/libplimsoll.a", "-lcpprest",
                  "-lboost_system", "-lssl", "-lcrypto", "-o", "round_trip", within="cpp-restsdk")
        self.check("cpp-restsdk", "./round_trip")


if __name__ == "__main__":
    unittest.main()
