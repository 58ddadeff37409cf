"""The Debian packages and the container image: equal from build to build, and what they promise."""

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
VERSION = re.search(r"^project\(.*VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


def run(*command):
    done = subprocess.run(command, capture_output=True, timeout=900)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]!r}{done.stderr[-2000:]!r}"
    return done.stdout


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-release-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def twice(self, command, *names):
        for build in ("first", "second"):
            run(*command(self.folder / build))
        for name in names:
            first, second = ((self.folder / build / name).read_bytes() for build in ("first", "second"))
            self.assertEqual(hashlib.sha256(first).hexdigest(), hashlib.sha256(second).hexdigest(), name)
        return [self.folder / "first" / name for name in names]

    def test_debian_packages(self):
        server, engine = self.twice(lambda to: (ROOT / "deploy/release/debs", BIN.parent.name, to),
                                    f"plimsoll_{VERSION}-1_amd64.deb", f"plimsoll-engine_{VERSION}-1_amd64.deb")
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
        [archive] = self.twice(lambda to: (ROOT / "deploy/release/image", BIN.parent.name, "--to", to), f"plimsoll-{VERSION}-oci.tar")
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
