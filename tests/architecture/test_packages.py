"""The libraries that are installed, credited and used are the same ones."""
import pathlib
import re
import subprocess
import unittest

import tree

# Names in NOTICE, and the packages that bring these libraries; Boost comes from deploy/setup/headers.
CREDITS = {
    'Boost (Asio, Beast, URL)': (), 'CLI11': ('libcli11-dev',), 'cctz': ('libcctz-dev',), 'expected (Sy Brand)': ('libexpected-dev',),
    'JSON for Modern C++': ('nlohmann-json3-dev',), 'OpenCL headers': ('opencl-c-headers',),
    'spdlog, with fmt': ('libspdlog-dev',), 'gperftools (tcmalloc)': ('libgoogle-perftools-dev',),
    'libpq (PostgreSQL)': ('libpq-dev',), 'libpqxx': ('libpqxx-dev',), 'libsodium': ('libsodium-dev',),
    'OCL-ICD': ('ocl-icd-opencl-dev',), 'OpenSSL 3': ('libssl-dev',), 'prometheus-cpp': ('prometheus-cpp-dev',),
    'utf8proc': ('libutf8proc-dev',), 'yaml-cpp': ('libyaml-cpp-dev',), 'zlib': ('zlib1g-dev',),
}


def libraries():
    """Packages that programs are compiled with."""
    listed = re.search(r'^build=\((.*?)^\)', tree.text_of('deploy/setup/packages'), re.M | re.S)[1].split()
    return {package for package in listed if package.endswith(('-dev', '-headers'))}


def files_of(package):
    listed = subprocess.run(['dpkg-query', '-L', package], check=True, capture_output=True, text=True)
    return [pathlib.PurePosixPath(line) for line in listed.stdout.splitlines()]


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        files = [path for path in tree.tracked_files() if path.parts[0] in ('deploy', 'engine', 'server')]
        cls.included = {header for path in files if path.suffix in ('.cpp', '.hpp')
                        for header in re.findall(r'^#include <([^>]+)>', tree.text_of(path), re.M)}
        cls.built = {word for path in files if path.name == 'CMakeLists.txt' or path.suffix == '.cmake'
                     for word in re.findall(r'\w+', tree.text_of(path))}

    def is_used(self, package):
        files = files_of(package)
        included = any(str(path).endswith('/' + header) for path in files for header in self.included)
        linked = any(path.suffix in ('.so', '.a') and path.stem.removeprefix('lib') in self.built for path in files)
        return included or linked

    def test_each_is_included_or_linked(self):
        self.assertEqual({package for package in libraries() if not self.is_used(package)}, set())

    def test_each_is_credited_and_nothing_else(self):
        credited = re.findall(r'^    (\S.*?)  +\S', re.search(
            r'Libraries compiled into.*?(?=^Library that is)', tree.text_of('NOTICE'), re.M | re.S)[0], re.M)
        self.assertEqual(sorted(credited), sorted(CREDITS))
        self.assertEqual({package for packages in CREDITS.values() for package in packages}, libraries())


if __name__ == '__main__':
    unittest.main()
