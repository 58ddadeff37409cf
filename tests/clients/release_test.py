"""What `deploy/release/all` makes, which fails unless two builds are equal: packages, container image, checksums, provenance and
the list of parts are what they promise. The wheels have a test of their own."""

import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["PLIMSOLL_BIN"])
DIST = BIN.with_name("dist")
VERSION = re.search(r"^project\(.*VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
MEGABYTE = 1e6


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, timeout=900, **more)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]!r}{done.stderr[-2000:]!r}"
    return done.stdout


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-release-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # The checked packages of the client generator.
        links = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": run(ROOT / "tests/clients/wheels").decode().strip()}
        run(ROOT / "deploy/release/all", BIN.parent.name, DIST, env={**os.environ, **links, "PLIMSOLL_COMPRESS": "quickly"})

    def test_every_file_has_its_checksum_and_a_source(self):
        sums = dict(reversed(line.split()) for line in (DIST / "SHA256SUMS").read_text().splitlines())
        statement = DIST / f"plimsoll-{VERSION}.intoto.json"
        self.assertEqual({*sums, "SHA256SUMS", statement.name}, {file.name for file in DIST.iterdir()})
        self.assertEqual(len(sums), 9)  # the archive, three wheels, two packages, the image, the list of parts, what is new
        for name, digest in sums.items():
            self.assertEqual(hashlib.sha256((DIST / name).read_bytes()).hexdigest(), digest, name)
        told = json.loads(statement.read_text())
        self.assertEqual({one["name"]: one["digest"]["sha256"] for one in told["subject"]}, sums)
        [source] = told["predicate"]["buildDefinition"]["resolvedDependencies"]
        self.assertEqual(source["digest"]["gitCommit"], run("git", "-C", ROOT, "rev-parse", "HEAD").decode().strip())

    def test_the_sizes_that_are_promised(self):
        [wheel] = DIST.glob("*manylinux*.whl")
        self.assertLess(wheel.stat().st_size, 25 * MEGABYTE)
        self.assertLess((DIST / f"plimsoll-{VERSION}-oci.tar").stat().st_size, 150 * MEGABYTE)

    def test_the_archive_runs_wherever_it_is_unpacked(self):
        run("tar", "-C", self.folder, "-xf", DIST / f"plimsoll-{VERSION}-linux-x86_64.tar.gz")
        root = self.folder / f"plimsoll-{VERSION}"
        estimate = ["--json", "estimate", "--preset", "bert-base", "--gpu", "rtx_4090"]
        self.assertEqual(run(root / "bin/plimsoll", *estimate, env={}), run(BIN / "plimsoll", *estimate, env={}))
        self.assertIn("plimsoll-engine", run(root / "bin/plimsoll-engine", "--help", env={}).decode())
        self.assertTrue((root / "share/plimsoll/web/index.html").exists())

    def test_the_list_of_parts(self):
        listed = json.loads((DIST / f"plimsoll-{VERSION}.spdx.json").read_text())
        parts = {part["name"]: part["versionInfo"] for part in listed["packages"]}
        self.assertLessEqual({"plimsoll", "libpq5", "libc6", "svelte"}, set(parts))
        self.assertFalse([name for name, version in parts.items() if not version])
        named = [part["SPDXID"] for part in listed["packages"]]
        self.assertEqual(len(set(named)), len(named))
        self.assertEqual([one["relatedSpdxElement"] for one in listed["relationships"]], named)

    def test_what_is_new(self):
        text = (DIST / f"plimsoll-{VERSION}-changes.md").read_text("utf-8")
        self.assertRegex(text, r"(?m)^### Added")
        self.assertNotRegex(text, r"(?m)^## ")

    def test_debian_packages(self):
        server, engine = (DIST / f"{name}_{VERSION}-1_amd64.deb" for name in ("plimsoll", "plimsoll-engine"))
        needs = {deb: run("dpkg-deb", "--field", deb, "Depends").decode() for deb in (server, engine)}
        self.assertNotIn("opencl", needs[server].lower())
        self.assertIn("libpq5", needs[server])
        self.assertIn("ocl-icd-libopencl1", needs[engine])
        self.assertIn(f"plimsoll (= {VERSION}-1)", needs[engine])
        for deb, unit, program in ((server, "plimsoll", "serve"), (engine, "plimsoll-engine", "engine")):
            run("dpkg-deb", "-x", deb, self.folder / "root")
            service = (self.folder / f"root/usr/lib/systemd/system/{unit}.service").read_text()
            self.assertIn(f"ExecStart=/usr/bin/plimsoll {program}\n", service)
            self.assertIn("User=plimsoll\n", service)
            scripts = self.folder / unit
            run("dpkg-deb", "--control", deb, scripts)
            for name in ("postinst", "prerm", "postrm"):
                run("sh", "-n", scripts / name)
                self.assertNotIn("/var/lib/plimsoll ", re.sub("#.*", "", (scripts / name).read_text()).replace(
                    "--home /var/lib/plimsoll plimsoll", ""))
        for program in (self.folder / "root/usr/bin").iterdir():
            self.assertNotIn(b"RPATH", run("readelf", "--dynamic", program), program.name)
        self.assertEqual(run(self.folder / "root/usr/bin/plimsoll", "--version").decode().strip(), VERSION)

    def test_image(self):
        archive = DIST / f"plimsoll-{VERSION}-oci.tar"
        with tarfile.open(archive) as tar:
            def blob(digest):
                data = tar.extractfile("blobs/sha256/" + digest.removeprefix("sha256:")).read()
                self.assertEqual("sha256:" + hashlib.sha256(data).hexdigest(), digest)
                return data

            index = json.load(tar.extractfile("index.json"))
            manifest = json.loads(blob(index["manifests"][0]["digest"]))
            config = json.loads(blob(manifest["config"]["digest"]))
            layers = [gzip.decompress(blob(layer["digest"])) for layer in manifest["layers"]]
        self.assertEqual(["sha256:" + hashlib.sha256(layer).hexdigest() for layer in layers], config["rootfs"]["diff_ids"])
        self.assertRegex(config["config"]["User"], r"^[1-9]\d+:")
        entries = {}
        for layer in layers:
            with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
                entries |= {entry.name: entry for entry in tar}
        self.assertLessEqual({"usr/bin/plimsoll", "usr/share/plimsoll/web/index.html", "etc/ssl/certs/ca-certificates.crt",
                              "usr/share/zoneinfo/Europe/Berlin", "lib64/ld-linux-x86-64.so.2"}, set(entries))
        self.assertFalse([name for name in entries if re.search(r"/(bash|sh|dash|busybox)$", name)])
        self.assertFalse([name for name, entry in entries.items() if entry.mode & 0o6000])
        self.assertEqual([name for name, entry in entries.items() if entry.uid != 0], ["var/lib/plimsoll"])


if __name__ == "__main__":
    unittest.main()
